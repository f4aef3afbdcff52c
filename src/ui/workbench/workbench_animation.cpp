// The workbench's share in animations: what its dialog shows, and what is being written beside the window.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "figure/slices/selected.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {
namespace {

/// Whether both are frames of one animation.
bool same_animation(const FrameRequest& a, const FrameRequest& b) {
  return a.experiment == b.experiment && a.sweep == b.sweep && a.lesson == b.lesson &&
         a.memory_budget == b.memory_budget;
}

}  // namespace

void Workbench::open_animation(const std::string& stem) {
  AnimationSettings& settings = transient_.animation_settings;
  if (!has_ffmpeg()) settings.format = AnimationFormat::png;
  const std::string name = stem + "-" + session_.experiment().view.name + ".gif";
  open_dialog(Dialog::animation, free_path(path_for_format(name, settings.format)).string());
}

void Workbench::list_things() {
  AnimationPreview& shown = *animated_;
  const FigureRequest now = {trace_, trace_number_, trace_->experiment().view, 0, 0, pinned_};
  if (shown.things_of != now) {
    shown.things_of = now;
    shown.things.clear();
    const Experiment& experiment = trace_->experiment();
    const View& view = *find_view(experiment.view.name);
    const ParameterValues options = view_options(experiment.view)->values;
    for (Sweepable& each : sweepables(experiment)) {
      const bool of_view = each.place == Sweepable::Place::view_option;
      const std::string& name = each.parameter.name;
      if (each.parameter.kind == Parameter::Kind::order || !matters(experiment, each.parameter)) continue;
      if (of_view && view.applies != nullptr && !view.applies(*trace_, options, name)) continue;
      if (each.choices.size() == 1) continue;
      const bool counted = of_view && (counts_the_trace(name) || name == "query" || name == "key");
      std::optional<Index> largest;
      if (counted) largest = option_limit(view, *trace_, name, options);
      if (each.parameter.kind == Parameter::Kind::integer && !each.choices.empty()) largest = std::ssize(each.choices);
      shown.things.emplace_back(std::move(each), largest);
    }
  }
  AnimationSettings& settings = transient_.animation_settings;
  const auto called = [&](const std::string& name) {
    return std::ranges::find_if(shown.things, [&](const auto& each) { return each.first.name == name; });
  };
  if (settings.lesson && session_.lesson() != nullptr) return;
  settings.lesson = false;
  if (called(settings.name) != shown.things.end()) return;
  auto usual = called("temperature");
  if (usual == shown.things.end())
    usual = std::ranges::find_if(shown.things, [](const auto& each) { return is_number(each.first); });
  if (usual == shown.things.end()) usual = shown.things.begin();
  if (usual != shown.things.end()) choose_sweep(settings, usual->first, usual->second);
}

std::optional<FrameRequest> Workbench::wanted_frame() const {
  const AnimationSettings& settings = transient_.animation_settings;
  const Result<FigureFileOptions> page = export_options(settings.page);
  if (!page) return std::nullopt;
  FrameRequest wanted;
  wanted.experiment = trace_->experiment();
  if (settings.lesson) wanted.lesson = session_.shared_lesson();
  for (const auto& [thing, largest] : animated_->things) {
    if (!settings.lesson && thing.name == settings.name) wanted.sweep = sweep_text(settings, thing);
  }
  wanted.frame = static_cast<std::size_t>(std::max(1, settings.frame)) - 1;
  wanted.file = *page;
  wanted.note = settings.note;
  wanted.pinned = pinned_;
  wanted.memory_budget = memory_budget_;
  return wanted;
}

std::optional<AnimationShown> Workbench::update_animation() {
  if (transient_.dialog != Dialog::animation || !trace_) {
    animated_.reset();
    return std::nullopt;
  }
  if (!animated_) {
    animated_.emplace(wake_);
    animated_->batch.renderer = &heatmaps_;
    animated_->has_ffmpeg = has_ffmpeg();
  }
  AnimationPreview& shown = *animated_;
  list_things();
  // While something is out of range the last frame stays.
  if (std::optional<FrameRequest> wanted = wanted_frame(); wanted && shown.asked != wanted && !writing_) {
    shown.asked = wanted;
    shown.maker.request(std::move(*wanted));
  }
  if (std::optional<MadeFrame> made = shown.maker.take()) {
    shown.made = std::move(made);
    // In the upper half, where the numbers of traces never come.
    shown.number = ++previews_ << 32U;
  }
  const bool about_this = shown.made && shown.asked && same_animation(shown.made->request, *shown.asked);
  AnimationShown all = {shown.things,
                        session_.lesson(),
                        about_this ? shown.made->animation.get() : nullptr,
                        shown.made && shown.made->request == shown.asked ? shown.made->trouble : "",
                        animation_frame(),
                        shown.number,
                        luts_,
                        shown.batch,
                        shown.lines,
                        shown.has_ffmpeg};
  if (writing_) all.writing = writing_->progress();
  return all;
}

void Workbench::carry_out_animation(const DialogResult& result) {
  if (result.stops) {
    if (writing_) writing_->cancel();
    return;
  }
  if (animation() == nullptr || writing_) return;
  const auto outputs = animation_files(result.path, animation()->size());
  const Result<std::string> question =
      outputs ? workspace_.question_before_writing(*outputs) : tl::unexpected(outputs.error());
  if (asks(question, result.replaces)) return;
  if (const Result<void> begun = write_animation(result.path); !begun) {
    transient_.dialog_error = begun.error().message;
    say(begun.error().message, true);
  }
}

Result<void> Workbench::write_animation(const std::string& path) {
  const AnimationSettings& settings = transient_.animation_settings;
  const Result<FigureFileOptions> page = export_options(settings.page);
  if (!page) return tl::unexpected(page.error());
  const Result<std::optional<double>> rate = rate_of(settings);
  if (!rate) return tl::unexpected(rate.error());
  AnimationTask task = {*animation(), *page};
  if (*rate) task.animation.set_rate(**rate);
  task.note = settings.note;
  if (pinned_ && !settings.lesson && trace_->experiment().view.name == "compare") task.pinned = pinned_->experiment();
  task.outputs = {path};
  task.memory_budget = memory_budget_;
  if (Result<void> possible = check_outputs(task); !possible) return possible;
  transient_.dialog_error.clear();
  writing_name_ = std::filesystem::path(path).filename().string();
  writing_.emplace(std::move(task), wake_);
  return {};
}

void Workbench::take_animation() {
  if (!writing_) return;
  const std::optional<Result<WrittenAnimation>> result = writing_->result();
  if (!result) return;
  const bool stopped = writing_->cancelled();
  writing_.reset();
  if (*result) {
    if (transient_.dialog == Dialog::animation) transient_.dialog = Dialog::none;
    const WrittenAnimation& written = **result;
    const std::size_t more = written.files.size() - 1;
    say("wrote " + written.files.front().string() + (more > 0 ? " and " + std::to_string(more) + " more" : ""), false);
  } else if (stopped) {
    say("stopped: nothing was written", false);
  } else {
    transient_.dialog_error = result->error().message;
    say(result->error().message, true);
  }
}

std::string Workbench::writing_text() const {
  if (figure_writing_) return "writing " + printable(figure_writing_->task.outputs.front().filename().string()) + " …";
  if (!writing_) return {};
  const auto percent = static_cast<int>(writing_->progress().fraction * 100);
  return "writing " + printable(writing_name_) + " " + std::to_string(percent) + " %";
}

}  // namespace attnscope::ui
