// Reads parts of matrices in the background. Private to the heatmap.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/background_loop.h"
#include "core/base/stop.h"
#include "core/matrix/matrix_source.h"

namespace attnscope::platform {

/// A requested part of a matrix.
struct TileRequest {
  std::uint64_t matrix = 0;  ///< the requester's number for the matrix
  MatrixPart part;
  std::weak_ptr<const MatrixSource> source;
  /// Low priority: other requests interrupt it, and it resumes after them.
  bool patient = false;

  [[nodiscard]] bool same_tile(const TileRequest& other) const { return matrix == other.matrix && part == other.part; }
};

/// A part of a matrix that was read.
struct LoadedTile {
  std::uint64_t matrix = 0;
  MatrixPart part;
  std::vector<float> texels;  ///< row-major
};

/// Reads one part at a time, in the background. Keeps only the matrix alive that it reads.
class TileLoader {
 public:
  /// `arrived` is called from the background loop when the first result becomes available. A read that takes longer than
  /// `longest` is stopped, and goes on in the loop's next step.
  explicit TileLoader(std::function<void()> arrived,
                      std::optional<StopClock::duration> longest = BackgroundLoop::longest_step());
  ~TileLoader();
  TileLoader(const TileLoader&) = delete;
  TileLoader& operator=(const TileLoader&) = delete;

  /// Replaces all requests, the most urgent first. Stops the current read unless it is still requested. Parts that wait
  /// to be taken are not read again.
  void want(std::vector<TileRequest> requests);

  /// The parts read since the last call.
  std::vector<LoadedTile> take();

 private:
  BackgroundLoop::Rest step();
  /// Removes the next request whose matrix still exists and makes it the current one; null if there is none.
  std::shared_ptr<const MatrixSource> next();
  /// The first requested matrix without a sketch; null if there is none.
  std::shared_ptr<const MatrixSource> without_sketch() const;
  /// Computes a sketch with the lock released.
  void sketch(std::unique_lock<std::mutex>& lock, std::shared_ptr<const MatrixSource> source);

  /// Reads the tile until it is complete or stopped, with the lock released; whether it is complete.
  bool read(std::unique_lock<std::mutex>& lock, std::shared_ptr<const MatrixSource> source, LoadedTile& tile);

  std::function<void()> arrived_;
  std::optional<StopClock::duration> longest_;
  std::optional<StopClock::duration> allowed_;  ///< of the next read
  std::mutex mutex_;
  std::vector<TileRequest> wanted_;  ///< the most urgent last
  std::optional<TileRequest> reading_;
  std::weak_ptr<const MatrixSource> sketching_;
  std::weak_ptr<const MatrixSource> too_large_;  ///< the last one for whose sketch there was no memory
  StopSource stop_;                              ///< of the current read
  bool stopped_ = false;                         ///< it is no longer wanted
  std::vector<LoadedTile> loaded_;
  BackgroundLoop loop_;
};

}  // namespace attnscope::platform
