#include "ui/workbench.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/script.h"
#include "core/text.h"
#include "figure/matrix.h"
#include "io/experiment_file.h"
#include "io/file.h"
#include "io/trace_file.h"
#include "ui/imgui_compat.h"
#include "ui/widgets.h"
#include "ui/workbench_areas.h"

namespace attnscope::ui {
namespace {

// Seconds in which matrices reach their new size: short enough that the picture keeps up with a drag.
constexpr double kEaseSeconds = 0.12;
constexpr double kMessageSeconds = 6;
// Below this size of the picture (logical pixels) it shrinks as a whole, up to the point where letters get hard to
// read.
constexpr double kComfortableWidth = 600;
constexpr double kComfortableHeight = 520;
constexpr double kMostShrunk = 1.7;

}  // namespace

Result<std::unique_ptr<Workbench>> Workbench::create(ImGuiHost& host, Experiment experiment, std::string file,
                                                     const WorkbenchOptions& options) {
  platform::HeatmapOptions heatmap_options;
  heatmap_options.arrived = options.wake;
  Result<platform::HeatmapRenderer> heatmaps =
      platform::HeatmapRenderer::create(options.shader_folder, heatmap_options);
  if (!heatmaps) return tl::unexpected(heatmaps.error());
  Session session(std::move(experiment), std::move(file), options.memory_budget);
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
      session_(std::move(session)),
      theme_(options.theme),
      scale_(options.scale),
      memory_budget_(options.memory_budget),
      font_files_(options.fonts),
      heatmaps_(std::move(heatmaps)),
      lessons_(options.lessons),
      worker_(
          options.wake ? options.wake : [] {}, options.memory_budget) {
  const auto special = [](float value) { return rgba(*special_color(value)); };
  heatmaps_.set_special_colors({special(NAN), special(INFINITY), special(-INFINITY)});
  batch_.renderer = &heatmaps_;
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
  if (auto result = worker_.take_result()) {
    if (*result) {
      trace_ = std::move(**result);
      ++trace_number_;
    } else {
      say(result->error().message, true);
    }
  }
  if (auto comparison = worker_.take_comparison()) comparison_ = std::move(*comparison);
  // Labels and views need no computation.
  if (trace_ && trace_->experiment() != session_.experiment() &&
      same_computation(trace_->experiment(), session_.experiment())) {
    trace_ = trace_->for_experiment(session_.experiment());
  }
}

void Workbench::frame() {
  Requests requests;
  const Style style = {*fonts_, colors(), scale_};
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(10), style.px(8)));
  if (ImGui::BeginMainMenuBar()) {
    menu_bar(style, session_.experiment(),
             {session_.file(), session_.modified(), session_.can_undo(), session_.can_redo(), theme_ == Theme::dark,
              inspector_shown_, lessons_, session_.lesson()},
             requests);
    ImGui::EndMainMenuBar();
  }
  const Areas places =
      window_areas(ImGui::GetIO().DisplaySize, scale_, {inspector_shown_, session_.lesson() != nullptr});
  ImGui::PopStyleVar();

  const Point padding = {style.px(16), style.px(14)};
  backdrop_.clear();
  begin_part("Parameters", places.parameters, 0, colors().panel, padding);
  parameter_panel(style, session_.experiment(), transient_, requests);
  ImGui::End();
  begin_part("Views", places.tabs, ImGuiWindowFlags_NoScrollWithMouse, colors().background, {style.px(16), 0});
  view_tabs(style, session_.experiment(), requests);
  ImGui::End();
  show_center(style, places, requests);
  update_inspection();
  if (places.has_inspector) {
    begin_part("Inspector", places.inspector, 0, colors().panel, padding);
    inspector_panel(style, inspection_ ? &*inspection_ : nullptr,
                    transient_.pinned.has_value() && transient_.pinned == transient_.inspected(), transient_);
    ImGui::End();
  }
  show_lesson(style, places, requests);
  begin_part("Status", places.status, ImGuiWindowFlags_NoScrollWithMouse, colors().panel, {style.px(16), 0});
  const Performance performance = {trace_ ? trace_->compute_seconds() : 0,
                                   frame_seconds_,
                                   trace_ ? trace_->held_bytes() : 0,
                                   worker_.busy(),
                                   worker_.progress(),
                                   drawn_};
  status_bar(style, trace_.get(), performance, transient_, requests);
  ImGui::End();
  const std::optional<DialogResult> dialog = dialogs(style, transient_);
  shortcuts(requests);
  apply(requests);
  if (dialog) carry_out(*dialog);
}

double Workbench::drawn_share() const {
  if (!heatmaps_.loading() || shown_.heatmaps.empty()) return 1;
  double share = 0;
  for (const HeatmapMark& mark : shown_.heatmaps) share += mark.source->progress();
  return share / static_cast<double>(shown_.heatmaps.size());
}

void Workbench::finish(double frame_seconds) {
  heatmaps_.end_frame();
  drawn_ = drawn_share();
  frame_seconds_ = frame_seconds;
}

