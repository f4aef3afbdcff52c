// Texts compressed by zlib. Private to io/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/base/parse_budget.h"

namespace attnscope {

/// The text that the zlib data at the beginning of `bytes` inflates to, charged to `budget`; nothing if the data is
/// damaged or too much. `used` is the number of bytes read.
std::optional<std::string> unpacked(std::string_view bytes, ParseBudget& budget, std::size_t* used = nullptr);

}  // namespace attnscope
