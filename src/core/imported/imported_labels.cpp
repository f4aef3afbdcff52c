#include "core/imported/imported_labels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "core/base/text.h"
#include "core/imported/tensor_roles.h"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 8> kLabelWords = {"label", "labels", "token", "tokens",
                                                         "word",  "words",  "text",  "texts"};
constexpr std::array<std::string_view, 7> kQueryWords = {"q", "query", "queries", "target", "tgt", "dst", "decoder"};
constexpr std::array<std::string_view, 7> kKeyWords = {"k", "key", "keys", "source", "src", "memory", "encoder"};

template <std::size_t N>
bool has_one_of(const std::vector<std::string>& words, const std::array<std::string_view, N>& of) {
  return std::ranges::any_of(words, [&](const std::string& word) { return std::ranges::find(of, word) != of.end(); });
}

Index longest_list(const ImportedLabels& list) {
  Index most = 0;
  for (const std::vector<std::string>& item : list.items) most = std::max<Index>(most, std::ssize(item));
  return most;
}

bool fits_tokens(const ImportedLabels& list, Index items, Index tokens) {
  return longest_list(list) == tokens && (!list.per_item || std::ssize(list.items) == items);
}

/// "5 labels", or "up to 5 labels for each of 3 batch items".
std::string count_text(const ImportedLabels& list) {
  const std::string labels = grouped_text(longest_list(list)) + (longest_list(list) == 1 ? " label" : " labels");
  return list.per_item ? "up to " + labels + " for each of " + grouped_text(std::ssize(list.items)) + " batch items"
                       : labels;
}

}  // namespace

LabelledTokens labelled_tokens(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  const bool queries = has_one_of(words, kQueryWords);
  const bool keys = has_one_of(words, kKeyWords);
  if (queries != keys) return queries ? LabelledTokens::queries : LabelledTokens::keys;
  return has_one_of(words, kLabelWords) ? LabelledTokens::all : LabelledTokens::none;
}

std::string tokens_text(const LabelledSizes& sizes) {
  const std::string tokens = sizes.queries == sizes.keys
                                 ? grouped_text(sizes.keys) + (sizes.keys == 1 ? " token" : " tokens")
                                 : grouped_text(sizes.queries) + " queries and " + grouped_text(sizes.keys) + " keys";
  return sizes.items == 1 ? tokens : tokens + " of " + grouped_text(sizes.items) + " batch items";
}

std::span<const std::string> labels_in_file(const ImportedTensors& given, const LabelledSizes& sizes, bool keys,
                                            Index item) {
  const LabelledTokens own = keys ? LabelledTokens::keys : LabelledTokens::queries;
  const Index tokens = keys ? sizes.keys : sizes.queries;
  for (const LabelledTokens of : {own, LabelledTokens::all}) {
    for (const ImportedLabels& list : given.labels()) {
      if (labelled_tokens(list.name) != of || !fits_tokens(list, sizes.items, tokens)) continue;
      return list.items[list.per_item ? static_cast<std::size_t>(item) : 0];
    }
  }
  return {};
}

std::optional<std::string> misfit_labels_notice(const ImportedTensors& given, const LabelledSizes& sizes) {
  for (const ImportedLabels& list : given.labels()) {
    const LabelledTokens of = labelled_tokens(list.name);
    const bool fit = (of != LabelledTokens::keys && fits_tokens(list, sizes.items, sizes.queries)) ||
                     (of != LabelledTokens::queries && fits_tokens(list, sizes.items, sizes.keys));
    if (of != LabelledTokens::none && !fit)
      return given.file() + ": " + list.name + ": " + count_text(list) + ", for " + tokens_text(sizes);
  }
  return std::nullopt;
}

}  // namespace attnscope
