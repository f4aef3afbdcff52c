// The answers of a model by their names: tokens of its vocabulary, or labels of pictures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"

namespace attnscope {

/// What an answer is called, with all its letters: a token as it is shown in a vocabulary, or the label of a picture.
std::string answer_text(const Experiment& experiment, Index answer);

/// Those of the first `count` answers that have `typed` in their names, whatever the case of its ASCII letters and
/// without a space in front of the name: first the answer of that number ("464", "#464"), then those that are called so, in
/// the same case or not, then those that begin so, then the others; at most `most`. None if nothing was typed.
std::vector<Index> answers_named(const Experiment& experiment, std::string_view typed, Index count, std::size_t most);

}  // namespace attnscope