void Workbench::show_center(const Style& style, const Areas& places, Requests& requests) {
  begin_part("Figure", places.center, ImGuiWindowFlags_NoScrollWithMouse, colors().background,
             {style.px(16), style.px(10)});
  if (!trace_) {
    ImGui::TextDisabled("Computing…");
    ImGui::End();
    return;
  }
  // What lights up belongs to this trace: in the last one the tensors may have had other axes.
  update_inspection();
  if (has_option_row(*trace_, trace_->experiment().view.name)) {
    view_option_row(style, *trace_, current_options(0, 0), transient_, requests);
  }
  ImGui::SetCursorPosX(0);
  const ImVec2 at = ImGui::GetCursorPos();
  const auto unit = static_cast<double>(scale_);
  const double width = places.center.width / unit;
  const double height = (places.center.height - static_cast<double>(at.y)) / unit;
  // In a small window the figure is laid out for a larger one and shown smaller: letters shrink with the cells.
  const double shrink = std::clamp(std::max(kComfortableWidth / width, kComfortableHeight / height), 1.0, kMostShrunk);
  update_figure(width * shrink, height * shrink);
  ImGui::BeginChild("picture",
                    ImVec2(static_cast<float>(places.center.width), static_cast<float>(places.center.height) - at.y),
                    false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  figure_panel(style, luts_, {shown_, *trace_, trace_number_, inspection_ ? &*inspection_ : nullptr}, batch_,
               transient_);
  ImGui::EndChild();
  ImGui::End();
}

ViewOptions Workbench::current_options(double width, double height) const {
  ViewOptions options = *view_options(trace_->experiment().view);
  options.width = width;
  options.height = height;
  return options;
}

void Workbench::update_figure(double width, double height) {
  const BuiltFor now = {trace_, trace_->experiment().view, width, height};
  const double time = ImGui::GetTime();
  if (built_for_ != now) {
    // A new size of the window or another view is shown at once; a new size of matrices is moved to.
    const bool same_place = built_for_ && built_for_->width == width && built_for_->height == height &&
                            built_for_->view.name == now.view.name;
    from_ = shown_;
    target_ = build_view(now.view.name, *trace_, current_options(width, height));
    share_sources(from_, target_);
    ++figures_built_;
    if (built_for_ && built_for_->view.name != now.view.name) transient_.camera = {};
    built_for_ = now;
    moving_ = same_place;
    moved_since_ = time;
    if (!moving_) shown_ = target_;
  }
  if (!moving_) return;
  const double share = std::clamp((time - moved_since_) / kEaseSeconds, 0.0, 1.0);
  moving_ = share < 1;
  shown_ = moving_ ? blend(from_, target_, 1 - (1 - share) * (1 - share)) : target_;
}

void Workbench::update_inspection() {
  const std::optional<NamedCell>& cell = transient_.inspected();
  if (!trace_ || !cell) {
    inspection_.reset();
    return;
  }
  if (inspection_ && inspection_->cell == *cell && inspected_trace_ == trace_) return;
  inspection_ = inspect(*trace_, *cell);
  inspected_trace_ = trace_;
}

void Workbench::begin_part(const char* name, const Rect& place, int flags, Rgb background, Point padding) {
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const auto x = static_cast<double>(scale.x);
  const auto y = static_cast<double>(scale.y);
  backdrop_.push_back({{place.x * x, place.y * y, place.right() * x, place.bottom() * y}, rgba(background)});
  begin_panel(name, place, flags, ImVec2(static_cast<float>(padding.x), static_cast<float>(padding.y)));
}

void Workbench::shortcuts(Requests& requests) {
  for (const platform::KeyPress& press : std::exchange(presses_, {})) shortcut(press, requests);
}

namespace {

/// Whether a menu or a list is open, whose business Escape is.
bool menu_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel); }

}  // namespace

void Workbench::shortcut(const platform::KeyPress& press, Requests& requests) {
  // Letters belong to a text field while it has them, and to nobody while a dialog is open.
  const bool typing = ImGui::GetIO().WantTextInput;
  const auto command = [&](Command which) { requests.commands.push_back(which); };
  if (press.control) {
    switch (press.key) {
      case 'Q': command(Command::quit); break;
      case 'O': command(Command::open); break;
      case 'S': command(press.shift ? Command::save_as : Command::save); break;
      case 'E': command(press.shift ? Command::export_trace : Command::export_figure); break;
      case 'C':
        if (press.shift) command(Command::copy_script);
        break;
      case 'Z':
        if (!typing) requests.actions.push_back(press.shift ? Action{Redo{}, 0} : Action{Undo{}, 0});
        break;
      case 'Y':
        if (!typing) requests.actions.push_back({Redo{}, 0});
        break;
      default: break;
    }
    return;
  }
  if (press.key == platform::KeyPress::kEscape && transient_.dialog != Dialog::none)
    transient_.dialog = Dialog::none;
  else if (press.key == platform::KeyPress::kEscape && !typing && !menu_open())
    transient_.pinned.reset();
  if (typing || transient_.dialog != Dialog::none || lesson_key(press.key, requests)) return;
  if (press.key == 'F') command(Command::fit_view);
  if (press.key == 'I') command(Command::toggle_inspector);
  if (press.key == '?') command(Command::shortcuts);
  if (press.key < '1' || press.key > '9' || !trace_ || press.key - '0' > head_count(*trace_)) return;
  if (find_parameter(find_view(session_.experiment().view.name)->options, "head") != nullptr) {
    requests.actions.push_back({SetViewOption{"head", Index{press.key - '0'}}, 0});
  }
}

