#include "app/jobs/figure_builder.h"

#include <utility>

#include "core/base/stop.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds kTimeToFinish{500};
constexpr float kNoticedShare = 0.02F;

/// Builds the view for any size. What it refers to has to stay; nothing is built once it is stopped.
BuildFigure builder_of(const FigureRequest& request, const StopToken& stop, ViewCache* cache,
                       std::function<void(double)> progress) {
  ViewOptions options = *view_options(request.view);
  options.for_file = request.file.has_value();
  options.stop = stop;
  options.cache = cache;
  options.progress = std::move(progress);
  options.pinned = request.pinned.get();
  return [&request, options](double width, double height) mutable {
    if (options.stop.stop_requested()) return Figure();
    options.width = width;
    options.height = height;
    return build_view(request.view.name, *request.trace, options);
  };
}

Figure built_as_asked(const FigureRequest& request, const BuildFigure& build) {
  return request.file ? figure_for_file(build, *request.file) : build(request.width, request.height);
}

}  // namespace

Figure build(const FigureRequest& request, const StopToken& stop, ViewCache* cache,
             std::function<void(double)> progress) {
  return built_as_asked(request, builder_of(request, stop, cache, std::move(progress)));
}

Result<void> check_view(const Trace& trace, const std::string& name, const ViewOptions& options) {
  const View& view = *find_view(name);
  if (Result<void> checked = check_options(view, trace, options.values); !checked) return checked;
  const std::string missing = missing_for(view, trace);
  return missing.empty() ? Result<void>() : fail("view " + name + ": " + missing);
}

FigureBuilder::FigureBuilder(std::function<void()> ready)
    : job_({[this, ready](const FigureRequest& request, const StopToken& stop) {
              const StopClock::time_point start = StopClock::now();
              // What was made for another model holds its weights.
              if (const Model* const model = request.trace->experiment().model.get(); model != model_) {
                model_ = model;
                cache_.forget_last();
              }
              progress_ = 0;
              const BuildFigure build = builder_of(request, stop, &cache_, [&](double share) {
                if (share < progress_ + kNoticedShare && share < 1) return;
                progress_ = static_cast<float>(share);
                ready();
              });
              Figure figure = built_as_asked(request, build);
              std::optional<SmallerType> smaller;
              if (request.file) smaller = smaller_type(build, figure, *request.file);
              progress_ = 0;
              const double seconds = std::chrono::duration<double>(StopClock::now() - start).count();
              return BuiltFigure{request, std::move(figure), seconds, smaller};
            },
            [](const FigureRequest& running, const FigureRequest& newer) -> std::optional<StopClock::duration> {
              // The user will not see a figure of another view.
              if (running.view.name != newer.view.name) return StopClock::duration::zero();
              return kTimeToFinish;
            },
            std::move(ready)}) {}

}  // namespace attnscope
