#include "ui/workbench/workbench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "figure/slices/matrix.h"
#include "io/base/paths.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/panels/widgets.h"
#include "ui/workbench/workbench_areas.h"

namespace attnscope::ui {
namespace {

// Seconds in which matrices reach their new size: short enough that the picture keeps up with a drag.
constexpr double kEaseSeconds = 0.12;
// What takes no longer is waited for: a small part of a frame.
constexpr std::chrono::microseconds kAtOnce{1000};
// Below this size of the picture (logical pixels) it shrinks as a whole, up to the point where letters get hard to
// read.
constexpr double kComfortableWidth = 600;
constexpr double kComfortableHeight = 520;
constexpr double kMaxShrunk = 1.7;

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
  // Loaded once here, so that a font that cannot be read is an error before there is a window full of nothing.
  apply_style(workbench->colors(), options.scale);
  Result<Fonts> fonts = Fonts::load(options.fonts, options.scale);
  if (!fonts) return tl::unexpected(fonts.error());
  workbench->fonts_ = *fonts;
  workbench->fonts_stale_ = false;
  workbench->request_computation();
  return workbench;
}

Workbench::Workbench(ImGuiHost& host, Session session, platform::HeatmapRenderer heatmaps,
                     const WorkbenchOptions& options)
    : host_(host),
      workspace_(
          std::move(session), options.user_folder, options.memory_budget, options.wake ? options.wake : [] {}),
      session_(workspace_.session()),
      theme_(options.theme.value_or(Theme::dark)),
      scale_(options.scale),
      memory_budget_(options.memory_budget),
      font_files_(options.fonts),
      heatmaps_(std::move(heatmaps)),
      patience_(options.patience),
      wake_(options.wake ? options.wake : [] {}),
      lessons_(options.lessons),
      user_folder_(options.user_folder),
      watch_(wake_),
      opener_(wake_, options.memory_budget),
      builder_(wake_),
      worker_(wake_, options.memory_budget) {
  const auto special = [](float value) { return rgba(*special_color(value)); };
  heatmaps_.set_special_colors({special(NAN), special(INFINITY), special(-INFINITY)});
  batch_.renderer = &heatmaps_;
  ReadUserState read = read_user_state(user_folder_);
  user_state_ = std::move(read.state);
  if (!options.theme) theme_ = user_state_.theme;
  if (!read.notice.empty()) say(read.notice, true);
}

void Workbench::set_scale(float scale) {
  if (scale == scale_) return;
  scale_ = scale;
  fonts_stale_ = true;
}

void Workbench::prepare() {
  heatmaps_.begin_frame();
  if (fonts_stale_) {
    apply_style(colors(), scale_);
    if (Result<Fonts> fonts = Fonts::load(font_files_, scale_)) fonts_ = *fonts;
    host_.refresh_fonts();
    fonts_stale_ = false;
  }
}

void Workbench::take_results() {
  if (auto result = worker_.take_result()) {
    if (*result) {
      take_computed(std::move(**result));
    } else {
      to_pin_.reset();
      say(result->error().message, true);
    }
  }
  take_animation();
  take_written_figure();
  if (auto comparison = worker_.take_comparison()) comparison_ = std::move(*comparison);
  // Labels and views need no computation.
  if (trace_ && trace_->experiment() != session_.experiment() &&
      same_computation(trace_->experiment(), session_.experiment())) {
    trace_ = trace_->for_experiment(session_.experiment());
  }
}

void Workbench::take_computed(std::shared_ptr<const Trace> trace) {
  if (to_pin_ && same_computation(trace->experiment(), *to_pin_)) {
    pinned_ = std::move(trace);
    to_pin_.reset();
    requested_ = trace_ ? std::optional(trace_->experiment()) : std::nullopt;
    return;
  }
  trace_ = std::move(trace);
  ++trace_number_;
}

void Workbench::frame() {
  prepare();
  take_results();
  take_read();
  follow_files();
  host_.new_frame();
  show_parts();
  // Between frames, so that a slider and its picture move together, and not a frame apart.
  if (!computed_at_once()) return;
  host_.drop_frame();
  take_results();
  host_.new_frame();
  show_parts();
}

bool Workbench::computed_at_once() {
  const bool is_quick = trace_ && trace_->compute_seconds() < std::chrono::duration<double>(kAtOnce).count();
  return std::exchange(requested_now_, false) && is_quick && worker_.wait_for_result(kAtOnce);
}

void Workbench::show_parts() {
  UiIntents requests;
  const Style style = {*fonts_, colors(), scale_};
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(10), style.px(8)));
  backdrop_.clear();
  // The backdrop has the bar's colour already.
  for (const ImGuiCol_ which : {ImGuiCol_WindowBg, ImGuiCol_MenuBarBg}) ImGui::PushStyleColor(which, 0);
  const bool has_menu_bar = ImGui::BeginMainMenuBar();
  ImGui::PopStyleColor(2);
  if (has_menu_bar) {
    const ImVec2 bar = ImGui::GetWindowSize();
    stand_on(colors().panel, {0, 0, static_cast<double>(bar.x), static_cast<double>(bar.y)});
    menu_bar(style, session_.experiment(),
             {workspace_.title(), session_.modified(), session_.can_undo(), session_.can_redo(), theme_ == Theme::dark,
              inspector_shown_, pinned_ != nullptr, trace_ && transient_.pinned, lessons_, session_.lesson(),
              user_state_.recent, can_reload()},
             requests);
    ImGui::EndMainMenuBar();
  }
  const Areas places =
      window_areas(ImGui::GetIO().DisplaySize, scale_, {inspector_shown_, session_.lesson() != nullptr});
  ImGui::PopStyleVar();

  const Point padding = {style.px(16), style.px(14)};
  begin_part("Parameters", places.parameters, 0, colors().panel, padding);
  parameter_panel(style, session_.experiment(), transient_, requests);
  ImGui::End();
  begin_part("Views", places.tabs, ImGuiWindowFlags_NoScrollWithMouse, colors().background, {style.px(16), 0});
  view_tabs(style, session_.experiment(), trace_.get(), requests);
  ImGui::End();
  show_center(style, places, requests);
  update_inspection();
  if (places.has_inspector) {
    begin_part("Inspector", places.inspector, 0, colors().panel, padding);
    inspector_panel(style, inspection_ ? &*inspection_ : nullptr,
                    transient_.pinned.has_value() && transient_.pinned == transient_.inspected(), transient_, requests);
    ImGui::End();
  }
  show_lesson(style, places, requests);
  begin_part("Status", places.status, ImGuiWindowFlags_NoScrollWithMouse, colors().panel, {style.px(16), 0});
  const Performance performance = {trace_ ? trace_->compute_seconds() : 0,
                                   frame_seconds_,
                                   trace_ ? trace_->resident_bytes() : 0,
                                   worker_.busy(),
                                   worker_.progress(),
                                   drawn_,
                                   writing_text(),
                                   figure_writing_.has_value(),
                                   is_building()};
  status_bar(style, trace_.get(), performance, transient_, requests);
  ImGui::End();
  const std::optional<ExportShown> exported = update_preview();
  const std::optional<AnimationShown> animated = update_animation();
  const std::optional<DialogResult> dialog =
      dialogs(style, exported ? &*exported : nullptr, animated ? &*animated : nullptr, transient_);
  shortcuts(requests);
  apply(requests);
  if (dialog) carry_out(*dialog);
}

