// The textures of matrices that are read beside the window. Private to the heatmap.
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

/// A matrix small enough to have all of it at hand, on the processor's side.
struct Overview {
  MatrixPart part;  ///< all of a level
  std::vector<float> texels;
  bool exact = false;
  std::uint64_t revision = 0;  ///< of a guess: what the source said then
};

/// R32UI textures of parts of sources. A part that is not there is read by another thread, sent to the graphics card in
/// one of the next frames and kept until memory is short. It keeps no matrix alive.
class SourceTiles {
 public:
  using Source = std::shared_ptr<const MatrixSource>;

  explicit SourceTiles(SourceTileOptions options);

  void begin_frame();
  /// Sends what was read to the graphics card until the frame's time for that is over. Uses texture unit 0.
  void upload_arrived();
  void end_frame();

  /// The part's texture if it is there; otherwise null, and the part is asked for.
  const Texture* wanted(const Source& source, const MatrixPart& part);
  /// The part's texture if it is there, otherwise null.
  const Texture* available(const Source& source, const MatrixPart& part);
  /// All of the matrix: a guess until it is read, or null if there is none.
  const Overview* overview(const Source& source);
  /// All of the matrix at these levels, neither below those of its overview, which is there. Uses texture unit 0.
  const Texture& whole(const Source& source, int row_level, int column_level);

  /// Whether anything that the last frame showed is still to come.
  [[nodiscard]] bool loading() const { return !missing_.empty() || uploads_waiting_; }
  /// Whether some of that only waits for the next frame.
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
    std::uint64_t since = 0;  ///< frame in which it was missed first
  };
  using Tiles = std::unordered_map<TileKey, Tile, TileKeyHash>;

  static TileKey key_of(std::uint64_t matrix, const MatrixPart& part) { return {matrix, {}, part}; }
  Matrix& matrix_of(const Source& source);
  Matrix* find_matrix(std::uint64_t number);
  void guess(Matrix& matrix, const MatrixSource& source) const;
  void ask_for(const Matrix& matrix, const Source& source, const MatrixPart& part, bool patient);
  /// Makes a texture of what was read, or the overview; false if the matrix is gone.
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
  std::vector<Missing> missing_before_;  ///< in the last one
  bool uploads_waiting_ = false;
  std::uint64_t frame_ = 0;
  std::uint64_t uploads_ = 0;
  double upload_seconds_ = 0;           ///< in this frame
  std::unique_ptr<TileLoader> loader_;  // last: it calls what stands above
};

}  // namespace attnscope::platform
