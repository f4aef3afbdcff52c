// Whose logit a view takes apart, and the answers to choose from.
#pragma once

#include <string>
#include <vector>

#include "core/residual/contributions.h"
#include "core/residual/lens.h"
#include "figure/blocks/answer_chips.h"

namespace attnscope {

struct LogitQuestion {
  LogitChoice choice;
  std::vector<Answer> offered;  ///< the most probable answers
};

/// What the options `token` and `other_token` choose at a position: the most probable answer, and the logit alone, unless
/// they say otherwise.
LogitQuestion logit_question(const Trace& trace, const ResidualStream& stream, Index position,
                             const ParameterValues& options);

/// "“Leo”" or "“Leo” minus that of “Tom”", behind "the logit of".
std::string logit_text(const Trace& trace, const LogitChoice& choice);

/// "output weights of the token." or "difference of the output weights of both tokens.", what the parts are multiplied by.
std::string output_weights_text(const Trace& trace, const LogitChoice& choice);

/// The height of the lines of answers.
inline constexpr double kLogitChipsHeight = 2 * kAnswerChipsHeight;

/// Two lines of answers: whose logit, and whose is subtracted. `what`: "what adds", in what a click does.
void add_logit_chips(Figure& figure, const Trace& trace, const LogitQuestion& question, const std::string& what,
                     Point at, double width);

}  // namespace attnscope
