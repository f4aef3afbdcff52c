#include "ui/workbench/workbench.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "figure/slices/found_heads.h"
#include "figure/slices/moments.h"
#include "io/base/paths.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/panels/text_panel.h"
#include "ui/panels/widgets.h"
#include "ui/parts/cell_commands.h"

namespace attnscope::ui {
namespace {

// A lower figure has no line above it.
constexpr double kLowestUnderFormula = 150;

std::function<void()> wake_of(const WorkbenchOptions& options) {
  return options.wake ? options.wake : [] {};
}

}  // namespace

Result<std::unique_ptr<Workbench>> Workbench::create(ImGuiHost& host, Experiment experiment, const std::string& file,
                                                     const WorkbenchOptions& options, std::string version) {
  platform::HeatmapOptions heatmap_options;
  heatmap_options.arrived = options.wake;
  Result<platform::HeatmapRenderer> heatmaps =
      platform::HeatmapRenderer::create(options.shader_folder, heatmap_options);
  if (!heatmaps) return tl::unexpected(heatmaps.error());
  Session session(std::move(experiment), file.empty() ? file : absolute_path(file), options.memory_budget,
                  std::move(version));
  std::unique_ptr<Workbench> workbench(new Workbench(host, std::move(session), std::move(*heatmaps), options));
  if (Result<void> loaded = workbench->look_.load(); !loaded) return tl::unexpected(loaded.error());
  if (!file.empty()) workbench->remembered_.add_recent(file);
  workbench->request_computation();
  return workbench;
}

Workbench::Workbench(ImGuiHost& host, Session session, platform::HeatmapRenderer heatmaps,
                     const WorkbenchOptions& options)
    : host_(host),
      workspace_(std::move(session), options.user_folder, options.memory_budget, wake_of(options)),
      remembered_(options.user_folder),
      look_(options.theme.value_or(remembered_.state().theme), options.scale, options.fonts),
      heatmaps_(std::move(heatmaps)),
      traces_(wake_of(options), options.memory_budget),
      shared_{state_, workspace_, traces_, heatmaps_, luts_, wake_of(options), options.patience, options.memory_budget},
      shown_figure_(shared_, remembered_),
      exports_{FigureExport(shared_), TensorExport(shared_), AnimationExport(shared_)},
      lesson_(shared_, remembered_, options.lessons),
      start_(shared_, remembered_),
      watch_(shared_.wake),
      documents_(shared_, remembered_, watch_),
      files_(shared_, documents_, remembered_, watch_),
      models_(bundled_models()),
      file_dialogs_(shared_, options.file_dialog, options.parent_window) {
  const auto special = [](float value) { return rgba(*special_color(value)); };
  heatmaps_.set_special_colors({special(NAN), special(INFINITY), special(-INFINITY)});
  if (!remembered_.notice().empty()) state_.say(remembered_.notice(), true);
}

bool Workbench::busy() const {
  return traces_.busy() || files_.busy() || shown_figure_.busy() || exports_.figure.busy() || exports_.tensor.busy() ||
         exports_.animation.busy() || lesson_.is_reading() || look_.lacks_characters();
}

void Workbench::take_results() {
  if (const Result<void> taken = traces_.take(shown_figure_.playback().shown()); !taken)
    state_.say(taken.error().message, true);
  exports_.animation.take_written();
  exports_.figure.take_written();
  exports_.tensor.take_written();
  lesson_.take_comparison();
  lesson_.take_lessons();
}

void Workbench::request_computation() {
  traces_.request(session().experiment());
  lesson_.request_comparison();
}

void Workbench::frame() {
  heatmaps_.begin_frame();
  look_.set_size(window_size());
  look_.refresh(host_);
  shown_figure_.playback().update();
  take_results();
  files_.take();
  open_read_lesson();
  files_.follow();
  request_computation();
  navigation_.begin(parts_.panels());
  host_.new_frame();
  navigation_.frame_began();
  show_parts();
  // A slider and its figure move together, not a frame apart: numbers that are computed at once belong to this frame. So
  // do letters that the fonts were not loaded with.
  if (!traces_.computed_at_once() && !look_.lacks_characters()) return;
  host_.drop_frame();
  look_.refresh(host_);
  take_results();
  host_.new_frame();
  show_parts();
}

void Workbench::open_read_lesson() {
  std::optional<OpenFiles::ReadLesson> read = files_.take_lesson();
  if (!read) return;
  const auto open = [this, read = std::move(*read)] {
    apply(Action{OpenLesson{read.lesson}, 0});
    files_.opened(read);
  };
  if (workspace_.may_leave_lesson()) return open();
  documents_.leave({open, true});
}

void Workbench::finish(double frame_seconds) {
  heatmaps_.end_frame();
  shown_figure_.finish();
  frame_seconds_ = frame_seconds;
  documents_.finish_frame(shown_figure_.shows(traces_.trace()) &&
                          same_computation(trace()->experiment(), session().experiment()));
}

void Workbench::show_parts() {
  UiIntents intents;
  const Style style = look_.style();
  parts_.clear();
  lesson_.follow_language();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(10), style.px(8)));
  show_menu_bar(style, intents);
  const Areas areas = areas_of_parts(style);
  ImGui::PopStyleVar();

  follow_shown_head(shared_);
  show_parameters(style, areas, intents);
  show_tabs(style, areas, intents);
  show_row(style, areas, intents);
  show_center(style, areas, intents);
  show_inspector(style, areas, intents);
  const bool waits_to_play = shown_figure_.playback().can_play() && !shown_figure_.playback().has_started();
  const bool shows_a_part = state_.camera != Camera{} || shown_figure_.target().is_part;
  const LessonRunner::Beside beside = {shown_, waits_to_play, shows_a_part, inspected_.inspection()};
  lesson_.show(style, areas, beside, parts_, state_, intents);
  show_status(style, areas, intents);
  const std::optional<DialogResult> dialog = show_dialogs(style);
  for (const platform::KeyPress& press : navigation_.take_shortcuts()) shortcut(press, intents);
  apply(intents);
  if (dialog) carry_out(*dialog);
  request_computation();
}

