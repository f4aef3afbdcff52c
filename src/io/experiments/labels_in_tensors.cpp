#include "io/experiments/labels_in_tensors.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/imported/imported_labels.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/experiments/labels_file.h"

namespace attnscope {
namespace {

/// The labels of an array, divided into those of each batch item if it has two axes.
Result<ImportedLabels> labels_of_array(const TextArray& array) {
  ImportedLabels list = {printable(array.name), array.shape.size() == 2, {}};
  if (array.texts.empty()) return list;
  const auto items = list.per_item ? static_cast<std::size_t>(array.shape[0]) : 1;
  const auto tokens = static_cast<std::size_t>(array.shape.back());
  for (std::size_t item = 0; item < items; ++item) {
    std::vector<std::string>& labels = list.items.emplace_back();
    for (std::size_t token = 0; token < tokens; ++token) {
      if (const Result<void> added = add_label(labels, array.texts[item * tokens + token]); !added)
        return tl::unexpected(added.error());
    }
  }
  return list;
}

/// `count`: how many labels of metadata the file has so far.
Result<ImportedLabels> labels_of_metadata(const std::string& key, const std::string& text, std::size_t& count) {
  const Result<nlohmann::json> value = parse_json(text);
  if (!value) return tl::unexpected(value.error());
  ImportedLabels list = {printable(key), !value->empty() && value->front().is_array(), {}};
  // A list of lists, of one list if it is for all batch items.
  const nlohmann::json lists = list.per_item ? *value : nlohmann::json::array({*value});
  for (const nlohmann::json& each : lists) {
    Result<std::vector<std::string>> labels = labels_from_json(each);
    if (!labels) return tl::unexpected(labels.error());
    if (count += labels->size(); count > kMaxImportedLabels)
      return fail("more labels than are allowed; allowed: at most " + std::to_string(kMaxImportedLabels));
    list.items.push_back(std::move(*labels));
  }
  return list;
}

}  // namespace

std::vector<ImportedLabels> labels_in_tensors(const TensorFile& file, std::vector<std::string>& warnings) {
  std::vector<ImportedLabels> lists;
  std::size_t count = 0;
  const auto take = [&](const std::string& name, Result<ImportedLabels> list) {
    if (list) {
      lists.push_back(std::move(*list));
    } else if (labelled_tokens(name) != LabelledTokens::none) {
      warnings.push_back(file.name() + ": " + printable(name) + ": " + list.error().message);
    }
  };
  for (const TextArray& array : file.texts()) take(array.name, labels_of_array(array));
  for (const auto& [key, text] : file.metadata()) {
    const bool is_list = text.starts_with('[') && labelled_tokens(key) != LabelledTokens::none;
    if (is_list) take(key, labels_of_metadata(key, text, count));
  }
  return lists;
}

}  // namespace attnscope
