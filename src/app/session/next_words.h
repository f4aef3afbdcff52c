// How a model would continue its text, for the user to choose from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// A token that may come next.
struct NextWord {
  Index id = 0;
  double probability = 0;
  std::string name;  ///< as tokens are shown
  std::optional<std::string>
      written;  ///< what to type for the text with this token at its end; nothing: no text has it
};

/// Which of the texts a model continues, as SetText counts them: 1, or 2 for one with a decoder. 0: none.
int continued_text(const Experiment& experiment);

/// The most probable ones behind the last token of that text, the most probable first. Empty for a model that continues
/// no text, and where its answer is not held in memory: nothing is computed for them.
std::vector<NextWord> next_words(const Trace& trace, Index count);

/// What the model answers behind one token of that text, the most probable first, with nothing to type.
struct WordsAfter {
  std::string where;  ///< "After “it” (9)"; for the last token "Next"
  std::vector<NextWord> words;
};

/// Without words where `next_words` has none, and where the text ends before `position`, which counts from 0.
WordsAfter words_after(const Trace& trace, Index position, Index count);

}  // namespace attnscope
