// The textures that hold matrices. Private to the heatmap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/matrix/pooling.h"
#include "platform/gl/gl.h"

namespace attnscope::platform {

/// The numbers in a texture: a region of a level of a matrix. `identity` distinguishes data that successively occupies
/// the same address.
struct TileKey {
  std::uint64_t identity = 0;
  MatrixView matrix;
  MatrixPart region;

  friend bool operator==(const TileKey&, const TileKey&) = default;
};

struct TileKeyHash {
  std::size_t operator()(const TileKey& key) const;
};

/// Fills the texture bound to unit 0 with columns × rows float32 numbers, as GL_R32UI; `same_size` if it already has
/// numbers of that size.
void fill_texture(Index columns, Index rows, const float* numbers, bool same_size);

/// R32UI textures with the bits of float32 numbers, one per region, created on first use and released when unused for
/// `kept_frames` frames.
class TileCache {
 public:
  explicit TileCache(int kept_frames) : kept_frames_(kept_frames) {}

  /// The texture with the numbers of `key`; uploads them if necessary. Uses texture unit 0.
  const Texture& texture(const TileKey& key);

  void begin_frame() { ++frame_; }
  void end_frame();

  [[nodiscard]] std::uint64_t uploads() const { return uploads_; }
  [[nodiscard]] std::size_t textures() const { return tiles_.size(); }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Tile {
    Texture texture;
    std::uint64_t used_in_frame = 0;
  };
  using Tiles = std::unordered_map<TileKey, Tile, TileKeyHash>;

  Tiles::iterator reusable(const MatrixPart& region);
  static void upload(const TileKey& key, bool same_size);

  Tiles tiles_;
  int kept_frames_;
  std::uint64_t frame_ = 0;
  std::uint64_t uploads_ = 0;
};

}  // namespace attnscope::platform
