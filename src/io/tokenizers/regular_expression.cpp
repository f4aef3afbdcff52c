#include "io/tokenizers/regular_expression.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <chrono>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kMaxPatternBytes = 20'000;
constexpr std::uint32_t kMaxMatchSteps = 10'000'000;  // of one match
constexpr std::uint32_t kMaxHeapKilobytes = 100'000;  // of one match
constexpr std::chrono::seconds kMaxTime(20);          // for a whole text

// PCRE2's own \s has U+180E, and its \w no marks.
constexpr std::string_view kSpaces =
    R"(\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
constexpr std::string_view kWordCharacters = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kHexClass = "0-9A-Fa-f";

/// The characters that an escape stands for; empty for an escape that means the same to PCRE2.
std::string_view class_of(char escaped) {
  switch (escaped) {
    case 's':
    case 'S': return kSpaces;
    case 'w':
    case 'W': return kWordCharacters;
    case 'h':
    case 'H': return kHexClass;
    default: return {};
  }
}

/// The pattern in PCRE2's dialect. A complement inside of brackets ([^\S]) has no other way to be written and keeps
/// PCRE2's meaning.
std::string translated(std::string_view pattern) {
  std::string result;
  bool in_brackets = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      const std::string_view characters = class_of(escaped);
      const bool complement = escaped >= 'A' && escaped <= 'Z';
      if (characters.empty() || (complement && in_brackets)) {
        result += {c, escaped};
      } else {
        result += in_brackets ? std::string(characters) : (complement ? "[^" : "[") + std::string(characters) + "]";
      }
      continue;
    }
    if (c == '[' && !in_brackets) {
      in_brackets = true;
      result += c;
      // A bracket that closes at once stands for itself.
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') result += pattern[++i];
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') result += pattern[++i];
      continue;
    }
    if (c == ']') in_brackets = false;
    result += c;
  }
  return result;
}

std::string error_text(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct RegularExpression::Compiled {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code{nullptr, &pcre2_code_free};
  std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context{pcre2_match_context_create(nullptr),
                                                                                    &pcre2_match_context_free};
};

Result<RegularExpression> RegularExpression::compile(std::string_view pattern) {
  return compile_with(translated(pattern), 0);
}

Result<RegularExpression> RegularExpression::literal(std::string_view text) {
  return compile_with(std::string(text), PCRE2_LITERAL);
}

Result<RegularExpression> RegularExpression::compile_with(const std::string& pattern, std::uint32_t options) {
  if (pattern.size() > kMaxPatternBytes) {
    return fail("a pattern of " + std::to_string(pattern.size()) + " bytes is not allowed; allowed: at most " +
                std::to_string(kMaxPatternBytes));
  }
  const std::unique_ptr<pcre2_compile_context, decltype(&pcre2_compile_context_free)> context(
      pcre2_compile_context_create(nullptr), &pcre2_compile_context_free);
  if (context == nullptr) return fail("not enough memory for a pattern");
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  // \C could cut a character in two. In Oniguruma ^ and $ always stand for the ends of lines.
  if (options == 0) options = PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
  int error = 0;
  PCRE2_SIZE place = 0;
  auto compiled = std::make_shared<Compiled>();
  compiled->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options | PCRE2_UTF,
                                     &error, &place, context.get()));
  if (compiled->code == nullptr)
    return fail("the pattern " + quoted_text(pattern) + " is not allowed: " + error_text(error));
  if (compiled->context == nullptr) return fail("not enough memory for a pattern");
  pcre2_set_match_limit(compiled->context.get(), kMaxMatchSteps);
  pcre2_set_heap_limit(compiled->context.get(), kMaxHeapKilobytes);
  RegularExpression expression;
  expression.compiled_ = std::move(compiled);
  return expression;
}

RegularExpression::Clock::time_point RegularExpression::longest_search() { return Clock::now() + kMaxTime; }

Result<void> RegularExpression::each_match(std::string_view text, const std::function<void(ByteRange)>& take,
                                           Clock::time_point until) const {
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> found(
      pcre2_match_data_create_from_pattern(compiled_->code.get(), nullptr), &pcre2_match_data_free);
  if (found == nullptr) return fail("not enough memory for a pattern");
  std::size_t searches = 0;
  for (std::size_t at = 0; at < text.size();) {
    // NOTEMPTY would choose another alternative; the position moves on by a character instead.
    const int count = pcre2_match(compiled_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at,
                                  searches == 0 ? 0 : PCRE2_NO_UTF_CHECK, found.get(), compiled_->context.get());
    if (count == PCRE2_ERROR_NOMATCH) return {};
    // Bytes of a token that are only a part of a character.
    if (count <= PCRE2_ERROR_UTF8_ERR1 && count >= PCRE2_ERROR_UTF8_ERR21) return fail("the text is not UTF-8");
    if (count < 0) return fail("a pattern takes too long on this text: " + error_text(count));
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(found.get());
    if (ends[1] > ends[0] && ends[0] >= at) take({ends[0], ends[1]});
    // \K can put the beginning anywhere.
    at = ends[1] > at && ends[1] > ends[0] ? ends[1] : std::max<std::size_t>(at, ends[1]) + 1;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
    constexpr std::size_t kBetweenLooks = 64;
    // The first one of each word, too.
    if (searches++ % kBetweenLooks == 0 && Clock::now() > until)
      return fail("a pattern takes too long on this text: more than 20 seconds");
  }
  return {};
}

}  // namespace attnscope
