// Orders of tokens as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// An order as it is written, "3 1": the numbers, from 1, of the tokens that come first. The others follow as they
/// were, and numbers beyond the last token are passed over. Nothing where a number stands twice or is none; numbers are
/// set apart by spaces.
std::optional<std::vector<Index>> parse_order(std::string_view text);

/// Which token, from 0, stands in each of `count` places.
std::vector<Index> full_order(std::string_view text, Index count);

/// The shortest text of an order of all tokens.
std::string order_text(const std::vector<Index>& order);

}  // namespace attnscope
