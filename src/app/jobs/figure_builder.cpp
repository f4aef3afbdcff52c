#include "app/jobs/figure_builder.h"

#include <utility>

#include "core/base/stop.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds kTimeToFinish{500};

}  // namespace

Figure build(const FigureRequest& request, const StopToken& stop, ViewCache* cache) {
  ViewOptions options = *view_options(request.view);
  options.stop = stop;
  options.cache = cache;
  options.pinned = request.pinned.get();
  const auto sized = [&](double width, double height) {
    if (stop.stop_requested()) return Figure();
    options.width = width;
    options.height = height;
    return build_view(request.view.name, *request.trace, options);
  };
  return request.file ? figure_for_file(sized, *request.file) : sized(request.width, request.height);
}

Result<void> check_view(const Trace& trace, const std::string& view, const ViewOptions& options) {
  for (const char* name : {"layer", "head", "item", "page"}) {
    const auto chosen = options.values.find(name);
    if (chosen == options.values.end()) continue;
    const Index limit = option_limit(*find_view(view), trace, name, options.values);
    if (std::get<Index>(chosen->second) <= limit) continue;
    const std::string has = name == std::string_view("page") ? "; the view has 1 to " : "; the experiment has 1 to ";
    return fail("view option " + std::string(name) + ": " + value_text(chosen->second) + " is not allowed" + has +
                std::to_string(limit));
  }
  const std::string missing = missing_for(*find_view(view), trace);
  return missing.empty() ? Result<void>() : fail("view " + view + ": " + missing);
}

FigureBuilder::FigureBuilder(std::function<void()> ready)
    : job_({[this](const FigureRequest& request, const StopToken& stop) {
              const StopClock::time_point start = StopClock::now();
              Figure figure = build(request, stop, &cache_);
              const double seconds = std::chrono::duration<double>(StopClock::now() - start).count();
              return BuiltFigure{request, std::move(figure), seconds};
            },
            [](const FigureRequest& running, const FigureRequest& newer) -> std::optional<StopClock::duration> {
              // The user will not see a figure of another view.
              if (running.view.name != newer.view.name) return StopClock::duration::zero();
              return kTimeToFinish;
            },
            std::move(ready)}) {}

}  // namespace attnscope
