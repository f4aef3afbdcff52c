#include "core/heads/found_mask.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/base/text.h"

namespace attnscope {
namespace {

bool any_nonzero(std::span<const float> numbers) {
  return std::ranges::any_of(numbers, [](float number) { return number != 0; });
}

}  // namespace

std::string FoundMask::text() const {
  const auto keys = std::ranges::count(padding, true);
  std::string what = causal ? "causal mask" : "";
  if (keys > 0) {
    what += (causal ? " and " : "") + grouped_text(keys) + (keys == 1 ? " padding key" : " padding keys");
  }
  return what.empty() ? what : what + " found in the weights";
}

MaskSearch::MaskSearch(Index queries, Index keys)
    : square_(queries == keys && queries >= 2), used_(static_cast<std::size_t>(keys), 0U) {}

void MaskSearch::add(Index query, std::span<const float> row) {
  if (!all_finite(row)) return;
  any_ = true;
  for (std::size_t key = 0; key < row.size(); ++key) used_[key] |= row[key] != 0 ? 1U : 0U;
  if (!square_ || above_) return;
  const auto diagonal = static_cast<std::size_t>(query);
  above_ = any_nonzero(row.subspan(diagonal + 1));
  below_ = below_ || any_nonzero(row.subspan(1, diagonal));
}

FoundMask MaskSearch::found() const {
  FoundMask mask;
  if (!any_) return mask;
  mask.causal = square_ && !above_ && below_;
  const auto is_unused = [](unsigned used) { return used == 0; };
  // Weights that are all 0 say nothing about a mask.
  if (std::ranges::all_of(used_, is_unused) || std::ranges::none_of(used_, is_unused)) return mask;
  mask.padding.reserve(used_.size());
  for (const unsigned used : used_) mask.padding.push_back(is_unused(used));
  return mask;
}

bool all_finite(std::span<const float> numbers) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::uint32_t wrong = 0;
  for (const float number : numbers) wrong |= (std::bit_cast<std::uint32_t>(number) & kExponent) == kExponent ? 1U : 0U;
  return wrong == 0;
}

}  // namespace attnscope
