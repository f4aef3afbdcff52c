// The Unicode data of the JavaScript that the program runs in.
#include <emscripten.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "io/tokenizers/unicode_data.h"

EM_JS_DEPS(attnscope_unicode, "$UTF8ToString,$stringToNewUTF8");

// clang-format off
/// The number of the category in `names`, two letters each; less than 0 if it is none of them.
EM_JS(int, attnscope_category, (const char* names, int point), {
  const categories = Module["attnscopeCategories"] ||=
      UTF8ToString(names).match(/../g).map((name) => new RegExp("^\\p{" + name + "}", "u"));
  const character = String.fromCodePoint(point);
  return categories.findIndex((category) => category.test(character));
});

EM_JS(int, attnscope_lowercase, (int point), {
  return String.fromCodePoint(point).toLowerCase().codePointAt(0);
});

EM_JS(char*, attnscope_normalized, (const char* text, const char* form), {
  return stringToNewUTF8(UTF8ToString(text).normalize(UTF8ToString(form)));
});
// clang-format on

namespace attnscope {
namespace {

constexpr std::size_t kCategories = 30;
// The frequent ones first.
constexpr const char* kCategoryNames = "LlLuLoZsPoNdMnMcLmLtMeNlNoPcPdPePfPiPsScSkSmSoZlZpCcCfCnCoCs";

const char* name_of(NormalForm form) {
  switch (form) {
    case NormalForm::nfc: return "NFC";
    case NormalForm::nfd: return "NFD";
    case NormalForm::nfkc: return "NFKC";
    default: return "NFKD";
  }
}

}  // namespace

std::string_view general_category(char32_t point) {
  // Latin letters and their like are most of any text.
  constexpr std::size_t kKnown = 0x250;
  static std::array<signed char, kKnown> known = [] {
    std::array<signed char, kKnown> numbers{};
    for (std::size_t i = 0; i < kKnown; ++i)
      numbers[i] = static_cast<signed char>(attnscope_category(kCategoryNames, static_cast<int>(i)));
    return numbers;
  }();
  const int number = point < kKnown ? known[point] : attnscope_category(kCategoryNames, static_cast<int>(point));
  static_assert(std::char_traits<char>::length(kCategoryNames) == 2 * kCategories);
  return number < 0 ? std::string_view("Cn") : std::string_view(kCategoryNames + 2 * number, 2);
}

char32_t lowercase(char32_t point) { return static_cast<char32_t>(attnscope_lowercase(static_cast<int>(point))); }

std::string normalized(std::string_view text, NormalForm form) {
  const std::unique_ptr<char, decltype(&std::free)> made(attnscope_normalized(std::string(text).c_str(), name_of(form)),
                                                         &std::free);
  return made == nullptr ? std::string() : std::string(made.get());
}

}  // namespace attnscope
