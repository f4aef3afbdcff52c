// The decoders of tokenizer.json, for one piece at a time: "Ġthe" and "▁the" stand for " the".
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace attnscope {

using PieceDecoder = std::function<std::string(std::string)>;

/// The decoder that `value` describes; null changes nothing. Errors begin with `where`.
Result<PieceDecoder> parse_decoder(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
