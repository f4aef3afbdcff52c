#include "core/experiment/order.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace attnscope {

std::optional<std::vector<Index>> parse_order(std::string_view text) {
  std::vector<Index> order;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::optional<Index> number = parse_integer(word);
    if (!number || *number < 1 || std::find(order.begin(), order.end(), *number - 1) != order.end())
      return std::nullopt;
    order.push_back(*number - 1);
  }
  return order;
}

std::vector<Index> full_order(std::string_view text, Index count) {
  std::vector<Index> order;
  std::vector<bool> placed(static_cast<std::size_t>(count), false);
  for (const Index token : parse_order(text).value_or(std::vector<Index>{})) {
    if (token >= count) continue;
    order.push_back(token);
    placed[static_cast<std::size_t>(token)] = true;
  }
  for (Index token = 0; token < count; ++token) {
    if (!placed[static_cast<std::size_t>(token)]) order.push_back(token);
  }
  return order;
}

std::string order_text(const std::vector<Index>& order) {
  const auto count = static_cast<Index>(order.size());
  std::vector<std::string> words;
  words.reserve(order.size());
  for (const Index token : order) words.push_back(std::to_string(token + 1));
  // Drops trailing numbers that follow anyway.
  while (!words.empty()) {
    std::vector<std::string> fewer(words.begin(), words.end() - 1);
    if (full_order(join(fewer, " "), count) != order) break;
    words = std::move(fewer);
  }
  return join(words, " ");
}

std::string swapped_order(std::string_view text, Index count, Index place, Index other) {
  std::vector<Index> order = full_order(text, count);
  std::swap(order[static_cast<std::size_t>(place)], order[static_cast<std::size_t>(other)]);
  return order_text(order);
}

}  // namespace attnscope
