#include "ui/panels/document_lists.h"

#include <algorithm>
#include <map>

#include "core/experiment/system.h"
#include "io/base/data_files.h"
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

/// Why the lesson is not in the language that was chosen, where its translation cannot be read.
std::string translation_trouble(const Lesson& lesson, std::string_view language) {
  const auto found = std::ranges::find(lesson.translations, language, &LessonTranslation::language);
  const bool wrong = found != lesson.translations.end() && !found->texts;
  return wrong ? "\n\nIn English: " + found->texts.error().message : "";
}

/// One translation for each language, by its code: one that can be read, where there is any.
std::map<std::string, const LessonTranslation*> languages_of(const MenuState& state) {
  std::map<std::string, const LessonTranslation*> languages;
  const auto add = [&](const Lesson& lesson) {
    for (const LessonTranslation& each : lesson.translations) {
      const LessonTranslation*& known = languages[each.language];
      if (known == nullptr || (!known->texts && each.texts)) known = &each;
    }
  };
  for (const LessonFile& file : state.lessons) {
    if (file.lesson) add(**file.lesson);
  }
  if (state.open_lesson != nullptr) add(*state.open_lesson);
  return languages;
}

/// Where attnscope looks for its own folder of that name.
std::string searched_for(const char* name) {
  std::string text = "Searched:";
  for (const std::filesystem::path& folder : data_folders()) text += "\n" + (folder / name).string();
  return text + "\nSet the environment variable ATTNSCOPE_DATA to the folder that contains " + name + ".";
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
  if (!state.models.empty()) return;
  ImGui::TextDisabled("No models were found");
  tooltip(searched_for("assets/models"));
}

void lesson_entries(const MenuState& state, UiIntents& intents) {
  for (const LessonFile& file : state.lessons) {
    if (!file.lesson) {
      ImGui::TextDisabled("%s cannot be read", file.name.c_str());
      tooltip(file.lesson.error().message);
      continue;
    }
    const Lesson& lesson = **file.lesson;
    const LessonTexts* texts = texts_in(lesson, state.language);
    const std::string& title = texts != nullptr ? texts->title : lesson.title;
    wanted_characters().add(title);
    const std::string length = std::to_string(lesson.steps.size()) + (lesson.steps.size() == 1 ? " step" : " steps");
    if (ImGui::MenuItem(title.c_str(), length.c_str(), &lesson == state.open_lesson))
      intents.actions.push_back({OpenLesson{*file.lesson}, 0});
    tooltip((texts != nullptr ? texts->summary : lesson.summary) + " Based on " + lesson.source + "." +
            translation_trouble(lesson, state.language));
  }
  if (!state.lessons.empty()) return;
  ImGui::TextDisabled(state.reading_lessons ? "Reading…" : "No lessons were found");
  if (!state.reading_lessons) tooltip(searched_for("assets/lessons"));
}

void language_entries(const MenuState& state, UiIntents& intents) {
  const auto entry = [&](std::string_view language, const std::string& name) {
    wanted_characters().add(name);
    const std::string label = name + "##" + std::string(language);
    if (ImGui::MenuItem(label.c_str(), nullptr, language == state.language)) intents.language = language;
  };
  entry(kLessonLanguage, "English");
  for (const auto& [language, translation] : languages_of(state)) {
    if (translation->texts) {
      entry(language, translation->name);
      tooltip("Lessons without a translation are in English, and so is the window.");
    } else {
      ImGui::TextDisabled("%s cannot be read", translation->name.c_str());
      tooltip(translation->texts.error().message);
    }
  }
}

void system_entries(const Experiment& experiment, UiIntents& intents) {
  for (const System& system : systems()) {
    if (ImGui::MenuItem(system.title.c_str(), nullptr, system.name == experiment.system))
      intents.actions.push_back({SetSystem{system.name}, 0});
    tooltip(system.summary);
  }
}

}  // namespace attnscope::ui