void Workbench::apply(const Requests& requests) {
  for (const Action& action : requests.actions) {
    if (const Result<void> done = session_.apply(action)) {
      pin_for(action.edit);
    } else {
      say(done.error().message, true);
    }
  }
  for (const Command command : requests.commands) carry_out(command);
  request_computation();
}

void Workbench::request_computation() {
  if (!requested_ || !same_computation(*requested_, session_.experiment())) {
    requested_ = session_.experiment();
    worker_.request(*requested_);
  }
  request_comparison();
}

void Workbench::open_dialog(Dialog dialog, const std::string& suggestion) {
  transient_.dialog = dialog;
  transient_.dialog_path = suggestion;
  transient_.dialog_error.clear();
}

void Workbench::carry_out(Command command) {
  const std::string stem = session_.file().empty()
                               ? session_.experiment().system
                               : std::filesystem::path(session_.file()).replace_extension().string();
  switch (command) {
    case Command::quit: quit_ = true; break;
    case Command::open: open_dialog(Dialog::open, session_.file()); break;
    case Command::save:
      if (session_.file().empty()) {
        open_dialog(Dialog::save, stem + ".json");
      } else {
        carry_out(DialogResult{Dialog::save, session_.file()});
      }
      break;
    case Command::save_as: open_dialog(Dialog::save, stem + ".json"); break;
    case Command::export_figure:
      open_dialog(Dialog::export_figure, stem + "-" + session_.experiment().view.name + ".pdf");
      break;
    case Command::export_trace: open_dialog(Dialog::export_trace, stem + ".safetensors"); break;
    case Command::copy_script:
      ImGui::SetClipboardText(pytorch_script(session_.experiment()).c_str());
      say("copied the experiment as a PyTorch script", false);
      break;
    case Command::theme_dark:
    case Command::theme_light:
      theme_ = command == Command::theme_dark ? Theme::dark : Theme::light;
      apply_style(colors(), scale_);
      break;
    case Command::toggle_inspector: inspector_shown_ = !inspector_shown_; break;
    case Command::fit_view: transient_.camera = {}; break;
    case Command::shortcuts: open_dialog(Dialog::shortcuts, {}); break;
    case Command::about: open_dialog(Dialog::about, {}); break;
    case Command::cancel: worker_.cancel(); break;
  }
}

void Workbench::carry_out(const DialogResult& result) {
  Result<void> done;
  if (result.dialog == Dialog::open) {
    Result<Experiment> experiment = read_experiment(result.path);
    if (experiment) {
      const Result<ViewOptions> view = view_options(experiment->view);
      if (!view) experiment = fail(result.path + ": " + view.error().message);
    }
    if (experiment) {
      if (const Result<void> valid = validate(*experiment, memory_budget_); !valid)
        experiment = fail(result.path + ": " + valid.error().message);
    }
    if (experiment) {
      session_.open(std::move(*experiment), result.path);
    } else {
      done = tl::unexpected(experiment.error());
    }
  } else if (result.dialog == Dialog::save) {
    done = write_file(result.path, experiment_json(session_.experiment()));
    if (done) session_.mark_saved(result.path);
  } else if (!trace_) {
    done = fail("nothing is computed yet that could be exported");
  } else if (result.dialog == Dialog::export_figure) {
    const FigureFileOptions options;
    done =
        write_figure(build_view(trace_->experiment().view.name, *trace_, current_options(options.width_inches * 96, 0)),
                     options, result.path);
  } else if (result.dialog == Dialog::export_trace) {
    done = write_trace(*trace_, result.path);
  }
  if (!done) {
    transient_.dialog_error = done.error().message;
    say(done.error().message, true);
    return;
  }
  transient_.dialog = Dialog::none;
  say((result.dialog == Dialog::open ? "opened " : "wrote ") + result.path, false);
  request_computation();
}

void Workbench::open_file(const std::string& path) { carry_out(DialogResult{Dialog::open, path}); }

void Workbench::say(const std::string& message, bool is_error) {
  transient_.message = message;
  transient_.message_is_error = is_error;
  transient_.message_until = ImGui::GetTime() + kMessageSeconds;
}

bool Workbench::animating() const { return moving_ || batch_.quick || heatmaps_.uploads_waiting(); }

std::string Workbench::window_title() const {
  const std::string name = session_.file().empty() ? session_.experiment().system
                                                   : std::filesystem::path(session_.file()).filename().string();
  return name + (session_.modified() ? " (edited)" : "") + " — attnscope";
}

}  // namespace attnscope::ui
