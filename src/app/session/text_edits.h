// The texts of a model as a user types them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// The experiment's text, its second text, or the text that is patched from, as SetText counts them.
const ModelText& model_text(const Experiment& experiment, int which);

/// Whether token `i` of the text is `unknown`, which stands for words that a vocabulary does not have, and was not
/// written as such.
bool is_unknown_token(const ModelText& text, std::size_t i, std::optional<Index> unknown);

/// The number of such tokens of the model's text; 0 without a model.
Index unknown_tokens(const Experiment& experiment, int which);

/// A line for each text that has such tokens.
std::vector<std::string> warnings_of_unknown_tokens(const Experiment& experiment);

/// What stands in the box for a text: the text, or its ids, "1, 2, 3", where the model has no tokenizer.
std::string typed_text(const Experiment& experiment, int which);

/// Why the model did not take what was typed, in the words of the window: `error` without the names of folder and field.
std::string text_refusal(const Experiment& experiment, int which, const std::string& error);

/// Gives the model what was typed; see SetText. Errors are one line that begins with "text" or "text2".
Result<void> set_model_text(Experiment& experiment, int which, const std::string& typed);

}  // namespace attnscope
