// The normalizers of tokenizer.json: what is done to a text before it is cut into words.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"

namespace attnscope {

using Normalizer = std::function<Result<AlignedText>(AlignedText)>;

/// The normalizer that `value` describes; null changes nothing. Errors begin with `where`.
Result<Normalizer> parse_normalizer(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
