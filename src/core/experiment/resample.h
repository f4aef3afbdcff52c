// Pictures at another size, as Pillow's Image.resize makes them: the same bytes.
#pragma once

#include <optional>

#include "core/experiment/picture.h"

namespace attnscope {

/// How the pixels between those of a picture are found; the numbers are Pillow's, which preprocessor_config.json uses.
enum class Resampling {
  nearest = 0,
  lanczos = 1,
  bilinear = 2,
  bicubic = 3,
  box = 4,
  hamming = 5,
};

/// The method with that number.
std::optional<Resampling> resampling_of(double number);

/// The picture with `rows` × `columns` pixels, both at least 1. In a smaller picture every pixel but the nearest is a
/// weighted mean of all those that it covers: first along the rows, then along the columns, each rounded to 8 bits.
ColorPicture resampled(const ColorPicture& picture, Index rows, Index columns, Resampling method);

}  // namespace attnscope
