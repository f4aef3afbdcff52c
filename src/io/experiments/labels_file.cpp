#include "io/experiments/labels_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kMaxLabelsFileBytes = 32'000'000;

Result<void> check_label(std::size_t number, std::string_view label) {
  const std::string field = "labels[" + std::to_string(number) + "]: ";
  if (number >= kMaxLabels) return fail(field + "is one too many; allowed: at most " + std::to_string(kMaxLabels));
  if (label.size() > kMaxLabelBytes) {
    return fail(field + std::to_string(label.size()) + " bytes are not allowed; allowed: at most " +
                std::to_string(kMaxLabelBytes));
  }
  if (!is_utf8(label)) return fail(field + "is not UTF-8");
  return {};
}

tl::unexpected<Error> wrong_label(const std::string& field, const nlohmann::json& value, const std::string& allowed) {
  return fail(field + ": " + json_excerpt(value) + " is not allowed; allowed: " + allowed);
}

/// Takes the next line, or the next part up to one of `blanks`, from the front of `text`.
std::string_view take_until(std::string_view& text, std::string_view blanks) {
  const std::string_view taken = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

/// Stops at the first label that is not allowed: never more of them are held than the limit.
Result<void> add_label(std::vector<std::string>& labels, std::string_view label) {
  if (Result<void> fits = check_label(labels.size(), label); !fits) return fits;
  labels.emplace_back(label);
  return {};
}

Result<std::vector<std::string>> labels_of_text(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  std::vector<std::string> labels;
  const std::size_t first_end = text.find('\n');
  const bool is_sentence = first_end == std::string_view::npos || first_end + 1 == text.size();
  while (!text.empty()) {
    std::string_view label = take_until(text, is_sentence ? blanks : "\n");
    if (is_sentence && label.empty()) continue;
    if (!is_sentence && label.ends_with('\r')) label.remove_suffix(1);
    if (const Result<void> added = add_label(labels, label); !added) return tl::unexpected(added.error());
  }
  return labels;
}

}  // namespace

Result<std::vector<std::string>> labels_from_json(const nlohmann::json& value) {
  if (!value.is_array()) return wrong_label("labels", value, "a list of strings");
  if (value.size() > kMaxLabels) {
    return fail("labels: " + std::to_string(value.size()) + " labels are not allowed; allowed: at most " +
                std::to_string(kMaxLabels));
  }
  std::vector<std::string> labels;
  for (const nlohmann::json& label : value) {
    const std::string field = "labels[" + std::to_string(labels.size()) + "]";
    if (!label.is_string()) return wrong_label(field, label, "a string");
    if (label.get_ref<const std::string&>().size() > kMaxLabelBytes)
      return wrong_label(field, label, "strings of at most " + std::to_string(kMaxLabelBytes) + " bytes");
    labels.push_back(label.get<std::string>());
  }
  return labels;
}

bool is_text_name(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".txt" || ending == ".TXT";
}

Result<std::vector<std::string>> parse_labels(std::string_view text, const std::filesystem::path& path) {
  const std::string prefix = path_text(path) + ": ";
  const auto named = [&](Result<std::vector<std::string>> labels) -> Result<std::vector<std::string>> {
    if (!labels) return fail(prefix + labels.error().message);
    if (labels->empty())
      return fail(prefix + "there are no labels; allowed: a JSON list of strings, or one label per line");
    return labels;
  };
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool called_json = path.extension() == ".json";
  if (!called_json && (first == std::string_view::npos || text[first] != '[')) return named(labels_of_text(text));
  const Result<nlohmann::json> document = parse_json(text);
  if (document && document->is_array()) return named(labels_from_json(*document));
  // Tokens begin with brackets too: "[CLS]".
  if (!called_json) return named(labels_of_text(text));
  return document ? named(labels_from_json(*document)) : fail(prefix + document.error().message);
}

Result<std::vector<std::string>> read_labels_file(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path, kMaxLabelsFileBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_labels(*text, path);
}

}  // namespace attnscope
