// The decoders of tokenizer.json, for one piece at a time: "Ġthe" and "▁the" stand for " the".
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace attnscope {

using PieceDecoder = std::function<std::string(std::string)>;

/// Bytes that a replacement may make of a piece. A piece that would become longer stays as it is: a few replacements, one
/// after the other, could fill the memory.
inline constexpr std::size_t kMaxTokenBytes = 65'536;

/// The decoder that `value` describes; null changes nothing. Errors begin with `where`.
Result<PieceDecoder> parse_decoder(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
