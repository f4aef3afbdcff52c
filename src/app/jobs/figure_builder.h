// Builds figures beside the window.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

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
Figure build(const FigureRequest& request, const std::stop_token& stop = {}, ViewCache* cache = nullptr);

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
  ~FigureBuilder();
  FigureBuilder(const FigureBuilder&) = delete;
  FigureBuilder& operator=(const FigureBuilder&) = delete;

  void request(FigureRequest request);
  /// Nothing that was asked for is wanted any more.
  void cancel();
  /// Waits until nothing is to be built any more, no longer than `most`; whether it has come to that.
  bool wait(std::chrono::steady_clock::duration most);
  /// The newest finished figure, once.
  std::optional<BuiltFigure> take();
  [[nodiscard]] bool busy() const;

 private:
  void work(const std::stop_token& ending);
  /// Stops what has had its time while something newer waits.
  void hurry(const std::stop_token& ending);

  std::function<void()> ready_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any overdue_;
  std::condition_variable_any idle_;
  std::optional<FigureRequest> waiting_;
  std::optional<std::stop_source> running_;
  std::string running_view_;
  std::uint64_t started_ = 0;  ///< how many
  std::chrono::steady_clock::time_point running_since_;
  std::optional<BuiltFigure> done_;
  ViewCache cache_;      // the working thread's alone
  std::jthread thread_;  // last: they use what stands above
  std::jthread hurrying_;
};

}  // namespace attnscope
