// What the tokens along an axis are called: the labels of an experiment, or the pieces of a model's texts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// Whether positions along the axis are tokens.
bool counts_tokens(const Axis& axis);

/// A token so that it can be seen: without the spaces around it; "␣", "⇥" or "↵" for a space, tab or line break that stands
/// alone, "(empty)" for nothing at all.
std::string visible_token(std::string_view token);

/// A token of a text as it is shown: see `visible_token`; the id, "#464", where there is no tokenizer.
std::string piece_text(const ModelText& text, Index token);

/// The same for a token that stands alone.
std::string piece_text(std::string_view piece, Index id);

/// A token of a vocabulary, which may have it with and without a space before it: "the", "␣the".
std::string vocabulary_text(std::string_view piece, Index id);

/// The text whose tokens the axis of a model's tensor counts: the second one for a decoder, but the first one for the
/// keys of its cross-attention. Null where it counts none, or those of a pair.
const ModelText* counted_text(const Experiment& experiment, std::string_view tensor, const Axis& axis);

/// The names of the tokens along an axis of a tensor. Where queries and keys are not as many, labels are those of the axis
/// that has as many tokens as there are labels, otherwise of the queries. An experiment without labels has those in its
/// file of imported tensors, which may be others for each item of the batch.
class TokenNames {
 public:
  TokenNames(const Trace& trace, std::string_view tensor, const Axis& axis, Index item = 0);

  /// Whether no token has one.
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Nothing for tokens behind the last one that has a name.
  [[nodiscard]] std::optional<std::string> of(Index token) const;
  /// The texts of a model that have the tokens: two of a pair, which follow one another; none of a system.
  [[nodiscard]] std::vector<const ModelText*> texts() const;

 private:
  const ModelText* text_;
  const ModelText* second_ = nullptr;  ///< of a pair, whose tokens follow one another
  std::span<const std::string> labels_;
  Index count_ = 0;
};

}  // namespace attnscope