MenuState Workbench::menu_state() const {
  return {lesson_.title(),
          session().modified(),
          session().can_undo(),
          session().can_redo(),
          look_.theme() == Theme::dark,
          shown_,
          traces_.baseline() != nullptr,
          trace() != nullptr && state_.pinned,
          lesson_.lessons(),
          session().lesson(),
          remembered_.state().recent,
          files_.can_reload(),
          models_,
          trace() != nullptr && can_find_heads(*trace()),
          shown_figure_.playback().can_play(),
          lesson_.is_reading(),
          remembered_.state().language};
}

void Workbench::show_menu_bar(const Style& style, UiIntents& intents) {
  // The backdrop has the bar's colour already.
  for (const ImGuiCol_ which : {ImGuiCol_WindowBg, ImGuiCol_MenuBarBg}) ImGui::PushStyleColor(which, 0);
  const bool visible = ImGui::BeginMainMenuBar();
  ImGui::PopStyleColor(2);
  if (!visible) return;
  const ImVec2 bar = ImGui::GetWindowSize();
  parts_.add(colors().panel, {0, 0, static_cast<double>(bar.x), static_cast<double>(bar.y)});
  menu_bar(style, session().experiment(), menu_state(), navigation_.take_menu(), intents);
  ImGui::EndMainMenuBar();
}

Areas Workbench::areas_of_parts(const Style& style) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  std::optional<double> needed = lesson_.height(style, width_of_lesson(display, style.scale, shown_));
  if (needed) *needed /= static_cast<double>(style.scale);
  const auto beside = static_cast<float>(width_of_presented(display, style.scale));
  return window_areas(display, style.scale,
                      {shown_, session().lesson() != nullptr, state_.pinned.has_value(), needed, row_height(),
                       status_lines(style, trace(), state_, beside, style.px(16))});
}

void Workbench::show_parameters(const Style& style, const Areas& areas, UiIntents& intents) {
  if (!areas.has_parameters) return;
  parts_.begin("Parameters", areas.parameters, 0, colors().panel, {style.px(16), style.px(14)});
  parameter_panel(style, session().experiment(), state_, intents);
  ImGui::End();
}

void Workbench::show_tabs(const Style& style, const Areas& areas, UiIntents& intents) {
  if (!areas.has_tabs) return;
  parts_.begin("Views", areas.tabs, ImGuiWindowFlags_NoScrollWithMouse, colors().background, {style.px(16), 0});
  view_tabs(style, session().experiment(), trace(), intents);
  ImGui::End();
}

double Workbench::row_height() const {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float scale = look_.style().scale;
  if (text_count(session().experiment()) > 0)
    return text_panel_height(static_cast<double>(display.y) / static_cast<double>(scale));
  return shown_.presenting ? 0 : start_.height(is_upright(display, scale));
}

void Workbench::show_row(const Style& style, const Areas& areas, UiIntents& intents) {
  const bool has_text = areas.has_row && text_count(session().experiment()) > 0;
  if (!has_text) state_.text_boxes.focus = state_.text_boxes.cursor_to_end = false;
  if (!areas.has_row) return;
  if (!has_text) return start_.show(style, areas, parts_, menu_state(), intents);
  parts_.begin("Text", areas.row, ImGuiWindowFlags_NoScrollWithMouse, colors().panel, {style.px(16), style.px(8)});
  text_panel(style, session().experiment(), offered_words_.of(traces_.trace(), session().experiment()), state_,
             intents);
  ImGui::End();
}

