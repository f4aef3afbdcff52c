// The tokens along an axis as a text that can be read: which of them begin a word, end a line or are special.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// A token as a part of a text.
struct TextPiece {
  std::string text;         ///< as it is seen, without spaces around it; empty: only spaces
  Index spaces = 0;         ///< of a piece that has nothing else
  bool begins_word = true;  ///< a space or nothing is in front of it
  bool ends_line = false;   ///< a line break
  bool special = false;     ///< begins, ends, separates or pads; of a model with a tokenizer
  Index id = -1;            ///< in the vocabulary of a model; −1: the tokens have no ids
};

/// The tokens from `first` on along an axis of a tensor, of an item of the batch. Where pieces do not say whether a space is in front of them, the
/// text does; where there is no text, every token is a word, but for "##ing", which continues one. Tokens without a
/// name are their numbers.
std::vector<TextPiece> running_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index first,
                                    Index count, Index item = 0);

}  // namespace attnscope
