// What a model says, in words: the position that options choose, and the tokens or labels of its vocabulary.
#pragma once

#include <string>

#include "core/residual/residual_stream.h"
#include "core/trace/trace.h"

namespace attnscope {

/// What a model's answers are.
enum class AnswerKind {
  next_token,   ///< the token behind a position
  masked_word,  ///< the token at a position
  label,        ///< of a picture
};
AnswerKind answer_kind(const Experiment& experiment);

/// What an answer is called: a token as it is shown in a text, or the label of a picture. Long names are shortened.
std::string answer_name(const Trace& trace, Index answer);

/// The option "position" of views of a model's output.
Parameter position_option();

/// The position, from 0, that the option selects; 0 stands for the mask of a masked-word model, otherwise for the last
/// position.
Index selected_position(const Trace& trace, const ResidualStream& stream, const ParameterValues& options);

/// "after “gave”", "at “[MASK]”", "of the picture".
std::string position_text(const Trace& trace, const ResidualStream& stream, Index position);

/// "position 3 of 9"; empty where there is one.
std::string position_count_text(const Trace& trace, const ResidualStream& stream, Index position);

/// Why a view of the output has nothing to show; empty: the trace is of a model with an output. `purpose` is what the
/// view does: "it takes a logit apart".
std::string no_output(const Trace& trace, const std::string& purpose);

}  // namespace attnscope
