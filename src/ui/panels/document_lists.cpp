#include "ui/panels/document_lists.h"

#include "core/experiment/system.h"
#include "ui/imgui/wanted_characters.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// The last parts of a path; files differ most at the end.
std::string short_path(const std::string& path) {
  constexpr std::size_t kMaxLength = 48;
  if (path.size() <= kMaxLength) return path;
  const std::size_t slash = path.find('/', path.size() - kMaxLength);
  return "…" + (slash == std::string::npos ? path.substr(path.rfind('/') + 1) : path.substr(slash));
}

}  // namespace

void recent_entries(const MenuState& state, UiIntents& intents) {
  for (const std::string& path : state.recent) {
    wanted_characters().add(path);
    if (ImGui::MenuItem((short_path(path) + "##" + path).c_str())) intents.files.push_back(path);
    tooltip(path);
  }
}

void model_entries(const MenuState& state, UiIntents& intents) {
  for (const BundledModel& model : state.models) {
    if (ImGui::MenuItem(model.name.c_str(), model.summary.c_str())) intents.files.push_back(model.folder.string());
    tooltip(model.folder.string());
  }
  if (state.models.empty()) ImGui::TextDisabled("No models were found");
}

void lesson_entries(const MenuState& state, UiIntents& intents) {
  for (const LessonFile& file : state.lessons) {
    if (!file.lesson) {
      ImGui::TextDisabled("%s cannot be read", file.name.c_str());
      tooltip(file.lesson.error().message);
      continue;
    }
    const Lesson& lesson = **file.lesson;
    if (ImGui::MenuItem(lesson.title.c_str(), nullptr, &lesson == state.open_lesson))
      intents.actions.push_back({OpenLesson{*file.lesson}, 0});
    tooltip(lesson.summary + " Based on " + lesson.source + ".");
  }
  if (state.lessons.empty()) ImGui::TextDisabled(state.reading_lessons ? "Reading…" : "No lessons were found");
}

void system_entries(const Experiment& experiment, UiIntents& intents) {
  for (const System& system : systems()) {
    if (ImGui::MenuItem(system.title.c_str(), nullptr, system.name == experiment.system))
      intents.actions.push_back({SetSystem{system.name}, 0});
    tooltip(system.summary);
  }
}

}  // namespace attnscope::ui
