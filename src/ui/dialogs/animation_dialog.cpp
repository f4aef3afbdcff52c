#include "ui/dialogs/animation_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "ui/dialogs/document_dialogs.h"
#include "ui/dialogs/export_rows.h"
#include "ui/dialogs/path_dialog.h"
#include "ui/dialogs/path_field.h"
#include "ui/imgui/text_field.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

void setting_field(const Style& style, const char* id, const char* hint, std::string& text,
                   double width = kFieldWidth) {
  ImGui::SetNextItemWidth(style.px(width));
  text_field(id, hint, text);
}

const Sweepable* chosen(const AnimationShown& shown, const AnimationSettings& settings) {
  for (const auto& [thing, largest] : shown.things) {
    if (thing.name == settings.name) return &thing;
  }
  return nullptr;
}

/// What the animation goes through: the lesson, or one of the things.
void subject_row(const Style& style, const AnimationShown& shown, AnimationSettings& settings) {
  row_label(style, "Animate");
  std::vector<std::string> names;
  names.reserve(shown.things.size() + 1);
  if (shown.lesson != nullptr) names.push_back("Lesson: " + shown.lesson->title);
  const std::size_t lessons = names.size();
  std::size_t now = 0;
  for (const auto& [thing, largest] : shown.things) {
    if (!settings.lesson && thing.name == settings.name) now = names.size();
    // The system and the view may each have one of the same name.
    const bool of_view = thing.place == Sweepable::Place::view_option;
    names.push_back(thing.parameter.label + (of_view ? " (view)" : ""));
  }
  const auto picked = list_field("##subject", style.px(kSettingsWidth - kLabelWidth), names, now);
  if (!picked) return;
  settings.frame = 1;
  settings.lesson = *picked < lessons;
  if (settings.lesson) return;
  const auto& [thing, largest] = shown.things[*picked - lessons];
  choose_sweep(settings, thing, largest);
}

void value_rows(const Style& style, const Sweepable& thing, AnimationSettings& settings) {
  if (!is_number(thing)) {
    row_label(style, "Values");
    const bool choice = thing.parameter.kind == Parameter::Kind::choice;
    setting_field(style, "##values", choice ? "all values" : "separated by commas", settings.values,
                  kSettingsWidth - kLabelWidth);
    tooltip("Separated by commas. Allowed: " + allowed_text(thing.parameter) + ".");
    return;
  }
  row_label(style, "From");
  constexpr double kNarrow = 48;
  setting_field(style, "##from", "", settings.from, kNarrow);
  ImGui::SameLine();
  ImGui::TextDisabled("to");
  ImGui::SameLine();
  setting_field(style, "##to", "", settings.to, kNarrow);
  tooltip("Allowed: " + allowed_text(thing.parameter) + ".");
  ImGui::SameLine();
  ImGui::TextDisabled("step");
  ImGui::SameLine();
  setting_field(style, "##step", "…", settings.step, kNarrow);
  const bool real = thing.parameter.kind == Parameter::Kind::real;
  tooltip(std::string("Empty: ") + (real ? "50 steps." : "1, or the next allowed value.") +
          " A negative step counts down.");
}

void format_row(const Style& style, const AnimationShown& shown, UiState& state) {
  AnimationSettings& settings = state.animation_settings;
  row_label(style, "Format");
  bool first = true;
  for (const AnimationFormatEntry& each : kAnimationFormats) {
    if (!first) ImGui::SameLine();
    first = false;
    const bool possible = each.format == AnimationFormat::png || shown.has_ffmpeg;
    ImGui::BeginDisabled(!possible);
    if (ImGui::RadioButton(each.name, settings.format == each.format)) {
      settings.format = each.format;
      state.dialog.path = path_for_format(state.dialog.path, each.format);
    }
    ImGui::EndDisabled();
    if (each.format == AnimationFormat::png) tooltip("One numbered file per frame.");
  }
}

void rate_row(const Style& style, const AnimationShown& shown, AnimationSettings& settings) {
  row_label(style, "Speed");
  std::string usual = settings.lesson ? "automatic" : "";
  if (!settings.lesson && shown.animation != nullptr) usual = short_text(shown.animation->rate());
  setting_field(style, "##rate", usual.c_str(), settings.rate);
  ImGui::SameLine();
  ImGui::TextDisabled("frames per second");
}

