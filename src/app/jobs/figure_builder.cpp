#include "app/jobs/figure_builder.h"

#include <new>
#include <utility>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds kTimeToFinish{500};
constexpr float kNoticedShare = 0.02F;

/// Builds the view for any size. What it refers to has to stay; nothing is built once it is stopped.
BuildFigure builder_of(const FigureRequest& request, ViewOptions options) {
  options.for_file = request.file.has_value();
  options.pinned = request.pinned.get();
  options.tensors = request.tensors;
  if (request.file) options.font = request.file->font;
  return [&request, options = std::move(options)](double width, double height) mutable {
    if (options.stop.stop_requested()) return Figure();
    options.width = width;
    options.height = height;
    return build_view(request.view.name, *request.trace, options);
  };
}

ViewOptions options_of(const FigureRequest& request, const StopToken& stop, ViewCache* cache) {
  ViewOptions options = *view_options(request.view);
  options.stop = stop;
  options.cache = cache;
  return options;
}

/// A figure that says in one line why there is none.
BuiltFigure without_figure(const FigureRequest& request, const std::string& why) {
  ViewOptions options;
  options.width = request.file ? 0 : request.width;
  options.height = request.file ? 0 : request.height;
  BuiltFigure refused = {request, reason_figure(capitalized(why) + ".", options)};
  refused.refusal = why;
  return refused;
}

BuiltFigure built_for_file(const FigureRequest& request, const BuildFigure& build) {
  Result<FittedFigure> made = fitted_figure(build, *request.file, request.view.name);
  if (!made) return without_figure(request, made.error().message);
  BuiltFigure built = {request, std::move(made->figure)};
  if (!request.file->preset) built.smaller_type = smaller_type(build, built.figure, *request.file);
  built.file = made->options;
  return built;
}

}  // namespace

Figure build(const FigureRequest& request, const StopToken& stop, ViewCache* cache,
             std::function<void(double)> progress) {
  ViewOptions options = options_of(request, stop, cache);
  options.progress = std::move(progress);
  const BuildFigure build = builder_of(request, std::move(options));
  return request.file ? figure_for_file(build, *request.file) : build(request.width, request.height);
}

Result<FittedFigure> build_for_file(const FigureRequest& request, const StopToken& stop, ViewCache* cache) {
  return fitted_figure(builder_of(request, options_of(request, stop, cache)), *request.file, request.view.name);
}

Result<void> check_view(const Trace& trace, const std::string& name, const ViewOptions& options) {
  const View& view = *find_view(name);
  if (const std::string missing = missing_for(view, trace); !missing.empty())
    return fail("view " + name + ": " + missing);
  return check_options(view, trace, options.values);
}

FigureBuilder::FigureBuilder(std::function<void()> ready, std::optional<StopClock::duration> longest)
    : ready_(ready),
      longest_(longest),
      job_({[this](const FigureRequest& request, const StopToken& stop) { return work_on(request, stop); },
            [](const FigureRequest& running, const FigureRequest& newer) -> std::optional<StopClock::duration> {
              // The user will not see a figure of another view.
              if (running.view.name != newer.view.name) return StopClock::duration::zero();
              return kTimeToFinish;
            },
            std::move(ready)}) {}

std::optional<BuiltFigure> FigureBuilder::work_on(const FigureRequest& request, const StopToken& stop) {
  const StopClock::time_point start = StopClock::now();
  // What was made for another model holds its weights.
  if (const Model* const model = request.trace->experiment().model.get(); model != model_) {
    model_ = model;
    cache_.forget_last();
  }
  if (!goes_on_) progress_ = 0;
  bool paused = false;
  const StopSource pause;
  if (longest_) pause.request_stop_at(start + *longest_);
  ViewOptions options = options_of(request, stop, &cache_);
  options.pause = pause.token();
  options.paused = longest_ ? &paused : nullptr;
  options.progress = [this](double share) {
    if (share < progress_ + kNoticedShare && share < 1) return;
    progress_ = static_cast<float>(share);
    ready_();
  };
  const BuildFigure build = builder_of(request, std::move(options));
  BuiltFigure built;
  try {
    built = request.file ? built_for_file(request, build) : BuiltFigure{request, build(request.width, request.height)};
  } catch (const std::bad_alloc&) {
    built = without_figure(request, "there is not enough memory for this view");
  }
  goes_on_ = paused && !stop.stop_requested();
  if (goes_on_) return std::nullopt;
  progress_ = 0;
  built.seconds = std::chrono::duration<double>(StopClock::now() - start).count();
  return built;
}

}  // namespace attnscope
