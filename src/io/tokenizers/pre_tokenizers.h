// The pre-tokenizers of tokenizer.json: how a text is cut into words before the model cuts these into tokens.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"

namespace attnscope {

/// Cuts every word further, or changes it.
using PreTokenizer = std::function<Result<Words>(Words)>;

/// The pre-tokenizer that `value` describes; null changes nothing. Errors begin with `where`.
Result<PreTokenizer> parse_pre_tokenizer(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
