#include "io/tokenizers/unicode_data.h"

#include <glib.h>

#include <array>
#include <cstddef>
#include <memory>

namespace attnscope {
namespace {

GNormalizeMode mode_of(NormalForm form) {
  switch (form) {
    case NormalForm::nfc: return G_NORMALIZE_NFC;
    case NormalForm::nfd: return G_NORMALIZE_NFD;
    case NormalForm::nfkc: return G_NORMALIZE_NFKC;
    default: return G_NORMALIZE_NFKD;
  }
}

}  // namespace

std::string_view general_category(char32_t point) {
  // In the order of GUnicodeType.
  constexpr std::array<std::string_view, 30> names = {"Cc", "Cf", "Cn", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu",
                                                      "Mc", "Me", "Mn", "Nd", "Nl", "No", "Pc", "Pd", "Pe", "Pf",
                                                      "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs"};
  static_assert(names.size() == static_cast<std::size_t>(G_UNICODE_SPACE_SEPARATOR) + 1);
  return names[static_cast<std::size_t>(g_unichar_type(static_cast<gunichar>(point)))];
}

char32_t lowercase(char32_t point) { return g_unichar_tolower(static_cast<gunichar>(point)); }

std::string normalized(std::string_view text, NormalForm form) {
  const std::unique_ptr<char, decltype(&g_free)> made(
      g_utf8_normalize(text.data(), static_cast<gssize>(text.size()), mode_of(form)), &g_free);
  return made == nullptr ? std::string() : std::string(made.get());
}

}  // namespace attnscope
