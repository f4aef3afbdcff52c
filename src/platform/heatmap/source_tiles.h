// The textures of matrices that are read in the background. Private to the heatmap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/matrix/matrix_source.h"
#include "platform/gl/gl.h"
#include "platform/heatmap/tile_cache.h"
#include "platform/heatmap/tile_loader.h"

namespace attnscope::platform {

struct SourceTileOptions {
  Index overview_side = 256;
  std::size_t byte_limit = 0;
  double upload_seconds = 0;      ///< per frame
  std::function<void()> arrived;  ///< called from another thread
};

/// A small whole level of a matrix in main memory.
struct Overview {
  MatrixPart part;  ///< all of a level
  std::vector<float> texels;
  bool exact = false;
  std::uint64_t revision = 0;  ///< of an estimate: the source's revision at that time
};

/// R32UI textures of parts of sources. Another thread reads missing parts; one of the next frames uploads them, and
/// they stay until memory is short. Keeps no matrix alive.
class SourceTiles {
 public:
  using Source = std::shared_ptr<const MatrixSource>;

  explicit SourceTiles(SourceTileOptions options);

  void begin_frame();
  /// Uploads parts that were read, until the frame's time for it is over. Uses texture unit 0.
  void upload_arrived();
  void end_frame();

  /// The texture of a part; null, and the part is requested, if there is none yet.
  const Texture* wanted(const Source& source, const MatrixPart& part);
  /// The texture of a part; null if there is none yet.
  const Texture* available(const Source& source, const MatrixPart& part);
  /// The whole matrix: an estimate until it is read; null if there is neither.
  const Overview* overview(const Source& source);
  /// The whole matrix at these levels, not finer than its overview, which must exist. Uses texture unit 0.
  const Texture& whole(const Source& source, int row_level, int column_level);

  /// Whether parts of the last frame are still missing.
  [[nodiscard]] bool loading() const { return !missing_.empty() || uploads_waiting_; }
  /// Whether some of them only wait for the next frame.
  [[nodiscard]] bool uploads_waiting() const { return uploads_waiting_; }
  [[nodiscard]] std::uint64_t uploads() const { return uploads_; }
  [[nodiscard]] double upload_seconds() const { return upload_seconds_; }
  [[nodiscard]] std::size_t textures() const { return tiles_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Tile {
    Texture texture;
    std::uint64_t used_in_frame = 0;
  };
  struct Matrix {
    std::uint64_t number = 0;
    std::weak_ptr<const MatrixSource> source;
    std::unique_ptr<Overview> overview;
  };
  struct Missing {
    TileRequest request;
    std::uint64_t since = 0;  ///< the first frame in which it was missing
  };
  using Tiles = std::unordered_map<TileKey, Tile, TileKeyHash>;

  static TileKey key_of(std::uint64_t matrix, const MatrixPart& part) { return {matrix, {}, part}; }
  Matrix& matrix_of(const Source& source);
  Matrix* find_matrix(std::uint64_t number);
  void guess(Matrix& matrix, const MatrixSource& source) const;
  void ask_for(const Matrix& matrix, const Source& source, const MatrixPart& part, bool patient);
  /// Turns a part that was read into a texture or the overview; false if the matrix is gone.
  bool accept(LoadedTile& tile);
  const Texture& upload(const TileKey& key, const std::vector<float>& texels);
  /// Releases the textures for which `gone(key, tile)` is true.
  template <typename Gone>
  void release(const Gone& gone);
  void keep_to_limit();

  SourceTileOptions options_;
  std::unordered_map<const MatrixSource*, Matrix> matrices_;
  std::uint64_t matrices_seen_ = 0;
  Tiles tiles_;
  std::size_t bytes_ = 0;
  std::deque<LoadedTile> arrived_;
  std::vector<Missing> missing_;         ///< in this frame
  std::vector<Missing> missing_before_;  ///< in the last frame
  bool uploads_waiting_ = false;
  std::uint64_t frame_ = 0;
  std::uint64_t uploads_ = 0;
  double upload_seconds_ = 0;           ///< in this frame
  std::unique_ptr<TileLoader> loader_;  // last: its thread uses the members above
};

}  // namespace attnscope::platform
