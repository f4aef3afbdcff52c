// Builds figures in the background.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/latest_job.h"
#include "core/base/stop.h"
#include "figure/views/view.h"
#include "io/figures/fitted_figure.h"

namespace attnscope {

/// What a figure is built from.
struct FigureRequest {
  std::shared_ptr<const Trace> trace;  // owned: a later trace must not get its address
  std::uint64_t trace_number = 0;      ///< chosen by the caller
  ViewChoice view;
  double width = 0;  ///< available, logical pixels
  double height = 0;
  std::shared_ptr<const Trace> pinned = nullptr;  ///< the baseline, or null
  std::optional<FigureFileOptions> file = {};     ///< for a file, instead of the size; in range
  std::vector<std::string> tensors = {};          ///< see ViewOptions; empty: all

  friend bool operator==(const FigureRequest&, const FigureRequest&) = default;
};

struct BuiltFigure {
  FigureRequest request;
  Figure figure;
  double seconds = 0;                                      ///< that building took
  std::optional<SmallerType> smaller_type = std::nullopt;  ///< of a figure for a file
  std::optional<FigureFileOptions> file = std::nullopt;    ///< of a figure for a file: with the sizes of its preset
  std::string refusal = {};  ///< why it does not fit into its preset, which the figure says too; empty: it does
};

/// Builds the figure in this thread; a stopped one is unfinished. `request.view` has been checked. `progress`: see
/// ViewOptions.
Figure build(const FigureRequest& request, const StopToken& stop = {}, ViewCache* cache = nullptr,
             std::function<void(double)> progress = {});

/// The figure for the file of `request`, in this thread. Fails where it does not fit into its preset.
Result<FittedFigure> build_for_file(const FigureRequest& request, const StopToken& stop = {},
                                    ViewCache* cache = nullptr);

/// Fails where the trace lacks the layer, head, batch item or page that the view shows, or the view has nothing to
/// show. `options` come from `view_options`.
Result<void> check_view(const Trace& trace, const std::string& view, const ViewOptions& options);

/// A thread that builds one figure after the other. The newest request wins, but a figure of the wanted view may finish
/// if it takes less than half a second: so the figure follows a drag instead of waiting for its end.
class FigureBuilder {
 public:
  /// `ready` is called from the thread when a figure is done, and when it is some percent further; it must not wait for
  /// the owner.
  /// `longest`: see BackgroundLoop::longest_step. What takes long and can go on later does.
  explicit FigureBuilder(std::function<void()> ready,
                         std::optional<StopClock::duration> longest = BackgroundLoop::longest_step());

  void request(FigureRequest request) { job_.request(std::move(request)); }
  /// Drops all requests.
  void cancel() { job_.cancel(); }
  /// Waits until nothing is left to build, at most that long; whether nothing is.
  bool wait(std::chrono::steady_clock::duration most) { return job_.wait_until_idle(most); }
  /// The newest finished figure, once.
  std::optional<BuiltFigure> take() { return job_.take(); }
  [[nodiscard]] bool busy() const { return job_.busy(); }
  /// The share of the figure under way, from 0 to 1, where that is known; otherwise 0.
  [[nodiscard]] float progress() const { return progress_; }

 private:
  /// Nothing: it goes on in the next step.
  std::optional<BuiltFigure> work_on(const FigureRequest& request, const StopToken& stop);

  std::function<void()> ready_;
  std::optional<StopClock::duration> longest_;
  std::atomic<float> progress_ = 0;
  // Used by the thread only.
  ViewCache cache_;
  bool goes_on_ = false;          // the last step was paused
  const Model* model_ = nullptr;  // of the last figure; only compared
  LatestJob<FigureRequest, BuiltFigure> job_;
};

}  // namespace attnscope
