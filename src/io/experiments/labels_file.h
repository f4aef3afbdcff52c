// Token labels from a file.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// A list of texts within the limits for the labels of an experiment. Errors name the field `labels`.
Result<std::vector<std::string>> labels_from_json(const nlohmann::json& value);

/// Appends a label within the same limits; stops at the first one that is not allowed: never more of them are held.
Result<void> add_label(std::vector<std::string>& labels, std::string_view label);

/// Whether a file's name says that it is text: .txt.
bool is_text_name(const std::filesystem::path& path);

/// What the option --labels says of such a file.
inline constexpr const char* kLabelsHelp = "A file with token labels: a JSON list, one label per line, or one sentence";

/// Reads labels: a JSON list of texts, or a text with one label per line; a single line is a sentence, whose words are
/// the labels. An empty last line does not count. Errors are one line that begins with the file's name.
Result<std::vector<std::string>> read_labels_file(const std::filesystem::path& path);

/// The same from the contents of a file of that name.
Result<std::vector<std::string>> parse_labels(std::string_view text, const std::filesystem::path& path);

}  // namespace attnscope
