#include "io/tokenizers/piece_trie.h"

namespace attnscope {

std::optional<std::uint32_t> PieceTrie::child(std::uint32_t node, char byte) const {
  const auto found = children_.find(edge(node, byte));
  return found == children_.end() ? std::nullopt : std::optional(found->second);
}

void PieceTrie::add(std::string_view piece, int value) {
  std::uint32_t node = 0;
  for (const char byte : piece) {
    const auto next = static_cast<std::uint32_t>(values_.size());
    const auto [place, is_new] = children_.emplace(edge(node, byte), next);
    if (is_new) values_.push_back(kNone);
    node = place->second;
  }
  if (values_[node] == kNone) values_[node] = value;
}

}  // namespace attnscope
