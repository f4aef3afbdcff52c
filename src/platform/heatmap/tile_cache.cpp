#include "platform/heatmap/tile_cache.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace attnscope::platform {
namespace {

/// Whether OpenGL can read the numbers of the region in place, row by row.
bool readable_in_place(const TileKey& key) {
  const MatrixView& matrix =
      key.matrix;  // its stride becomes a row length, of which 0 would mean "as wide as the texture"
  return key.region.row_level == 0 && key.region.column_level == 0 && matrix.column_stride == 1 &&
         matrix.row_stride >= key.region.columns && matrix.row_stride <= std::numeric_limits<GLint>::max();
}

}  // namespace

std::size_t TileKeyHash::operator()(const TileKey& key) const {
  std::uint64_t hash = std::hash<const float*>{}(key.matrix.data);
  const auto mix = [&hash](auto value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32U;
  };
  mix(key.identity);
  mix(key.matrix.rows);
  mix(key.matrix.columns);
  mix(key.matrix.row_stride);
  mix(key.matrix.column_stride);
  mix(key.region.row_level * 64 + key.region.column_level);
  mix(key.region.first_row);
  mix(key.region.first_column);
  return static_cast<std::size_t>(hash);
}

void fill_texture(Index columns, Index rows, const float* numbers, bool same_size) {
  const auto width = static_cast<GLsizei>(columns);
  const auto height = static_cast<GLsizei>(rows);
  if (same_size) {
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RED_INTEGER, GL_UNSIGNED_INT, numbers);
    return;
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R32UI, width, height, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, numbers);
}

TileCache::Tiles::iterator TileCache::reusable(const MatrixPart& region) {
  // This frame may use the textures of the last one, and drawing that one may not be finished.
  for (auto tile = tiles_.begin(); tile != tiles_.end(); ++tile) {
    const MatrixPart& held = tile->first.region;
    if (held.rows == region.rows && held.columns == region.columns && tile->second.used_in_frame + 2 <= frame_) {
      return tile;
    }
  }
  return tiles_.end();
}

void TileCache::upload(const TileKey& key, bool same_size) {
  const MatrixPart& region = key.region;
  const MatrixView& matrix = key.matrix;
  std::vector<float> pooled;
  const float* numbers =
      matrix.data + region.first_row * matrix.row_stride + region.first_column * matrix.column_stride;
  if (readable_in_place(key)) {
    glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(matrix.row_stride));
  } else {
    pooled.resize(static_cast<std::size_t>(region.rows * region.columns));
    pool_part(matrix, region, pooled);
    numbers = pooled.data();
  }
  fill_texture(region.columns, region.rows, numbers, same_size);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

const Texture& TileCache::texture(const TileKey& key) {
  const auto known = tiles_.find(key);
  if (known != tiles_.end()) {
    known->second.used_in_frame = frame_;
    return known->second.texture;
  }
  const auto old = reusable(key.region);
  const bool same_size = old != tiles_.end();
  Tiles::iterator tile;
  if (same_size) {
    auto node = tiles_.extract(old);
    node.key() = key;
    tile = tiles_.insert(std::move(node)).position;
  } else {
    tile = tiles_.try_emplace(key).first;
  }
  tile->second.used_in_frame = frame_;
  tile->second.texture.bind(0);
  upload(key, same_size);
  ++uploads_;
  return tile->second.texture;
}

void TileCache::end_frame() {
  std::erase_if(tiles_, [this](const auto& tile) {
    return tile.second.used_in_frame + static_cast<std::uint64_t>(kept_frames_) < frame_;
  });
}

std::size_t TileCache::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, tile] : tiles_) {
    bytes += sizeof(float) * static_cast<std::size_t>(key.region.rows * key.region.columns);
  }
  return bytes;
}

}  // namespace attnscope::platform