/// The frame, and its number below it.
void frame_preview(const Style& style, const AnimationShown& shown, AnimationSettings& settings, ImVec2 room) {
  const float line = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y;
  const Result<FigureFileOptions> options = export_options(settings.page);
  ImGui::BeginGroup();
  page_preview(style, {options ? shown.figure : nullptr, shown.number, 0, settings.page.file.theme}, shown.luts,
               shown.batch, shown.lines, ImVec2(room.x, room.y - line));
  const int count = shown.animation != nullptr ? static_cast<int>(shown.animation->size()) : 1;
  settings.frame = std::clamp(settings.frame, 1, std::max(count, shown.animation != nullptr ? 1 : settings.frame));
  ImGui::BeginDisabled(count < 2);
  ImGui::SetNextItemWidth(room.x);
  const int last = std::max(count, settings.frame);
  const std::string of_how_many = "frame %d of " + std::to_string(last);
  ImGui::SliderInt("##frame", &settings.frame, 1, last, of_how_many.c_str());
  ImGui::EndDisabled();
  ImGui::EndGroup();
}

/// "51 frames · 5.1 s"
std::string length_text(const AnimationShown& shown, const AnimationSettings& settings) {
  const Result<std::optional<double>> rate = rate_of(settings);
  if (shown.animation == nullptr) return "preparing the frames";
  if (!rate) return {};
  Animation animation = *shown.animation;
  if (*rate) animation.set_rate(**rate);
  const auto count = static_cast<Index>(animation.size());
  std::string frames = grouped_text(count) + (count == 1 ? " frame" : " frames");
  if (!shown.has_ffmpeg) return frames + " · GIF and MP4 need the program ffmpeg, which is not installed";
  if (settings.format == AnimationFormat::png) return frames;
  return frames + " · " + duration_text(animation.seconds());
}

AnimationAnswer progress_rows(const Style& style, const AnimationProgress& progress, UiState& state) {
  ImGui::TextUnformatted(progress.doing.c_str());
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, color(style.palette.accent, 0.6F));
  ImGui::ProgressBar(progress.fraction, ImVec2(style.px(kSettingsWidth + 60), 0));
  ImGui::PopStyleColor();
  const bool stop = ImGui::Button("Stop");
  tooltip("Stops writing and removes the unfinished file.");
  ImGui::SameLine();
  if (ImGui::Button("Run in background")) state.dialog.open = Dialog::none;
  tooltip("The status bar shows the progress; click it to open this dialog again.");
  return stop ? AnimationAnswer::stop : AnimationAnswer::none;
}

/// What is wrong with the settings; empty: nothing.
std::string trouble_of(const AnimationShown& shown, const AnimationSettings& settings) {
  if (const auto options = export_options(settings.page); !options) return options.error().message;
  if (const auto rate = rate_of(settings); !rate) return rate.error().message;
  return shown.trouble;
}

}  // namespace

AnimationAnswer animation_dialog(const Style& style, const AnimationShown& shown, UiState& state) {
  if (shown.writing) return progress_rows(style, *shown.writing, state);
  AnimationSettings& settings = state.animation_settings;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float room = std::clamp(display.x - style.px(kSettingsWidth + 96), style.px(120), style.px(520));
  const float width = style.px(kSettingsWidth + 16) + room;
  const PathDialog& text = *find_path_dialog(Dialog::animation);
  const PathFieldResult field = path_field(state.dialog, text.hint.c_str(), width, endings_of(text));
  bool confirmed = field.entered;
  if (std::exchange(state.dialog.browsed, false) || field.edited) {
    if (const auto typed = animation_format(state.dialog.path)) settings.format = *typed;
  }
  ImGui::BeginGroup();
  subject_row(style, shown, settings);
  const Sweepable* const thing = chosen(shown, settings);
  if (!settings.lesson && thing != nullptr) value_rows(style, *thing, settings);
  rate_row(style, shown, settings);
  format_row(style, shown, state);
  size_rows(style, settings.page, shown.figure, "dpi");
  look_rows(style, settings.page);
  row_label(style, "");
  ImGui::Checkbox("caption below", &settings.note);
  ImGui::EndGroup();
  const float height = ImGui::GetItemRectSize().y;
  ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + style.px(kSettingsWidth + 16));
  frame_preview(style, shown, settings, ImVec2(room, height));
  const std::string wrong = trouble_of(shown, settings);
  const std::string& trouble = wrong.empty() ? state.dialog.error : wrong;
  clipped_text(trouble.empty() ? length_text(shown, settings) : trouble, width,
               color(trouble.empty() ? style.palette.dim : Rgb{0xE6, 0x9F, 0x00}));
  const bool replaces = question_row(state);
  ImGui::BeginDisabled(wrong.empty() && shown.animation == nullptr);
  if (ImGui::Button(replaces ? "Replace" : "Write")) confirmed = true;
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) state.dialog.open = Dialog::none;
  if (enter_confirms()) confirmed = true;
  if (confirmed && !wrong.empty()) state.dialog.error = wrong;
  return confirmed && wrong.empty() && shown.animation != nullptr ? AnimationAnswer::write : AnimationAnswer::none;
}

}  // namespace attnscope::ui
