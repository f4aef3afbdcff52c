// Lists of strings in files: a JSON list, or a text with one string per line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// What a list may hold, and what messages call it.
struct StringListKind {
  const char* one;    ///< "label"
  const char* field;  ///< "labels": the list; "labels[2]" is the third of them
  std::size_t most;
  std::size_t most_bytes;      ///< of one string
  bool has_sentences = false;  ///< a single line is a sentence, whose words are the strings
  bool numbers_lines = false;  ///< errors say "line 3" instead of "labels[2]"
};

struct StringList {
  std::vector<std::string> strings;
  bool is_json = false;  ///< it was a JSON list
};

/// The strings of a JSON list. Errors begin with the field.
Result<std::vector<std::string>> strings_from_json(const nlohmann::json& value, const StringListKind& kind);

/// Appends a string within the limits of its list; the error names its place, as for a list.
Result<void> add_string(std::vector<std::string>& strings, std::string_view string, const StringListKind& kind);

/// The strings in the contents of a file: a JSON list, or one string per line, without "\n" or "\r\n". An empty last line
/// does not count, nor does a byte-order mark in front. A list without strings is an error, as is a file called ".json"
/// that holds something else. Errors are one line that begins with the file's name.
Result<StringList> parse_string_list(std::string_view text, const std::filesystem::path& path,
                                     const StringListKind& kind);

/// The same from a file of at most 32 MB.
Result<StringList> read_string_list(const std::filesystem::path& path, const StringListKind& kind);

}  // namespace attnscope
