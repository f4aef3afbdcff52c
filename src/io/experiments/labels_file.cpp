#include "io/experiments/labels_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/experiment/experiment.h"
#include "io/experiments/string_list.h"

namespace attnscope {
namespace {

constexpr StringListKind kLabels = {
    .one = "label", .field = "labels", .most = kMaxLabels, .most_bytes = kMaxLabelBytes, .has_sentences = true};

Result<std::vector<std::string>> strings_of(Result<StringList> list) {
  if (!list) return tl::unexpected(list.error());
  return std::move(list->strings);
}

}  // namespace

Result<void> add_label(std::vector<std::string>& labels, std::string_view label) {
  return add_string(labels, label, kLabels);
}

Result<std::vector<std::string>> labels_from_json(const nlohmann::json& value) {
  return strings_from_json(value, kLabels);
}

bool is_text_name(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".txt" || ending == ".TXT";
}

Result<std::vector<std::string>> parse_labels(std::string_view text, const std::filesystem::path& path) {
  return strings_of(parse_string_list(text, path, kLabels));
}

Result<std::vector<std::string>> read_labels_file(const std::filesystem::path& path) {
  return strings_of(read_string_list(path, kLabels));
}

}  // namespace attnscope
