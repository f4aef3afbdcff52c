#include "io/tokenizers/vocabulary.h"

#include <algorithm>
#include <utility>

namespace attnscope {

void Vocabulary::add(std::string piece, int id) {
  longest_ = std::max(longest_, piece.size());
  const auto [place, is_new] = ids_.emplace(std::move(piece), id);
  if (!is_new) return;
  pieces_.emplace(id, &place->first);
  size_ = std::max(size_, static_cast<std::size_t>(id) + 1);
}

void Vocabulary::assign(std::string piece, int id) {
  longest_ = std::max(longest_, piece.size());
  const auto place = ids_.insert_or_assign(std::move(piece), id).first;
  pieces_.insert_or_assign(id, &place->first);
  size_ = std::max(size_, static_cast<std::size_t>(id) + 1);
}

std::optional<int> Vocabulary::id(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view Vocabulary::piece(int id) const {
  const auto found = pieces_.find(id);
  return found == pieces_.end() ? std::string_view() : *found->second;
}

}  // namespace attnscope
