// Builds figures beside the window.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "app/jobs/latest_job.h"
#include "core/base/stop.h"
#include "figure/views/view.h"
#include "io/figures/figure_file.h"

namespace attnscope {

/// What a figure is built of.
struct FigureRequest {
  std::shared_ptr<const Trace> trace;  // not its address alone, which a later one may have
  std::uint64_t trace_number = 0;      ///< the caller's own
  ViewChoice view;
  double width = 0;  ///< logical pixels there are for it
  double height = 0;
  std::shared_ptr<const Trace> pinned = nullptr;  ///< to compare with; may be null
  std::optional<FigureFileOptions> file = {};     ///< in place of the size: as a file has it; in range

  friend bool operator==(const FigureRequest&, const FigureRequest&) = default;
};

struct BuiltFigure {
  FigureRequest request;
  Figure figure;
  double seconds = 0;  ///< that it took
};

/// Builds it here and now; unfinished where it is stopped. `request.view` has been checked.
Figure build(const FigureRequest& request, const StopToken& stop = {}, ViewCache* cache = nullptr);

/// Whether the layer, the head, the batch item and the page that a view shows are there, and it has something to show
/// at all; `options` as `view_options` made them.
Result<void> check_view(const Trace& trace, const std::string& view, const ViewOptions& options);

/// A thread that builds one figure after the other. The newest request wins. What takes less than half a second is let
/// finish all the same where it is of the view that is wanted, so that the picture moves during a drag instead of
/// waiting for its end.
class FigureBuilder {
 public:
  /// `ready` is called from the thread when a figure is done; it must not wait for the owner.
  explicit FigureBuilder(std::function<void()> ready);

  void request(FigureRequest request) { job_.request(std::move(request)); }
  /// Nothing that was asked for is wanted any more.
  void cancel() { job_.cancel(); }
  /// Waits until nothing is to be built any more, no longer than `most`; whether it has come to that.
  bool wait(std::chrono::steady_clock::duration most) { return job_.wait_until_idle(most); }
  /// The newest finished figure, once.
  std::optional<BuiltFigure> take() { return job_.take(); }
  [[nodiscard]] bool busy() const { return job_.busy(); }

 private:
  ViewCache cache_;  // the working thread's alone
  LatestJob<FigureRequest, BuiltFigure> job_;
};

}  // namespace attnscope
