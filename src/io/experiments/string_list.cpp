#include "io/experiments/string_list.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/utf8.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

using Strings = std::vector<std::string>;

constexpr std::uint64_t kMaxStringListBytes = 32'000'000;

std::string element_name(const StringListKind& kind, std::size_t number) {
  return std::string(kind.field) + "[" + std::to_string(number) + "]";
}

tl::unexpected<Error> wrong_string(const std::string& field, const nlohmann::json& value, const std::string& allowed) {
  return fail(field + ": " + json_excerpt(value) + " is not allowed; allowed: " + allowed);
}

Result<void> check_string(std::size_t number, std::string_view string, const StringListKind& kind) {
  const std::string place =
      (kind.numbers_lines ? "line " + std::to_string(number + 1) : element_name(kind, number)) + ": ";
  if (number >= kind.most) return fail(place + "is one too many; allowed: at most " + std::to_string(kind.most));
  if (string.size() > kind.most_bytes) {
    return fail(place + std::to_string(string.size()) + " bytes are not allowed; allowed: at most " +
                std::to_string(kind.most_bytes));
  }
  if (!is_utf8(string)) return fail(place + "is not UTF-8");
  return {};
}

/// Takes the next line, or the next part up to one of `blanks`, from the front of `text`.
std::string_view take_until(std::string_view& text, std::string_view blanks) {
  const std::string_view taken = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

/// Stops at the first string that is not allowed: never more of them are held than the limit.
Result<Strings> strings_from_lines(std::string_view text, const StringListKind& kind) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  Strings strings;
  const std::size_t first_end = text.find('\n');
  const bool is_sentence = kind.has_sentences && (first_end == std::string_view::npos || first_end + 1 == text.size());
  while (!text.empty()) {
    std::string_view string = take_until(text, is_sentence ? blanks : "\n");
    if (is_sentence && string.empty()) continue;
    if (!is_sentence && string.ends_with('\r')) string.remove_suffix(1);
    if (const Result<void> added = add_string(strings, string, kind); !added) return tl::unexpected(added.error());
  }
  return strings;
}

}  // namespace

Result<void> add_string(std::vector<std::string>& strings, std::string_view string, const StringListKind& kind) {
  if (Result<void> fits = check_string(strings.size(), string, kind); !fits) return fits;
  strings.emplace_back(string);
  return {};
}

Result<Strings> strings_from_json(const nlohmann::json& value, const StringListKind& kind) {
  const std::string field = kind.field;
  if (!value.is_array()) return wrong_string(field, value, "a list of strings");
  if (value.size() > kind.most) {
    return fail(field + ": " + std::to_string(value.size()) + " " + field + " are not allowed; allowed: at most " +
                std::to_string(kind.most));
  }
  Strings strings;
  for (const nlohmann::json& string : value) {
    const std::string name = element_name(kind, strings.size());
    if (!string.is_string()) return wrong_string(name, string, "a string");
    if (string.get_ref<const std::string&>().size() > kind.most_bytes)
      return wrong_string(name, string, "strings of at most " + std::to_string(kind.most_bytes) + " bytes");
    strings.push_back(string.get<std::string>());
  }
  return strings;
}

Result<StringList> parse_string_list(std::string_view text, const std::filesystem::path& path,
                                     const StringListKind& kind) {
  const std::string prefix = path_text(path) + ": ";
  const auto named = [&](Result<Strings> strings, bool is_json) -> Result<StringList> {
    if (!strings) return fail(prefix + strings.error().message);
    if (strings->empty()) {
      return fail(prefix + "there are no " + kind.field + "; allowed: a JSON list of strings, or one " + kind.one +
                  " per line");
    }
    return StringList{std::move(*strings), is_json};
  };
  // A byte-order mark, which some editors write, is no part of the first string.
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool called_json = path.extension() == ".json";
  if (!called_json && (first == std::string_view::npos || text[first] != '['))
    return named(strings_from_lines(text, kind), false);
  const Result<nlohmann::json> document = parse_json(text);
  if (document && document->is_array()) return named(strings_from_json(*document, kind), true);
  // Lines begin with brackets too: "[CLS]".
  if (!called_json) return named(strings_from_lines(text, kind), false);
  return document ? named(strings_from_json(*document, kind), true) : fail(prefix + document.error().message);
}

Result<StringList> read_string_list(const std::filesystem::path& path, const StringListKind& kind) {
  const Result<std::string> text = read_file(path, kMaxStringListBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_string_list(*text, path, kind);
}

}  // namespace attnscope
