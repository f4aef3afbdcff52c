// Explicit masks as nested lists of true and false.
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/experiment/mask.h"

namespace attnscope {

/// Reads [query][key], [batch][query][key] or [batch][head][query][key], where true is a key that the query may attend
/// to. Errors name the place: "mask[0][3]: 1 is not allowed; allowed: true or false".
Result<Mask> mask_from_json(const nlohmann::json& array);

/// The inverse; other kinds of masks as text.
nlohmann::ordered_json mask_to_json(const Mask& mask);

}  // namespace attnscope
