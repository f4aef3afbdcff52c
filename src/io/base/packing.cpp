#include "io/base/packing.h"

#include <array>

#include "io/base/inflating.h"

namespace attnscope {

std::optional<std::string> unpacked(std::string_view bytes, ParseBudget& budget, std::size_t* used) {
  // Once to see how long it is, and once more into a text of exactly that length.
  Inflating counted(bytes);
  std::array<char, 16384> piece = {};
  std::size_t size = 0;
  while (!counted.ended()) {
    const std::size_t got = counted.next(piece);
    if (!budget.charge(got)) return std::nullopt;
    size += got;
  }
  if (used != nullptr) *used = counted.used();
  if (!counted.complete()) return std::nullopt;
  std::string text(size, '\0');
  Inflating again(bytes);
  const bool same = again.next(text) == size;
  return same ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace attnscope
