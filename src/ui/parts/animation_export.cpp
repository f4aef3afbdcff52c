#include "ui/parts/animation_export.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "figure/slices/selected.h"
#include "io/base/paths.h"
#include "io/base/printable.h"

namespace attnscope::ui {
namespace {

/// Whether both are frames of one animation.
bool same_animation(const FrameRequest& a, const FrameRequest& b) {
  return a.experiment == b.experiment && a.sweep == b.sweep && a.lesson == b.lesson &&
         a.memory_budget == b.memory_budget;
}

/// What can be swept in the open view, each with its largest value where the trace has one.
std::vector<std::pair<Sweepable, std::optional<Index>>> things_to_sweep(const Trace& trace) {
  std::vector<std::pair<Sweepable, std::optional<Index>>> things;
  const Experiment& experiment = trace.experiment();
  const View& view = *find_view(experiment.view.name);
  const ParameterValues options = view_options(experiment.view)->values;
  for (Sweepable& each : sweepables(experiment)) {
    const bool of_view = each.place == Sweepable::Place::view_option;
    const std::string& name = each.parameter.name;
    if (each.parameter.kind == Parameter::Kind::order || !matters(experiment, each.parameter)) continue;
    if (of_view && !option_applies(view, trace, options, name)) continue;
    if (each.choices.size() == 1) continue;
    const bool counted = of_view && counts_the_trace(name);
    std::optional<Index> largest;
    if (counted) largest = option_limit(view, trace, name, options);
    if (each.parameter.kind == Parameter::Kind::integer && !each.choices.empty()) largest = std::ssize(each.choices);
    things.emplace_back(std::move(each), largest);
  }
  return things;
}

}  // namespace

void AnimationExport::open_dialog(const std::string& stem) {
  AnimationSettings& settings = shared_.state.animation_settings;
  if (!has_ffmpeg()) settings.format = AnimationFormat::png;
  const std::string name = stem + "-" + shared_.session().experiment().view.name + ".gif";
  shared_.state.dialog.show(Dialog::animation, free_path(path_for_format(name, settings.format)).string());
}

void AnimationExport::list_things() {
  const FigureRequest now = shared_.traces.figure_request(0, 0);
  if (preview_->things_of == now) return;
  preview_->things_of = now;
  preview_->things = things_to_sweep(*now.trace);
}

void AnimationExport::choose_usual_thing() {
  const auto& things = preview_->things;
  AnimationSettings& settings = shared_.state.animation_settings;
  const auto called = [&](const std::string& name) {
    return std::ranges::find_if(things, [&](const auto& each) { return each.first.name == name; });
  };
  if (settings.lesson && shared_.session().lesson() != nullptr) return;
  settings.lesson = false;
  if (called(settings.name) != things.end()) return;
  auto usual = called("temperature");
  if (usual == things.end())
    usual = std::ranges::find_if(things, [](const auto& each) { return is_number(each.first); });
  if (usual == things.end()) usual = things.begin();
  if (usual != things.end()) choose_sweep(settings, usual->first, usual->second);
}

std::optional<FrameRequest> AnimationExport::wanted_frame() const {
  const AnimationSettings& settings = shared_.state.animation_settings;
  const Result<FigureFileOptions> page = export_options(settings.page);
  if (!page) return std::nullopt;
  FrameRequest wanted;
  wanted.experiment = shared_.traces.trace()->experiment();
  if (settings.lesson) wanted.lesson = shared_.lesson;
  for (const auto& [thing, largest] : preview_->things) {
    if (!settings.lesson && thing.name == settings.name) wanted.sweep = sweep_text(settings, thing);
  }
  wanted.frame = static_cast<std::size_t>(std::max(1, settings.frame)) - 1;
  wanted.file = *page;
  wanted.note = settings.note;
  wanted.pinned = shared_.traces.baseline();
  wanted.memory_budget = shared_.memory_budget;
  return wanted;
}

std::optional<AnimationShown> AnimationExport::update() {
  if (shared_.state.dialog.open != Dialog::animation || !shared_.traces.trace()) {
    preview_.reset();
    return std::nullopt;
  }
  if (!preview_) {
    preview_.emplace(shared_.wake);
    preview_->batch.renderer = &shared_.heatmaps;
    preview_->has_ffmpeg = has_ffmpeg();
  }
  Preview& preview = *preview_;
  list_things();
  choose_usual_thing();
  // While a setting is out of range the last frame stays.
  if (std::optional<FrameRequest> wanted = wanted_frame(); wanted && preview.requested != wanted && !writing_) {
    preview.requested = wanted;
    preview.maker.request(std::move(*wanted));
  }
  if (std::optional<MadeFrame> made = preview.maker.take()) {
    preview.made = std::move(made);
    preview.number = shared_.next_preview();
  }
  const bool current = preview.made && preview.requested && same_animation(preview.made->request, *preview.requested);
  AnimationShown shown = {preview.things,
                          shared_.lesson.get(),
                          current ? preview.made->animation.get() : nullptr,
                          preview.made && preview.made->request == preview.requested ? preview.made->trouble : "",
                          frame(),
                          preview.number,
                          shared_.luts,
                          preview.batch,
                          preview.lines,
                          preview.has_ffmpeg};
  if (writing_) shown.writing = writing_->progress();
  return shown;
}

void AnimationExport::carry_out(const DialogResult& result) {
  if (result.stops) {
    if (writing_) writing_->cancel();
    return;
  }
  if (animation() == nullptr || writing_) return;
  const auto outputs = animation_files(result.path, animation()->size());
  const Result<std::string> question =
      outputs ? shared_.workspace.question_before_writing(*outputs, shared_.state.dialog.agreed)
              : tl::unexpected(outputs.error());
  if (shared_.state.asks(question, result.replaces)) return;
  if (const Result<void> begun = write(result.path); !begun) shared_.state.refuse(begun.error().message);
}

Result<void> AnimationExport::write(const std::string& path) {
  const AnimationSettings& settings = shared_.state.animation_settings;
  const Result<FigureFileOptions> page = export_options(settings.page);
  if (!page) return tl::unexpected(page.error());
  const Result<std::optional<double>> rate = rate_of(settings);
  if (!rate) return tl::unexpected(rate.error());
  AnimationTask task = {*animation(), *page};
  if (*rate) task.animation.set_rate(**rate);
  task.note = settings.note;
  const std::shared_ptr<const Trace>& baseline = shared_.traces.baseline();
  const View& view = *find_view(shared_.traces.trace()->experiment().view.name);
  if (baseline && !settings.lesson && !view.with_baseline.empty()) task.pinned = baseline->experiment();
  task.outputs = {path};
  task.memory_budget = shared_.memory_budget;
  if (Result<void> possible = check_outputs(task); !possible) return possible;
  shared_.state.dialog.error.clear();
  writing_name_ = std::filesystem::path(path).filename().string();
  writing_.emplace(std::move(task), shared_.wake);
  return {};
}

void AnimationExport::take_written() {
  if (!writing_) return;
  const std::optional<Result<WrittenAnimation>> result = writing_->result();
  if (!result) return;
  const bool stopped = writing_->cancelled();
  writing_.reset();
  UiState& state = shared_.state;
  if (*result) {
    if (state.dialog.open == Dialog::animation) state.dialog.open = Dialog::none;
    const WrittenAnimation& written = **result;
    const std::size_t more = written.files.size() - 1;
    state.say("wrote " + written.files.front().string() + (more > 0 ? " and " + std::to_string(more) + " more" : ""),
              false);
  } else if (stopped) {
    state.say("stopped: nothing was written", false);
  } else {
    state.refuse(result->error().message);
  }
}

std::string AnimationExport::writing_text() const {
  if (!writing_) return {};
  const auto percent = static_cast<int>(writing_->progress().fraction * 100);
  return "writing " + printable(writing_name_) + " " + std::to_string(percent) + " %";
}

bool AnimationExport::busy() const { return (preview_ && preview_->maker.busy()) || (writing_ && !writing_->result()); }

}  // namespace attnscope::ui
