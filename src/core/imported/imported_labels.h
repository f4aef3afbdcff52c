// Which texts of a file label which tokens, as their names suggest.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/experiment/imported_tensors.h"

namespace attnscope {

/// The tokens that a list labels.
enum class LabelledTokens { none, all, queries, keys };

/// "tokens", "labels", "words", "str_tokens" label all tokens; "query_labels", "target_tokens" queries, "key_labels",
/// "src_tokens" keys; other names none.
LabelledTokens labelled_tokens(std::string_view name);

/// The sizes of an attention whose tokens are labelled.
struct LabelledSizes {
  Index items = 1;  ///< of the batch
  Index queries = 0;
  Index keys = 0;
};

/// "6 tokens", "7 queries and 6 keys", "6 tokens of 3 batch items".
std::string tokens_text(const LabelledSizes& sizes);

/// The labels of one batch item's queries, or with `keys` of its keys: a list whose name says so, otherwise one for all
/// tokens, if its longest item has as many labels as there are tokens. An item may have fewer. Empty if the file has none.
std::span<const std::string> labels_in_file(const ImportedTensors& given, const LabelledSizes& sizes, bool keys,
                                            Index item);

/// "FILE: tokens: 5 labels for 7 queries and 6 keys": of the first list whose name says what it labels, but that fits
/// nothing; nothing if all fit.
std::optional<std::string> misfit_labels_notice(const ImportedTensors& given, const LabelledSizes& sizes);

}  // namespace attnscope
