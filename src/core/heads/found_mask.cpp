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

std::string FoundMask::text(bool same_positions) const {
  const auto keys = std::ranges::count(padding, true);
  const std::string one = same_positions ? " padding token" : " padding key";
  std::string what = causal ? "causal mask" : "";
  if (keys > 0) {
    what += (causal ? " and " : "") + grouped_text(keys) + one + (keys == 1 ? "" : "s");
  }
  return what.empty() ? what : what + ", judging by weights of 0";
}

MaskSearch::MaskSearch(Index queries, Index keys)
    : square_(queries == keys && queries >= 2),
      used_(static_cast<std::size_t>(keys), 0U),
      rows_(static_cast<std::size_t>(queries)) {}

void MaskSearch::add(Index query, std::span<const float> row) {
  if (!all_finite(row) || row.empty()) return;
  Rows& rows = rows_[static_cast<std::size_t>(query)];
  if (row.front() != 0 && std::ranges::all_of(row, [&](float weight) { return weight == row.front(); })) {
    rows.equal = true;
    below_ = below_ || query > 0;
    return;
  }
  ++rows.different;
  rows.nonzero += std::ranges::count_if(row, [](float weight) { return weight != 0; });
  for (std::size_t key = 0; key < row.size(); ++key) used_[key] |= row[key] != 0 ? 1U : 0U;
  if (!square_ || above_) return;
  const auto diagonal = static_cast<std::size_t>(query);
  above_ = any_nonzero(row.subspan(diagonal + 1));
  below_ = below_ || any_nonzero(row.subspan(1, diagonal));
}

Index MaskSearch::filled_queries() const {
  if (!square_) return 0;
  std::size_t count = 0;
  while (count < rows_.size() && rows_[count].equal && rows_[count].different == 0 && used_[count] == 0) ++count;
  return static_cast<Index>(count);
}

FoundMask MaskSearch::found() const {
  FoundMask mask;
  const auto from = static_cast<std::size_t>(filled_queries());
  const std::span<const Rows> rest = std::span(rows_).subspan(from);
  const bool equal = std::ranges::any_of(rest, &Rows::equal);
  if (!equal && std::ranges::none_of(rest, [](const Rows& rows) { return rows.different > 0; })) return mask;
  // The last query may attend to all keys, whatever the mask is.
  const bool ahead = above_ || std::ranges::any_of(rest.first(rest.size() - 1), &Rows::equal);
  mask.causal = square_ && !ahead && below_;
  const auto is_unused = [](unsigned used) { return used == 0; };
  if (equal) return mask;
  // Weights that are all 0 say nothing about a mask.
  if (std::ranges::all_of(used_, is_unused) || std::ranges::none_of(used_, is_unused)) return mask;
  mask.padding.reserve(used_.size());
  for (const unsigned used : used_) mask.padding.push_back(is_unused(used));
  mask.is_soft = is_soft(mask);
  return mask;
}

bool MaskSearch::is_soft(const FoundMask& mask) const {
  Index left = 0;  // keys, up to the query where the mask is causal
  if (!mask.causal) left = std::ranges::count(mask.padding, false);
  Index kept = 0;
  Index nonzero = 0;
  for (std::size_t query = 0; query < rows_.size(); ++query) {
    const bool is_padding = square_ && mask.padding[query];
    if (mask.causal && !is_padding) ++left;
    if (is_padding) continue;
    kept += left * rows_[query].different;
    nonzero += rows_[query].nonzero;
  }
  return left >= 2 && 2 * nonzero >= kept;
}

bool all_finite(std::span<const float> numbers) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  std::uint32_t wrong = 0;
  for (const float number : numbers) wrong |= (std::bit_cast<std::uint32_t>(number) & kExponent) == kExponent ? 1U : 0U;
  return wrong == 0;
}

}  // namespace attnscope
