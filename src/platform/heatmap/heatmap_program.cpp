#include "platform/heatmap/heatmap_program.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace attnscope::platform {

Scale scale_of(const HeatmapQuad& quad) {
  if (!std::isfinite(quad.low) || !std::isfinite(quad.high)) return {};
  if (quad.logarithmic && quad.low > 0 && quad.high > 0) {
    return {1, std::log2(quad.low), std::log2(quad.high), true};
  }
  if (quad.logarithmic) return {};
  const float largest = std::max(std::abs(quad.low), std::abs(quad.high));
  const int exponent = largest > 0 ? std::clamp(-std::ilogb(largest), -126, 126) : 0;
  const float prescale = std::ldexp(1.0F, exponent);
  return {prescale, quad.low * prescale, quad.high * prescale, false};
}

void set_color(int location, const Rgba& color) { glUniform4fv(location, 1, color.data()); }

Uniforms::Uniforms(const ShaderProgram& program)
    : corners(program.uniform("corners")),
      cells(program.uniform("cells")),
      colors(program.uniform("colors")),
      framebuffer_height(program.uniform("framebuffer_height")),
      first_pixel(program.uniform("first_pixel")),
      base(program.uniform("base")),
      minified(program.uniform("minified")),
      fraction(program.uniform("fraction")),
      step_size(program.uniform("step_size")),
      remainder(program.uniform("remainder")),
      excess(program.uniform("excess")),
      divisor(program.uniform("divisor")),
      last_texel(program.uniform("last_texel")),
      last_cell(program.uniform("last_cell")),
      gap(program.uniform("gap")),
      prescale(program.uniform("prescale")),
      low(program.uniform("low")),
      high(program.uniform("high")),
      gap_color(program.uniform("gap_color")),
      nan_color(program.uniform("nan_color")),
      positive_infinity_color(program.uniform("positive_infinity_color")),
      negative_infinity_color(program.uniform("negative_infinity_color")),
      special_bits(program.uniform("special_bits")),
      special_color(program.uniform("special_color")) {}

void set_quad_uniforms(const Uniforms& uniforms, const HeatmapQuad& quad, const Scale& scale, const AxisPlan& x,
                       const AxisPlan& y) {
  glUniform2i(uniforms.minified, x.minified ? 1 : 0, y.minified ? 1 : 0);
  glUniform2f(uniforms.step_size, static_cast<float>(x.step), static_cast<float>(y.step));
  glUniform2ui(uniforms.excess, x.excess, y.excess);
  glUniform2ui(uniforms.divisor, x.divisor, y.divisor);
  glUniform2f(uniforms.gap, static_cast<float>(x.gap), static_cast<float>(y.gap));
  set_color(uniforms.gap_color, quad.gap_color);
  glUniform1f(uniforms.prescale, scale.prescale);
  glUniform1f(uniforms.low, scale.low);
  glUniform1f(uniforms.high, scale.high);
  constexpr std::uint32_t kNone = 0x7FFFFFFF;  // NaN has its colour first
  glUniform1ui(uniforms.special_bits, quad.special ? std::bit_cast<std::uint32_t>(*quad.special) : kNone);
  set_color(uniforms.special_color, quad.special_color);
}

void upload_lut(const LutTexture& lut) {
  lut.texture.bind(1);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, static_cast<GLsizei>(lut.colors.size()), 1, 0, GL_RGB, GL_UNSIGNED_BYTE,
               lut.colors.data());
}

}  // namespace attnscope::platform
