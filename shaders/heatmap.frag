#version 330 core
// The colour of one pixel of a heatmap: the colour map applied to the value of largest magnitude among its cells.
// Two-component vectors are (column, row), like x and y. src/platform/heatmap/heatmap_axis.h explains the uniforms of
// an axis.
//
// POOLED selects the variants that can show several cells in a pixel, along either axis or both; LOGARITHMIC those with
// logarithmic scales. Separate variants are faster: a software renderer computes both sides of every branch.

// The bits of the numbers: NaN, infinities and tiny values then arrive unchanged on every driver.
uniform usampler2D cells;
uniform sampler2D colors;  // 256 × 1

uniform float framebuffer_height;
uniform vec2 first_pixel;   // of this run, from the top left of the framebuffer
uniform ivec2 base;         // texel at the left edge of the first pixel: whole part
uniform vec2 fraction;      // an axis not minified: how far into that texel, and cells per pixel
uniform vec2 step_size;
uniform vec2 gap;           // pixels between cells
uniform ivec2 last_cell;    // no gap after it: the last cell of the matrix, relative to the texture's first, or -1
uniform ivec2 last_texel;   // of the texture
#ifdef POOLED
uniform bvec2 minified;
uniform uvec2 remainder;    // minified axis: fraction, and texels per pixel beyond 1, in units of 1 / divisor
uniform uvec2 excess;
uniform uvec2 divisor;
#endif

uniform float prescale;      // power of two that scales the limits to about 1: their difference cannot overflow
uniform float low;           // the limits times prescale, or their base-2 logarithms if LOGARITHMIC
uniform float high;
uniform vec4 gap_color;
uniform vec4 nan_color;
uniform vec4 positive_infinity_color;
uniform vec4 negative_infinity_color;
uniform uint special_bits;   // of a number with a colour of its own
uniform vec4 special_color;

out vec4 color;

const uint infinity_bits = 0x7F800000u;

// The position of a number in the colour map: 0 is the lowest colour, 1 the highest.
float position(float value) {
#ifdef LOGARITHMIC
  // A number without a logarithm is below all limits.
  float scaled = value > 0.0 ? log2(value) : -1000.0;
#else
  float scaled = value * prescale;
#endif
  if (low == high) return scaled < low ? 0.0 : scaled > high ? 1.0 : 0.5;
  return clamp((scaled - low) / (high - low), 0.0, 1.0);
}

vec4 color_of(uint bits) {
  uint magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > infinity_bits) return nan_color;
  if (bits == special_bits) return special_color;
  if (magnitude == infinity_bits) return bits == magnitude ? positive_infinity_color : negative_infinity_color;
  int entry = min(int(position(uintBitsToFloat(bits)) * 256.0), 255);
  return vec4(texelFetch(colors, ivec2(entry, 0), 0).rgb, 1.0);
}

#ifdef POOLED
// As in src/core/matrix/pooling.h: integers in the order of magnitudes.
uint magnitude_key(uint bits) { return (bits << 1) | (~bits >> 31); }
uint bits_of_key(uint key) { return (key >> 1) | (~key << 31); }

// floor(n / divisor), exact: the floating-point quotient is off by at most one, and the remainder corrects it.
// (Integer division is slow on most graphics cards and very slow in software.)
ivec2 divided(uvec2 n) {
  ivec2 quotient = ivec2(vec2(n) / vec2(divisor));
  ivec2 rest = ivec2(n - uvec2(quotient) * divisor);
  return quotient - ivec2(lessThan(rest, ivec2(0))) + ivec2(greaterThanEqual(rest, ivec2(divisor)));
}
#endif

void main() {
  // The centre of this pixel, relative to the top left corner of the first one.
  vec2 pixel = vec2(gl_FragCoord.x, framebuffer_height - gl_FragCoord.y) - first_pixel;

  // The cell at the centre. The pixels before the next cell are the gap.
  ivec2 first = base + ivec2(floor(fraction + pixel * step_size));
  ivec2 ahead = base + ivec2(floor(fraction + (pixel + gap) * step_size));
  bvec2 in_gap = bvec2(ivec2(greaterThan(ahead, first)) * ivec2(lessThan(first, last_cell)));
#ifdef POOLED
  // All texels between the pixel's edges: from its left or upper edge, rounded down, to the other, rounded up.
  uvec2 edge = uvec2(pixel);
  ivec2 from = base + ivec2(edge) + divided(remainder + edge * excess);
  ivec2 to = base + ivec2(edge) + divided(remainder + (edge + 1u) * excess + divisor - 1u);
  ivec2 last = clamp(ivec2(minified.x ? to.x : first.x, minified.y ? to.y : first.y), ivec2(0), last_texel);
  first = clamp(ivec2(minified.x ? from.x : first.x, minified.y ? from.y : first.y), ivec2(0), last);
  uint key = 0u;
  // There are at most three each way. Reading the last one again is faster than leaving the loop, because a software
  // renderer computes several pixels at once.
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      key = max(key, magnitude_key(texelFetch(cells, min(first + ivec2(column, row), last), 0).r));
    }
  }
  uint bits = bits_of_key(key);
#else
  uint bits = texelFetch(cells, clamp(first, ivec2(0), last_texel), 0).r;
#endif
  color = any(in_gap) ? gap_color : color_of(bits);
}
