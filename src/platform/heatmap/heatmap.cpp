#include "platform/heatmap/heatmap.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/gl/gl.h"
#include "platform/heatmap/heatmap_axis.h"
#include "platform/heatmap/heatmap_program.h"
#include "platform/heatmap/source_tiles.h"
#include "platform/heatmap/tile_cache.h"

namespace attnscope::platform {
namespace {

/// A rectangle of whole pixels, [x0, x1) × [y0, y1).
struct WholeRect {
  std::int64_t x0 = 0;
  std::int64_t y0 = 0;
  std::int64_t x1 = 0;
  std::int64_t y1 = 0;
};

/// Nothing if a corner is NaN or absurdly far away.
std::optional<WholeRect> rounded(const PixelRect& rect) {
  constexpr double farthest = 1 << 30;
  for (const double corner : {rect.x0, rect.y0, rect.x1, rect.y1}) {
    if (!(std::abs(corner) <= farthest)) return std::nullopt;
  }
  return WholeRect{std::llround(rect.x0), std::llround(rect.y0), std::llround(rect.x1), std::llround(rect.y1)};
}

/// The axis requests for the columns (x) and rows (y) of a quad.
struct QuadRequest {
  AxisRequest x;
  AxisRequest y;
};

struct QuadPlan {
  explicit QuadPlan(const QuadRequest& request) : x(plan_axis(request.x)), y(plan_axis(request.y)) {}

  /// Calls `draw` for every combination of a run of columns and a run of rows.
  template <typename Draw>
  void for_each_run(const Draw& draw) const {
    for (const AxisRun& y_run : y.runs) {
      for (const AxisRun& x_run : x.runs) draw(x_run, y_run);
    }
  }
  /// The part of the matrix in the texture of such a run.
  [[nodiscard]] MatrixPart part(const AxisRun& x_run, const AxisRun& y_run) const {
    return {y.level, x.level, y_run.tile_first, x_run.tile_first, y_run.tile_size, x_run.tile_size};
  }

  AxisPlan x;
  AxisPlan y;
};

int allowed_side(int side) {
  GLint limit = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
  return std::max(kMinTileSide, std::min(side, static_cast<int>(limit)));
}

}  // namespace

struct HeatmapRenderer::State {
  State(std::vector<Variant> programs, const HeatmapOptions& options)
      : variants(std::move(programs)),
        tiles(options.kept_frames),
        tile_side(allowed_side(options.tile_side)),
        source_tile_side(allowed_side(options.source_tile_side)),
        source_tiles({source_tile_side, options.source_bytes, options.upload_seconds,
                      options.arrived ? options.arrived : [] {}}) {
    glGenVertexArrays(1, &vertex_array);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { glDeleteVertexArrays(1, &vertex_array); }

  void set_render_state() const;
  void bind_lut(const ColorLut& colors);
  void draw_quad(const HeatmapQuad& quad);
  void draw_matrix(const HeatmapQuad& quad, const QuadRequest& request);
  void draw_source(const HeatmapQuad& quad, const QuadRequest& request);
  void draw_stand_in(const HeatmapQuad& quad, QuadRequest request, const QuadPlan& plan, const Overview& overview);
  /// Prepares for the runs of a plan.
  const Uniforms& use_program_for(const HeatmapQuad& quad, const QuadPlan& plan);
  void draw_run(const QuadPlan& plan, const QuadRequest& request, const Uniforms& uniforms, const AxisRun& x_run,
                const AxisRun& y_run);

  std::vector<Variant> variants;  ///< in the order of `kVariants`
  TileCache tiles;
  std::vector<LutTexture> luts;
  SpecialColors special_colors;
  GLuint vertex_array = 0;
  int tile_side = 0;
  int source_tile_side = 0;
  SourceTiles source_tiles;
  // The framebuffer of the current draw, in pixels.
  int width = 1;
  int height = 1;
};

void HeatmapRenderer::State::set_render_state() const {
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_STENCIL_TEST);
  glDisable(GL_CULL_FACE);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
  glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  glBindSampler(0, 0);
  glBindSampler(1, 0);
  glBindVertexArray(vertex_array);

