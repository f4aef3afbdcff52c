// Reads parts of matrices beside the window. Private to the heatmap.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/background_thread.h"
#include "core/matrix/matrix_source.h"

namespace attnscope::platform {

/// A part of a matrix that is wanted, and who wants it.
struct TileRequest {
  std::uint64_t matrix = 0;  ///< the number that the asker gave it
  MatrixPart part;
  std::weak_ptr<const MatrixSource> source;
  /// Can wait: when something else is wanted, it is stopped and comes after that.
  bool patient = false;

  [[nodiscard]] bool same_tile(const TileRequest& other) const { return matrix == other.matrix && part == other.part; }
};

/// A part of a matrix that was read.
struct LoadedTile {
  std::uint64_t matrix = 0;
  MatrixPart part;
  std::vector<float> texels;  ///< row-major
};

/// One thread that reads one part at a time. It keeps no matrix alive but the one that it reads.
class TileLoader {
 public:
  /// `arrived` is called from the loader's thread when there is something to take where there was nothing before.
  explicit TileLoader(std::function<void()> arrived);
  ~TileLoader();
  TileLoader(const TileLoader&) = delete;
  TileLoader& operator=(const TileLoader&) = delete;

  /// Everything that is wanted now, the most urgent first; takes the place of what was wanted before. What is being
  /// read is stopped when it is not among it. What waits to be taken is not read again.
  void want(std::vector<TileRequest> requests);

  /// What was read since the last call.
  std::vector<LoadedTile> take();

 private:
  void work(const StopToken& ending);
  /// Takes a matrix that is still there off the list, with its request as what is being read; null when there is none.
  std::shared_ptr<const MatrixSource> next();
  /// The first matrix on the list of which there is no sketch yet; null when there is none.
  std::shared_ptr<const MatrixSource> without_sketch() const;
  /// Lets go of the lock, sketches, and has it again.
  void sketch(std::unique_lock<std::mutex>& lock, std::shared_ptr<const MatrixSource> source);

  std::function<void()> arrived_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<TileRequest> wanted_;  ///< the most urgent last
  std::optional<TileRequest> reading_;
  std::weak_ptr<const MatrixSource> sketching_;
  StopSource stop_;  ///< of what is being read
  std::vector<LoadedTile> loaded_;
  BackgroundThread thread_;
};

}  // namespace attnscope::platform
