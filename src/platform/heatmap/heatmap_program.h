// The shader programs of the heatmaps and their uniforms. Private to the heatmap.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "platform/gl/gl.h"
#include "platform/gl/shader.h"
#include "platform/heatmap/heatmap.h"
#include "platform/heatmap/heatmap_axis.h"

namespace attnscope::platform {

/// Maps numbers to positions in the colour map; see `position` in heatmap.frag.
struct Scale {
  float prescale = 1;
  float low = 0;
  float high = 0;
  bool logarithmic = false;
};

/// The scale of a quad.
Scale scale_of(const HeatmapQuad& quad);

/// The uniforms of a program by name.
struct Uniforms {
  explicit Uniforms(const ShaderProgram& program);

  int corners, cells, colors, framebuffer_height, first_pixel, base, minified, fraction, step_size, remainder, excess,
      divisor, last_texel, last_cell, gap, prescale, low, high, gap_color, nan_color, positive_infinity_color,
      negative_infinity_color, special_bits, special_color;
};

void set_color(int location, const Rgba& color);

/// Sets the uniforms that hold for a whole quad.
void set_quad_uniforms(const Uniforms& uniforms, const HeatmapQuad& quad, const Scale& scale, const AxisPlan& x,
                       const AxisPlan& y);

/// A program that draws heatmaps.
struct Variant {
  explicit Variant(ShaderProgram linked) : program(std::move(linked)), uniforms(program) {}

  ShaderProgram program;
  Uniforms uniforms;
};

/// Linear and logarithmic scales, each for at most one cell per pixel both ways, and for more.
inline constexpr std::array<std::string_view, 4> kVariants = {"", "#define POOLED", "#define LOGARITHMIC",
                                                              "#define POOLED\n#define LOGARITHMIC"};

/// A colour map on the graphics card. There are only a few, which are never released.
struct LutTexture {
  ColorLut colors;
  Texture texture;
};

/// Uploads the colours. Leaves the texture bound to unit 1.
void upload_lut(const LutTexture& lut);

}  // namespace attnscope::platform
