#include "io/tensors/npy_texts.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kBytesOfCharacter = 4;
// More characters than any label has, and few enough that no product of sizes overflows.
constexpr Index kMaxCharacters = 1'000'000;

std::string unicode_text(std::string_view stored, bool big_endian) {
  std::string text;
  for (std::size_t at = 0; at < stored.size(); at += kBytesOfCharacter) {
    char32_t point = 0;
    for (std::size_t i = 0; i < kBytesOfCharacter; ++i) {
      const std::size_t from = big_endian ? at + i : at + kBytesOfCharacter - 1 - i;
      point = point << 8U | static_cast<unsigned char>(stored[from]);
    }
    append_utf8(text, point);
  }
  return text;
}

}  // namespace

std::optional<NpyTextType> npy_text_type(const NpyHeader& header) {
  const std::string_view descr = header.descr;
  if (descr.size() < 3 || (descr[1] != 'U' && descr[1] != 'S')) return std::nullopt;
  const std::optional<Index> characters = parse_integer(descr.substr(2));
  if (!characters || *characters < 1 || *characters > kMaxCharacters) return std::nullopt;
  const bool unicode = descr[1] == 'U';
  return NpyTextType{unicode, descr[0] == '>',
                     static_cast<std::uint64_t>(*characters) * (unicode ? kBytesOfCharacter : 1)};
}

std::vector<std::string> npy_texts(std::string_view numbers, const NpyTextType& type) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size() / type.bytes);
  for (; !numbers.empty(); numbers.remove_prefix(type.bytes)) {
    std::string_view stored = numbers.substr(0, type.bytes);
    const std::size_t character = type.unicode ? kBytesOfCharacter : 1;
    while (!stored.empty() &&
           stored.substr(stored.size() - character).find_first_not_of('\0') == std::string_view::npos)
      stored.remove_suffix(character);
    texts.push_back(type.unicode ? unicode_text(stored, type.big_endian) : std::string(stored));
  }
  return texts;
}

}  // namespace attnscope
