// Heatmaps: one textured rectangle per matrix, with the colour map applied on the graphics card.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/matrix/matrix_source.h"
#include "platform/gl/image.h"

namespace attnscope::platform {

/// A colour map: red, green and blue of 256 equal steps from the lowest to the highest value.
using ColorLut = std::array<std::array<std::uint8_t, 3>, 256>;

/// One matrix on the screen.
///
/// **Cells.** Row 0 is at the top, column 0 at the left. `area` is rounded to whole pixels, at least one each way, and
/// divided evenly. Cells of a pixel or more are crisp: a pixel has the colour of the cell at its centre.
///
/// **Gaps.** Neighbouring cells are `gap` pixels apart, with no gap along the outer edge, and none if less than a pixel
/// of each cell would remain. All gaps have the same width; cell sizes differ by at most a pixel, and not at all if the
/// width is columns · pitch - gap for an integer pitch.
///
/// **Minified.** Along an axis with more cells than pixels, no cell is skipped: a pixel shows the value of largest
/// magnitude (NaN first; of x and -x the positive one) among all cells that it touches. Cells are first merged by
/// powers of two to 1–2 per pixel, so a value may also colour a neighbouring pixel. Rows and columns are independent:
/// 5000 × 3 cells may be tiny one way and large the other.
///
/// **Colour.** Values up to `low` have the first colour of the map, values from `high` on the last, with 256 steps of
/// equal width between them, or of equal ratio if `logarithmic` (0 and negative values then have the first colour). If
/// `low` > `high`, the map is reversed; if they are equal, smaller values have the first colour, larger ones the last
/// and equal ones the middle one. Limits that are not finite, or not positive on a logarithmic scale, count as 0 and 0
/// on a linear scale. NaN and ±∞ have `SpecialColors`.
///
/// **Source.** Numbers come from memory, or from a source for matrices that take longer than a frame to read. Another
/// thread reads the visible parts of a source; until they arrive, the next coarser level replaces them, without gaps.
/// In the first frames that is the source's estimate, or nothing; once the whole matrix has been read, replacements
/// miss no cell either.
struct HeatmapQuad {
  /// rows × columns numbers, valid until `draw` returns; at most 2^30 of each. An empty matrix draws nothing.
  MatrixView matrix;
  /// Replaces `matrix` and `identity` unless null.
  std::shared_ptr<const MatrixSource> source;
  /// Identifies the numbers: a different identity means that they may have changed. The same identity, address, shape
  /// and strides mean the same numbers, which are not uploaded again.
  std::uint64_t identity = 0;
  PixelRect area;
  /// Clips the drawing; rounded to whole pixels.
  PixelRect clip;
  /// Not null; valid until `draw` returns.
  const ColorLut* colors = nullptr;
  float low = 0;
  float high = 1;
  bool logarithmic = false;
  /// A number with a colour of its own, which is not NaN.
  std::optional<float> special = {};
  Rgba special_color = {0.5F, 0.5F, 0.5F, 1.0F};
  /// In motion: if cells are smaller than pixels, merges twice as many of them each way. No cell is missed, and a
  /// software renderer draws several times faster. Only for a `source`.
  bool quick = false;
  /// In pixels; 0: none.
  int gap = 0;
  /// Blended over the background: alpha 0 keeps it.
  Rgba gap_color = {0, 0, 0, 0};
};

/// The colours of NaN and ±∞.
struct SpecialColors {
  Rgba nan = {1.0F, 0.0F, 1.0F, 1.0F};
  Rgba positive_infinity = {0.0F, 1.0F, 1.0F, 1.0F};
  Rgba negative_infinity = {0.25F, 0.25F, 0.25F, 1.0F};

  /// Whether any of them is translucent.
  [[nodiscard]] bool transparent() const { return nan[3] < 1 || positive_infinity[3] < 1 || negative_infinity[3] < 1; }
};

struct HeatmapOptions {
  /// Maximum side of a texture, also limited by the driver and at least 8. Larger levels of a matrix are cut into
  /// tiles, and only visible tiles are uploaded. Small values make tests fast.
  int tile_side = 2048;
  /// Textures unused for more frames than this are released. While a slider is dragged, textures of the frame before
  /// the last are refilled instead.
  int kept_frames = 3;

  /// Like `tile_side`, for the tiles of sources: small tiles are read and uploaded quickly.
  int source_tile_side = 256;
  /// Memory for the tiles of sources; the least recently drawn are released first, visible ones never.
  std::size_t source_bytes = std::size_t{256} << 20U;
  /// Upload time for the tiles of sources in each frame; at least one tile is uploaded.
  double upload_seconds = 0.004;
  /// Called from another thread when tiles of sources were read, for windows that draw on request; may be empty.
  std::function<void()> arrived = {};
};

/// Draws heatmaps. The OpenGL 3.3 context of its constructor must be current in all functions and the destructor.
class HeatmapRenderer {
 public:
  /// Reads heatmap.vert and heatmap.frag from `shader_folder`. Errors as in `ShaderProgram::load`.
  static Result<HeatmapRenderer> create(const std::filesystem::path& shader_folder, const HeatmapOptions& options = {});

  ~HeatmapRenderer();
  HeatmapRenderer(HeatmapRenderer&&) noexcept;
  HeatmapRenderer& operator=(HeatmapRenderer&&) noexcept;

  /// Call before the first `draw` of a frame, and `end_frame` after the last, even if nothing is drawn.
  void begin_frame();
  void end_frame();

  void set_special_colors(const SpecialColors& colors);

  /// Draws `quads` in order on the bound framebuffer, whose size is in pixels, blending over its content.
  ///
  /// Changes, and leaves changed: program, vertex array, viewport, blend function and equation (blending on or off),
  /// scissor, depth, stencil and face culling (all off), the 2D textures of units 0 and 1 and their samplers (none),
  /// polygon mode (fill). The active unit is 0 afterwards and the pixel unpacking state OpenGL's default. Called from
  /// an ImGui draw callback, it must be followed by ImDrawCallback_ResetRenderState.
  void draw(std::span<const HeatmapQuad> quads, int framebuffer_width, int framebuffer_height);

  /// Number of uploads of a matrix or tile so far.
  [[nodiscard]] std::uint64_t uploads() const;
  /// Whether the last frame showed replacements for missing tiles.
  [[nodiscard]] bool loading() const;
  /// Whether the next frame will show more at once: there was no time to upload all tiles that had been read.
  [[nodiscard]] bool uploads_waiting() const;
  /// Upload time of the tiles of sources in the last frame.
  [[nodiscard]] double upload_seconds() const;
  /// Number of textures with numbers of matrices, and their memory in bytes.
  [[nodiscard]] std::size_t textures() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct State;
  explicit HeatmapRenderer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace attnscope::platform
