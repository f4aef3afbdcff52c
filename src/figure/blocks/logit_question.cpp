#include "figure/blocks/logit_question.h"

#include <algorithm>

#include "figure/slices/model_answers.h"

namespace attnscope {

LogitQuestion logit_question(const Trace& trace, const ResidualStream& stream, Index position,
                             const ParameterValues& options) {
  constexpr Index offered = 6;
  LogitQuestion question = {{position, 0, {}}, output_answers(trace, stream, position, offered)};
  const Index last = trace.step(stream.logits).axes.back().size - 1;
  const auto option = [&](const char* name) {
    const auto found = options.find(name);
    return found == options.end() ? Index{-1} : std::min(std::get<Index>(found->second), last);
  };
  const Index token = option("token");
  question.choice.answer = token < 0 ? question.offered.front().number : token;
  if (const Index against = option("other_token"); against >= 0) question.choice.against = against;
  return question;
}

std::string logit_text(const Trace& trace, const LogitChoice& choice) {
  const auto name = [&](Index answer) { return "“" + answer_name(trace, answer) + "”"; };
  return name(choice.answer) + (choice.against ? " minus that of " + name(*choice.against) : "");
}

std::string output_weights_text(const Trace& trace, const LogitChoice& choice) {
  const std::string one = answer_kind(trace.experiment()) == AnswerKind::label ? "label" : "token";
  return choice.against ? "difference of the output weights of both " + one + "s."
                        : "output weights of the " + one + ".";
}

void add_logit_chips(Figure& figure, const Trace& trace, const LogitQuestion& question, const std::string& what,
                     Point at, double width) {
  add_answer_chips(figure, trace,
                   {"token", "token", question.offered, question.choice.answer, false,
                    [&](const std::string& token) { return "Click to see " + what + " to the logit of " + token; }},
                   at, width);
  const auto about = [](const std::string& token) {
    return token.empty() ? "Click to see the logit alone" : "Click to see the difference to the logit of " + token;
  };
  add_answer_chips(figure, trace,
                   {"other_token", "against", question.offered, question.choice.against.value_or(-1), true, about},
                   {at.x, at.y + kAnswerChipsHeight}, width);
}

}  // namespace attnscope
