#include "io/base/parse_budget.h"

#include <algorithm>
#include <limits>

#include "core/base/text.h"

namespace attnscope {

ParseBudget::ParseBudget(std::uint64_t file_bytes) : file_bytes_(file_bytes), taken_(file_bytes) {
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  const bool overflows = file_bytes > (kUnlimited - kBaseBytes) / kBytesPerFileByte;
  limit_ = overflows ? kUnlimited : kBaseBytes + kBytesPerFileByte * file_bytes;
}

bool ParseBudget::charge(std::uint64_t bytes) {
  if (bytes > left()) {
    exceeded_ = true;
    return false;
  }
  taken_ += bytes;
  return true;
}

void ParseBudget::release(std::uint64_t bytes) { taken_ -= std::min(taken_, bytes); }

std::string ParseBudget::refusal(std::string_view what) const {
  return std::string(what) + " takes more than " + bytes_text(static_cast<double>(limit_)) +
         ", the limit for a file of " + bytes_text(static_cast<double>(file_bytes_));
}

}  // namespace attnscope