double Workbench::drawn_share() const {
  const std::vector<HeatmapMark>& heatmaps = figure().heatmaps;
  if (!heatmaps_.loading() || heatmaps.empty()) return 1;
  double share = 0;
  for (const HeatmapMark& mark : heatmaps) share += mark.source->progress();
  return share / static_cast<double>(heatmaps.size());
}

void Workbench::finish(double frame_seconds) {
  heatmaps_.end_frame();
  drawn_ = drawn_share();
  frame_seconds_ = frame_seconds;
  keep_unsaved();
}

void Workbench::show_center(const Style& style, const Areas& places, UiIntents& requests) {
  begin_part("Figure", places.center, ImGuiWindowFlags_NoScrollWithMouse, colors().background,
             {style.px(16), style.px(10)});
  if (!trace_) {
    ImGui::TextDisabled("Computing…");
    ImGui::End();
    return;
  }
  // What lights up belongs to this trace: in the last one the tensors may have had other axes.
  update_inspection();
  const ViewOptions options = *view_options(trace_->experiment().view);
  if (has_option_row(*trace_, options)) view_option_row(style, *trace_, options, transient_, requests);
  ImGui::SetCursorPosX(0);
  const ImVec2 at = ImGui::GetCursorPos();
  const auto unit = static_cast<double>(scale_);
  // Whole pixels, which is what ImGui gives: a figure laid out for a part of one more would be shown a little smaller,
  // with its lines and letters between pixels.
  const ImVec2 room = {std::floor(static_cast<float>(places.center.width)),
                       std::floor(static_cast<float>(places.center.height) - at.y)};
  const double width = static_cast<double>(room.x) / unit;
  const double height = static_cast<double>(room.y) / unit;
  // In a small window the figure is laid out for a larger one and shown smaller: letters shrink with the cells.
  const double shrink = std::clamp(std::max(kComfortableWidth / width, kComfortableHeight / height), 1.0, kMaxShrunk);
  update_figure(width * shrink, height * shrink);
  ImGui::BeginChild("picture", room, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (built_for_) {
    // The picture of another view stays until the one that is wanted is there: its options are not the open one's.
    UiIntents ignored;
    const bool stale = built_for_->view.name != session_.experiment().view.name;
    figure_panel(style, luts_,
                 {figure(), *built_for_->trace, built_for_->trace_number, inspection_ ? &*inspection_ : nullptr},
                 batch_, line_layer_, transient_, stale ? ignored : requests);
  } else {
    ImGui::TextDisabled("Building the picture…");
  }
  ImGui::EndChild();
  ImGui::End();
}

void Workbench::update_figure(double width, double height) {
  FigureRequest now = {trace_, trace_number_, trace_->experiment().view, width, height, pinned_};
  if (asked_for_ != now) {
    if (!is_building()) asked_since_ = ImGui::GetTime();
    if (!asked_for_ || asked_for_->view.name != now.view.name) awaits_figure_ = true;
    builder_.request(now);
    asked_for_ = std::move(now);
    // A slider and its picture move together, as long as that takes no longer than a part of a frame.
    if (awaits_figure_) awaits_figure_ = builder_.wait(patience_);
  }
  if (std::optional<BuiltFigure> built = builder_.take(); built && built->request.view.name == asked_for_->view.name) {
    awaits_figure_ = built->seconds < std::chrono::duration<double>(patience_).count();
    show_figure(built->request, std::move(built->figure));
  }
  if (!moving_) return;
  const double share = std::clamp((ImGui::GetTime() - moved_since_) / kEaseSeconds, 0.0, 1.0);
  moving_ = share < 1;
  if (moving_) shown_ = blend(from_, target_, 1 - (1 - share) * (1 - share));
}

bool Workbench::is_building() const {
  constexpr double kNoticed = 0.15;
  return builder_.busy() && ImGui::GetTime() > asked_since_ + kNoticed;
}

void Workbench::show_figure(const FigureRequest& what, Figure figure) {
  // A new size of the window or another view is shown at once; a new size of matrices is moved to.
  const bool same_place = built_for_ && built_for_->width == what.width && built_for_->height == what.height &&
                          built_for_->view.name == what.view.name;
  from_ = std::move(moving_ ? shown_ : target_);
  target_ = std::move(figure);
  share_sources(from_, target_);
  ++figures_built_;
  if (built_for_ && built_for_->view.name != what.view.name) transient_.camera = {};
  built_for_ = what;
  // Of very many marks the way would take longer than the frames that show it.
  constexpr std::size_t kMaxMoving = 3000;
  moving_ = same_place && std::max(mark_count(from_), mark_count(target_)) <= kMaxMoving;
  moved_since_ = ImGui::GetTime();
  if (moving_) {
    shown_ = blend(from_, target_, 0);
  } else {
    from_ = {};
    shown_ = {};
  }
}

void Workbench::update_inspection() {
  const std::optional<NamedCell>& cell = transient_.inspected();
  if (!trace_ || !cell) {
    inspection_.reset();
    return;
  }
  const bool same = inspection_ && inspection_->cell == *cell && inspected_trace_ == trace_;
  if (same && inspected_figure_ == figures_built_) return;
  if (!same) inspection_ = inspect(*trace_, *cell);
  if (inspection_) inspection_->scale = inspected_scale(*trace_, target_, *cell);
  inspected_trace_ = trace_;
  inspected_figure_ = figures_built_;
}

void Workbench::stand_on(Rgb background, const Rect& place) {
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const auto x = static_cast<double>(scale.x);
  const auto y = static_cast<double>(scale.y);
  backdrop_.push_back({{place.x * x, place.y * y, place.right() * x, place.bottom() * y}, rgba(background)});
}

void Workbench::begin_part(const char* name, const Rect& place, int flags, Rgb background, Point padding) {
  stand_on(background, place);
  begin_panel(name, place, flags, ImVec2(static_cast<float>(padding.x), static_cast<float>(padding.y)));
}

bool Workbench::animating() const { return moving_ || batch_.quick || heatmaps_.uploads_waiting(); }

std::string Workbench::window_title() const {
  return workspace_.title() + (session_.modified() ? " (edited)" : "") + " — attnscope";
}

}  // namespace attnscope::ui
