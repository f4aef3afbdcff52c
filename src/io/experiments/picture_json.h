// Pictures in experiments: {"rows": 2, "columns": 1, "rgb": "e65a28143ca0"}, row by row, six hexadecimal digits for the
// red, green and blue of each pixel.
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/experiment/picture.h"

namespace attnscope {

/// Reads a picture of at most kMaxPictureSide pixels a side. Errors name the place: "picture.rows: 0 is not
/// allowed; allowed: whole numbers from 1 to 2048".
Result<ColorPicture> picture_from_json(const nlohmann::json& object);

/// The inverse.
nlohmann::ordered_json picture_to_json(const ColorPicture& picture);

}  // namespace attnscope