void Workbench::show_center(const Style& style, const Areas& areas, UiIntents& intents) {
  parts_.begin("Figure", areas.center, ImGuiWindowFlags_NoScrollWithMouse, colors().background,
               {style.px(16), style.px(10)});
  if (trace() == nullptr) {
    ImGui::TextDisabled("Computing…");
    ImGui::End();
    return;
  }
  // Highlights belong to this trace: in the last one the tensors may have had other axes.
  inspected_.update(shared_, shown_figure_);
  const ViewOptions options = *view_options(trace()->experiment().view);
  const bool tells_of_options = shown_.presenting && lesson_.tells_of_options();
  const bool has_options = (areas.has_tabs || tells_of_options) && has_option_row(*trace(), options);
  if (has_options) view_option_row(style, *trace(), options, state_, intents);
  const bool plays_presented = shown_.presenting && shown_figure_.playback().has_started();
  if (areas.has_tabs || plays_presented) shown_figure_.playback().controls(style, has_options);
  if (shown_figure_.token_search().is_open()) shown_figure_.token_search().row(style);
  FormulaLine& formula = shown_figure_.formula_line();
  const bool has_formula = ImGui::GetContentRegionAvail().y >= style.px(kFormulaLine + kLowestUnderFormula);
  if (has_formula) {
    formula.show(style, traces_.trace());
  } else {
    formula.leave_out();
  }
  ImGui::SetCursorPosX(0);
  const ImVec2 at = ImGui::GetCursorPos();
  // Whole pixels, as ImGui gives them: a figure laid out for a fraction more would be shown a little smaller, with its
  // lines and letters between pixels.
  const ImVec2 room = {std::floor(static_cast<float>(areas.center.width)),
                       std::floor(static_cast<float>(areas.center.height) - at.y)};
  const auto unit = static_cast<double>(style.scale);
  // Once its computation plays, the step's matrices are not all that is needed.
  const bool plays = chosen_moment(options.values) > 0;
  const Lesson* const lesson = shown_.presenting && !plays ? session().lesson() : nullptr;
  if (shown_.whole_figure_of != session().lesson_step()) shown_.whole_figure_of.reset();
  shown_figure_.present(lesson != nullptr ? &lesson->steps[session().lesson_step()] : nullptr,
                        shown_.whole_figure_of.has_value());
  shown_figure_.present_moment(shown_.presenting && plays && !shown_.whole_figure_of);
  shown_figure_.update(static_cast<double>(room.x) / unit, static_cast<double>(room.y) / unit);
  ImGui::BeginChild("picture", room, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  shown_figure_.panel(style, inspected_.inspection(), intents);
  ImGui::EndChild();
  if (has_formula) formula.paint(style, state_.inspected());
  ImGui::End();
}

void Workbench::show_inspector(const Style& style, const Areas& areas, UiIntents& intents) {
  inspected_.update(shared_, shown_figure_);
  if (!areas.has_inspector) return;
  parts_.begin("Inspector", areas.inspector, 0, colors().panel, {style.px(16), style.px(14)});
  const bool pinned = inspected_.inspection() != nullptr && state_.pinned == state_.inspected();
  inspector_panel(style, inspected_.inspection(), pinned, state_, intents);
  ImGui::End();
}

void Workbench::show_status(const Style& style, const Areas& areas, UiIntents& intents) {
  parts_.begin("Status", areas.status, ImGuiWindowFlags_NoScrollWithMouse, colors().panel, {style.px(16), 0});
  std::string written = exports_.figure.writing_text();
  if (written.empty()) written = exports_.tensor.writing_text();
  const bool stops_at_once = !written.empty();
  if (written.empty()) written = exports_.animation.writing_text();
  const Performance performance = {trace() != nullptr ? trace()->compute_seconds() : 0,
                                   frame_seconds_,
                                   trace() != nullptr ? trace()->resident_bytes() : 0,
                                   traces_.worker().busy(),
                                   traces_.worker().progress(),
                                   shown_figure_.drawn(),
                                   written,
                                   stops_at_once,
                                   shown_figure_.is_building(),
                                   shown_figure_.built_share()};
  status_bar(style, trace(), performance, state_, shown_.presenting, intents);
  ImGui::End();
}

std::optional<DialogResult> Workbench::show_dialogs(const Style& style) {
  std::optional<DialogResult> chosen = file_dialogs_.update();
  const std::optional<ExportShown> exported = exports_.figure.update();
  const std::optional<AnimationShown> animated = exports_.animation.update();
  std::optional<DialogResult> answered =
      dialogs(style, exported ? &*exported : nullptr, animated ? &*animated : nullptr, state_);
  return chosen ? chosen : answered;
}

std::string Workbench::window_title() const {
  return lesson_.title() + (session().modified() ? " (edited)" : "") + " — attnscope";
}

}  // namespace attnscope::ui