  for (const Variant& variant : variants) {
    variant.program.use();
    glUniform1i(variant.uniforms.cells, 0);
    glUniform1i(variant.uniforms.colors, 1);
    glUniform1f(variant.uniforms.framebuffer_height, static_cast<float>(height));
    set_color(variant.uniforms.nan_color, special_colors.nan);
    set_color(variant.uniforms.positive_infinity_color, special_colors.positive_infinity);
    set_color(variant.uniforms.negative_infinity_color, special_colors.negative_infinity);
  }
}

void HeatmapRenderer::State::bind_lut(const ColorLut& colors) {
  const auto known =
      std::find_if(luts.begin(), luts.end(), [&](const LutTexture& lut) { return lut.colors == colors; });
  if (known != luts.end()) {
    known->texture.bind(1);
    return;
  }
  luts.push_back({colors, Texture()});
  upload_lut(luts.back());
}

void HeatmapRenderer::State::draw_quad(const HeatmapQuad& quad) {
  assert(quad.colors != nullptr);
  std::optional<WholeRect> area = rounded(quad.area);
  const std::optional<WholeRect> clip = rounded(quad.clip);
  const bool nothing = quad.source ? quad.source->empty() : quad.matrix.empty() || quad.matrix.data == nullptr;
  if (nothing || !area || !clip) return;
  const Index rows = quad.source ? quad.source->rows() : quad.matrix.rows;
  const Index columns = quad.source ? quad.source->columns() : quad.matrix.columns;
  if (std::max(rows, columns) > kMaxCells) return;
  // A matrix is always visible, however small.
  area->x1 = std::max(area->x1, area->x0 + 1);
  area->y1 = std::max(area->y1, area->y0 + 1);

  const int gap = std::max(quad.gap, 0);
  const int side = quad.source ? source_tile_side : tile_side;
  const bool quick = quad.quick && quad.source != nullptr;
  const QuadRequest request = {{columns, area->x0, area->x1, std::max<std::int64_t>(clip->x0, 0),
                                std::min<std::int64_t>(clip->x1, width), gap, side, 0, quick},
                               {rows, area->y0, area->y1, std::max<std::int64_t>(clip->y0, 0),
                                std::min<std::int64_t>(clip->y1, height), gap, side, 0, quick}};
  if (quad.source) {
    draw_source(quad, request);
  } else {
    draw_matrix(quad, request);
  }
}

void HeatmapRenderer::State::draw_matrix(const HeatmapQuad& quad, const QuadRequest& request) {
  const QuadPlan plan(request);
  if (plan.x.runs.empty() || plan.y.runs.empty()) return;
  const Uniforms& uniforms = use_program_for(quad, plan);
  plan.for_each_run([&](const AxisRun& x_run, const AxisRun& y_run) {
    tiles.texture({quad.identity, quad.matrix, plan.part(x_run, y_run)}).bind(0);
    draw_run(plan, request, uniforms, x_run, y_run);
  });
}

void HeatmapRenderer::State::draw_source(const HeatmapQuad& quad, const QuadRequest& request) {
  const QuadPlan plan(request);
  if (plan.x.runs.empty() || plan.y.runs.empty()) return;
  const Overview* const overview = source_tiles.overview(quad.source);
  const MatrixPart whole = overview_part(*quad.source, source_tile_side);
  const bool in_overview = plan.x.level >= whole.column_level && plan.y.level >= whole.row_level;
  const Uniforms& uniforms = use_program_for(quad, plan);
  std::vector<std::pair<const AxisRun*, const AxisRun*>> missing;
  plan.for_each_run([&](const AxisRun& x_run, const AxisRun& y_run) {
    const Texture* const texture = in_overview ? nullptr : source_tiles.wanted(quad.source, plan.part(x_run, y_run));
    if (texture != nullptr) {
      texture->bind(0);
      draw_run(plan, request, uniforms, x_run, y_run);
    } else {
      missing.emplace_back(&x_run, &y_run);
    }
  });
  if (overview == nullptr) return;
  for (const auto& [x_run, y_run] : missing) {
    QuadRequest part = request;
    part.x.clip_begin = x_run->begin;
    part.x.clip_end = x_run->end;
    part.y.clip_begin = y_run->begin;
    part.y.clip_end = y_run->end;
    draw_stand_in(quad, part, plan, *overview);
  }
}

void HeatmapRenderer::State::draw_stand_in(const HeatmapQuad& quad, QuadRequest request, const QuadPlan& plan,
                                           const Overview& overview) {
  const int last_x = std::max(plan.x.level, overview.part.column_level);
  const int last_y = std::max(plan.y.level, overview.part.row_level);
  for (int coarser = 1;; ++coarser) {
    request.x.least_level = std::min(plan.x.level + coarser, last_x);
    request.y.least_level = std::min(plan.y.level + coarser, last_y);
    const bool last = request.x.least_level == last_x && request.y.least_level == last_y;
    const QuadPlan stand_in(request);
    bool complete = true;
    stand_in.for_each_run([&](const AxisRun& x_run, const AxisRun& y_run) {
      complete = complete && (last || source_tiles.available(quad.source, stand_in.part(x_run, y_run)) != nullptr);
    });
    if (!complete) continue;
    const Uniforms& uniforms = use_program_for(quad, stand_in);
    stand_in.for_each_run([&](const AxisRun& x_run, const AxisRun& y_run) {
      const Texture& texture = last ? source_tiles.whole(quad.source, last_y, last_x)
                                    : *source_tiles.available(quad.source, stand_in.part(x_run, y_run));
      texture.bind(0);
      draw_run(stand_in, request, uniforms, x_run, y_run);
    });
    return;
  }
}

const Uniforms& HeatmapRenderer::State::use_program_for(const HeatmapQuad& quad, const QuadPlan& plan) {
  bind_lut(*quad.colors);
  const Scale scale = scale_of(quad);
  const bool minified = plan.x.minified || plan.y.minified;
  const Variant& variant = variants[(minified ? 1 : 0) + (scale.logarithmic ? 2 : 0)];
  variant.program.use();
  // Blending takes 25 % of the time of a software renderer: only if something is translucent.
  const bool has_gap = plan.x.gap > 0 || plan.y.gap > 0;
  if (special_colors.transparent() || (has_gap && quad.gap_color[3] < 1)) {
    glEnable(GL_BLEND);
  } else {
    glDisable(GL_BLEND);
  }
  set_quad_uniforms(variant.uniforms, quad, scale, plan.x, plan.y);
  return variant.uniforms;
}

void HeatmapRenderer::State::draw_run(const QuadPlan& plan, const QuadRequest& request, const Uniforms& uniforms,
                                      const AxisRun& x_run, const AxisRun& y_run) {
  glUniform2f(uniforms.first_pixel, static_cast<float>(x_run.begin), static_cast<float>(y_run.begin));
  glUniform2i(uniforms.base, x_run.base, y_run.base);
  glUniform2f(uniforms.fraction, static_cast<float>(x_run.fraction), static_cast<float>(y_run.fraction));
  glUniform2ui(uniforms.remainder, x_run.remainder, y_run.remainder);
  glUniform2i(uniforms.last_texel, x_run.tile_size - 1, y_run.tile_size - 1);
  // Only compared with cells of this tile: any cell beyond it will do.
  const auto last_cell = [](Index cells, const AxisPlan& axis, const AxisRun& run) {
    return axis.gap == 0 ? -1 : static_cast<GLint>(std::min<Index>(cells - 1 - run.tile_first, run.tile_size));
  };
  glUniform2i(uniforms.last_cell, last_cell(request.x.cells, plan.x, x_run), last_cell(request.y.cells, plan.y, y_run));

  const auto device = [](std::int64_t pixel, int pixels) {
    return static_cast<float>(2.0 * static_cast<double>(pixel) / pixels - 1.0);
  };
  glUniform4f(uniforms.corners, device(x_run.begin, width), -device(y_run.begin, height), device(x_run.end, width),
              -device(y_run.end, height));
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

HeatmapRenderer::HeatmapRenderer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HeatmapRenderer::~HeatmapRenderer() = default;
HeatmapRenderer::HeatmapRenderer(HeatmapRenderer&&) noexcept = default;
HeatmapRenderer& HeatmapRenderer::operator=(HeatmapRenderer&&) noexcept = default;

Result<HeatmapRenderer> HeatmapRenderer::create(const std::filesystem::path& shader_folder,
                                                const HeatmapOptions& options) {
  const std::filesystem::path vertex_file = shader_folder / "heatmap.vert";
  const std::filesystem::path fragment_file = shader_folder / "heatmap.frag";
  std::vector<Variant> variants;
  for (const std::string_view defines : kVariants) {
    Result<ShaderProgram> program = ShaderProgram::load(vertex_file, fragment_file, defines);
    if (!program) return fail(program.error().message);
    variants.emplace_back(std::move(*program));
  }
  return HeatmapRenderer(std::make_unique<State>(std::move(variants), options));
}

void HeatmapRenderer::begin_frame() {
  state_->tiles.begin_frame();
  state_->source_tiles.begin_frame();
}

void HeatmapRenderer::end_frame() {
  state_->tiles.end_frame();
  state_->source_tiles.end_frame();
}

void HeatmapRenderer::set_special_colors(const SpecialColors& colors) { state_->special_colors = colors; }

void HeatmapRenderer::draw(std::span<const HeatmapQuad> quads, int framebuffer_width, int framebuffer_height) {
  if (framebuffer_width <= 0 || framebuffer_height <= 0) return;
  state_->width = framebuffer_width;
  state_->height = framebuffer_height;
  state_->set_render_state();
  state_->source_tiles.upload_arrived();
  for (const HeatmapQuad& quad : quads) state_->draw_quad(quad);
  glActiveTexture(GL_TEXTURE0);
}

bool HeatmapRenderer::loading() const { return state_->source_tiles.loading(); }
bool HeatmapRenderer::uploads_waiting() const { return state_->source_tiles.uploads_waiting(); }
double HeatmapRenderer::upload_seconds() const { return state_->source_tiles.upload_seconds(); }
std::uint64_t HeatmapRenderer::uploads() const { return state_->tiles.uploads() + state_->source_tiles.uploads(); }
std::size_t HeatmapRenderer::textures() const { return state_->tiles.textures() + state_->source_tiles.textures(); }
std::size_t HeatmapRenderer::bytes() const { return state_->tiles.bytes() + state_->source_tiles.bytes(); }

}  // namespace attnscope::platform
