// Token permutations as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// Parses a permutation such as "3 1": the numbers, from 1 and separated by spaces, of the tokens that come first. The
/// others follow in their original order, and numbers beyond the last token are ignored. Returns the tokens from 0;
/// nothing if a number is invalid or occurs twice.
std::optional<std::vector<Index>> parse_order(std::string_view text);

/// The token, from 0, at each of `count` positions.
std::vector<Index> full_order(std::string_view text, Index count);

/// The shortest text for a permutation of all tokens.
std::string order_text(const std::vector<Index>& order);

/// The order `text` of `count` tokens after the tokens in two places, from 0, have swapped.
std::string swapped_order(std::string_view text, Index count, Index place, Index other);

}  // namespace attnscope
