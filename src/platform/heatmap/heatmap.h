// Matrices as pictures: one textured rectangle per matrix, the colour map looked up on the graphics card.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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
/// shared out evenly. A cell of a pixel or more is crisp: a pixel has the colour of the cell at its centre.
///
/// **Gaps.** Neighbouring cells are kept `gap` pixels apart; there are none along the outer edge, and none where less
/// than a pixel of the cell would remain. All gaps are equally wide; cells differ by at most a pixel, and not at all
/// where columns · pitch - gap pixels are given for a whole-numbered pitch.
///
/// **Minified.** Along an axis with more cells than pixels no cell is skipped: a pixel has the colour of the value of
/// largest magnitude (NaN before all; of x and -x the positive one) among all the cells that it touches. The cells of
/// the matrix are merged by powers of two to 1–2 per pixel first, so a value may also colour the pixel beside its own.
/// Rows and columns are treated apart: 5000 × 3 cells may be tiny one way and large the other.
///
/// **Colour.** `low` and below has the first colour of the map, `high` and above the last, with 256 steps of equal
/// width between them, or of equal ratio if `logarithmic` (numbers of 0 and less then have the first colour). If `low`
/// is above `high` the map runs backwards; if they are equal, less has the first colour, more the last and the same
/// number the middle one. Limits that are not finite, or not positive where a logarithm is asked for, count as two
/// zeros on a linear scale. NaN and ±∞ have `SpecialColors`.
///
/// **Source.** The numbers are given as they lie in memory, or as a source, for matrices that take longer than a frame
/// to read. Of a source another thread reads the parts that are in sight; until those are there, the next coarser level
/// that is stands in for them, without gaps. In the first frames that is the source's guess, or nothing; from the
/// moment when the whole matrix was read once, stand-ins miss no cell either.
struct HeatmapQuad {
  /// rows × columns numbers, which must stay until `draw` returns; at most 2^30 of either. Nothing is drawn for an
  /// empty one.
  MatrixView matrix;
  /// Instead of `matrix` and `identity`, if not null.
  std::shared_ptr<const MatrixSource> source;
  /// Stands for the numbers: a different identity means that they may have changed. The same identity, address, shape
  /// and strides mean the same numbers, which are then not sent to the graphics card again.
  std::uint64_t identity = 0;
  PixelRect area;
  /// Nothing is drawn outside; rounded to whole pixels.
  PixelRect clip;
  /// Not null; must stay until `draw` returns.
  const ColorLut* colors = nullptr;
  float low = 0;
  float high = 1;
  bool logarithmic = false;
  /// In motion: where cells are smaller than pixels, merges twice as many of them each way. Nothing is missed, and
  /// where the renderer is a processor it is drawn several times as fast. For a `source` only.
  bool quick = false;
  /// In pixels, 0 for none.
  int gap = 0;
  /// Blended over what is there: alpha 0 leaves the background.
  Rgba gap_color = {0, 0, 0, 0};
};

/// The colours of what is not a number on the scale.
struct SpecialColors {
  Rgba nan = {1.0F, 0.0F, 1.0F, 1.0F};
  Rgba positive_infinity = {0.0F, 1.0F, 1.0F, 1.0F};
  Rgba negative_infinity = {0.25F, 0.25F, 0.25F, 1.0F};

  /// Whether the background shines through any of them.
  [[nodiscard]] bool transparent() const { return nan[3] < 1 || positive_infinity[3] < 1 || negative_infinity[3] < 1; }
};

struct HeatmapOptions {
  /// Largest side of a texture. A level of a matrix that is longer or wider is cut into tiles, of which only the
  /// visible ones are sent; also held to what the driver allows, and to 8 at least. Small ones make the tests quick.
  int tile_side = 2048;
  /// A texture not drawn for more frames than this is released. While a slider is dragged, the textures of a frame
  /// before the last are filled with new numbers instead.
  int kept_frames = 3;

  /// The same as `tile_side`, for the tiles of sources: small ones are soon read and soon sent.
  int source_tile_side = 256;
  /// Memory for the tiles of sources; those not drawn for longest are released first, what is in sight never.
  std::size_t source_bytes = std::size_t{256} << 20U;
  /// Tiles that were read are sent to the graphics card for this long in each frame; at least one is.
  double upload_seconds = 0.004;
  /// Called from another thread when tiles of sources were read, for who draws on request only; may be empty.
  std::function<void()> arrived = {};
};

/// Draws heatmaps. Needs the OpenGL 3.3 context that it was made in to be current whenever one of its functions or its
/// destructor runs.
class HeatmapRenderer {
 public:
  /// Reads heatmap.vert and heatmap.frag from `shader_folder`. Errors as `ShaderProgram::load`.
  static Result<HeatmapRenderer> create(const std::filesystem::path& shader_folder, const HeatmapOptions& options = {});

  ~HeatmapRenderer();
  HeatmapRenderer(HeatmapRenderer&&) noexcept;
  HeatmapRenderer& operator=(HeatmapRenderer&&) noexcept;

  /// Goes before the first `draw` of a frame, `end_frame` after the last. A frame in which nothing is drawn counts.
  void begin_frame();
  void end_frame();

  void set_special_colors(const SpecialColors& colors);

  /// Draws `quads` in order on the bound framebuffer of the size given in pixels, blending over what is there.
  ///
  /// Changes, and leaves changed: program, vertex array, viewport, blend function and equation (blending on or off),
  /// scissor, depth, stencil and face culling (all off), the 2D textures of units 0 and 1 and their samplers (none),
  /// polygon mode (fill). The active unit is 0 afterwards and the pixel unpacking state OpenGL's default. Called from
  /// an ImGui draw callback, it must be followed by ImDrawCallback_ResetRenderState.
  void draw(std::span<const HeatmapQuad> quads, int framebuffer_width, int framebuffer_height);

  /// Times that numbers of a matrix, or a tile of one, were sent to the graphics card since the beginning.
  [[nodiscard]] std::uint64_t uploads() const;
  /// Whether the last frame showed stand-ins, for tiles that are still to come.
  [[nodiscard]] bool loading() const;
  /// Whether the next frame will show more without waiting: there was no time left to send all that had been read.
  [[nodiscard]] bool uploads_waiting() const;
  /// What sending tiles of sources took in the last frame.
  [[nodiscard]] double upload_seconds() const;
  /// Textures that now hold numbers of matrices, and the memory they take in bytes.
  [[nodiscard]] std::size_t textures() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct State;
  explicit HeatmapRenderer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace attnscope::platform
