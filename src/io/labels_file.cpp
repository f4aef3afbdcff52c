#include "io/labels_file.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/text.h"
#include "io/experiment_file.h"
#include "io/file.h"
#include "io/json_value.h"
#include "io/printable.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kMaxLabelsFileBytes = 32'000'000;

Result<void> check_label(std::size_t number, const std::string& label) {
  const std::string field = "labels[" + std::to_string(number) + "]: ";
  if (number >= kMaxLabels) return fail(field + "is one too many; allowed: at most " + std::to_string(kMaxLabels));
  if (label.size() > kMaxLabelBytes) {
    return fail(field + std::to_string(label.size()) + " bytes are not allowed; allowed: at most " +
                std::to_string(kMaxLabelBytes));
  }
  for (std::string_view rest = label; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) return fail(field + "is not UTF-8");
    rest.remove_prefix(length);
  }
  return {};
}

tl::unexpected<Error> wrong_label(const std::string& field, const nlohmann::json& value, const std::string& allowed) {
  return fail(field + ": " + json_excerpt(value) + " is not allowed; allowed: " + allowed);
}

Result<std::vector<std::string>> labels_of_text(const std::string& text) {
  std::vector<std::string> labels;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    labels.push_back(std::move(line));
  }
  if (labels.size() == 1) {
    std::istringstream words(std::exchange(labels, {}).front());
    for (std::string word; words >> word;) labels.push_back(std::move(word));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (Result<void> fits = check_label(i, labels[i]); !fits) return tl::unexpected(fits.error());
  }
  return labels;
}

}  // namespace

Result<std::vector<std::string>> labels_from_json(const nlohmann::json& value) {
  if (!value.is_array()) return wrong_label("labels", value, "a list of texts");
  if (value.size() > kMaxLabels) {
    return fail("labels: " + std::to_string(value.size()) + " labels are not allowed; allowed: at most " +
                std::to_string(kMaxLabels));
  }
  std::vector<std::string> labels;
  for (const nlohmann::json& label : value) {
    const std::string field = "labels[" + std::to_string(labels.size()) + "]";
    if (!label.is_string()) return wrong_label(field, label, "a text");
    if (label.get_ref<const std::string&>().size() > kMaxLabelBytes)
      return wrong_label(field, label, "texts of at most " + std::to_string(kMaxLabelBytes) + " bytes");
    labels.push_back(label.get<std::string>());
  }
  return labels;
}

bool is_text_name(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".txt" || ending == ".TXT";
}

Result<std::vector<std::string>> read_labels_file(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path, kMaxLabelsFileBytes);
  if (!text) return tl::unexpected(text.error());
  const std::string prefix = path_text(path) + ": ";
  const auto named = [&](Result<std::vector<std::string>> labels) -> Result<std::vector<std::string>> {
    if (!labels) return fail(prefix + labels.error().message);
    if (labels->empty()) return fail(prefix + "there are no labels; allowed: a JSON list of texts, or a line for each");
    return labels;
  };
  const std::size_t first = text->find_first_not_of(" \t\r\n");
  const bool called_json = path.extension() == ".json";
  if (!called_json && (first == std::string::npos || (*text)[first] != '[')) return named(labels_of_text(*text));
  const Result<nlohmann::json> document = parse_json(*text);
  if (document && document->is_array()) return named(labels_from_json(*document));
  // Tokens begin with brackets too: "[CLS]".
  if (!called_json) return named(labels_of_text(*text));
  return document ? named(labels_from_json(*document)) : fail(prefix + document.error().message);
}

}  // namespace attnscope
