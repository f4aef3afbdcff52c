// Texts packed by zlib. Private to io/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/base/parse_budget.h"

namespace attnscope {

/// What `bytes` (zlib) begin with unpacks to, charged to `budget`; nothing where they are damaged or it is too much.
/// `used` is how many of them were read.
std::optional<std::string> unpacked(std::string_view bytes, ParseBudget& budget, std::size_t* used = nullptr);

}  // namespace attnscope
