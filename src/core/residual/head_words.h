// What a head does in terms of words: which tokens of the whole vocabulary its query seeks, and whose logits it changes when
// it attends to a key. Source: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits (QK and OV circuits).
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/residual/score_parts.h"

namespace attnscope {

struct WordValue {
  Index token = 0;  ///< id
  double value = 0;
};

/// The tokens with the largest and the smallest values, the extreme ones first.
struct WordList {
  std::vector<WordValue> largest;
  std::vector<WordValue> smallest;
  bool fixed_norm = false;  ///< the keys of this model are normalized once more, with the divisor of the text's own key
};

/// The scores that the query of `choice` would give every token of the vocabulary in the place of its key: the key is made from
/// the token's embedding alone, normalized as the layer does, without what positions and earlier layers add. The embeddings
/// are read from the file, some at a time. At most `count` of each end. The error says in one sentence why there are none, or
/// that it was stopped.
Result<WordList> sought_words(const Trace& trace, const ScoreChoice& choice, Index count, const StopToken& stop = {});

/// What the head of `choice` adds to the logits at the query for each unit of attention to the key: its value, through the
/// output projection and the final norm, whose divisor is held fixed, times the output weights of every token.
Result<WordList> written_words(const Trace& trace, const ScoreChoice& choice, Index count, const StopToken& stop = {});

}  // namespace attnscope
