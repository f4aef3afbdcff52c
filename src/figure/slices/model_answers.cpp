#include "figure/slices/model_answers.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/models/models.h"
#include "figure/model/figure.h"
#include "figure/slices/answer_search.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

constexpr double kMaxName = 140;

const Step& logits_of(const Trace& trace, const ResidualStream& stream) { return trace.step(stream.logits); }

/// The first position with a mask; −1: none.
Index masked_position(const Experiment& experiment) {
  Index position = 0;
  for (const ModelText* const text : {&experiment.text, &experiment.text2}) {
    for (std::size_t i = 0; i < text->ids.size(); ++i, ++position) {
      if (i < text->pieces.size() && (text->pieces[i] == "[MASK]" || text->pieces[i] == "<mask>")) return position;
    }
  }
  return -1;
}

}  // namespace

AnswerKind answer_kind(const Experiment& experiment) {
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return AnswerKind::next_token;
  switch ((*family)->input) {
    case ModelInput::text:
    case ModelInput::two_texts: break;
    case ModelInput::pair: return AnswerKind::masked_word;
    case ModelInput::picture: return AnswerKind::label;
  }
  return AnswerKind::next_token;
}

std::string answer_name(const Trace& trace, Index answer) {
  return shortened_text(answer_text(trace.experiment(), answer), kMaxName, TypeSize::kSmall);
}

Parameter position_option() {
  Parameter option = integer_parameter("position", "Position",
                                       "The token whose answer is shown, counted from 1; 0: the last one, or the mask "
                                       "of a masked-word model.",
                                       0, 0, 64);
  option.choice_labels = {"auto"};
  return option;
}

Index selected_position(const Trace& trace, const ResidualStream& stream, const ParameterValues& options) {
  const Index count = logits_of(trace, stream).axes.front().size;
  const Index chosen = std::get<Index>(options.find("position")->second);
  if (chosen > 0) return std::min(chosen, count) - 1;
  const bool masked = answer_kind(trace.experiment()) == AnswerKind::masked_word;
  const Index mask = masked ? masked_position(trace.experiment()) : -1;
  return mask >= 0 && mask < count ? mask : count - 1;
}

std::string position_text(const Trace& trace, const ResidualStream& stream, Index position) {
  const AnswerKind kind = answer_kind(trace.experiment());
  if (kind == AnswerKind::label) return "of the picture";
  const Step& logits = logits_of(trace, stream);
  return (kind == AnswerKind::masked_word ? "at " : "after ") +
         token_text(trace, logits.name, logits.axes.front(), position);
}

std::string position_count_text(const Trace& trace, const ResidualStream& stream, Index position) {
  const Index count = logits_of(trace, stream).axes.front().size;
  return count < 2 ? "" : "position " + grouped_text(position + 1) + " of " + grouped_text(count);
}

std::string no_output(const Trace& trace, const std::string& purpose) {
  if (trace.experiment().model == nullptr) return "This view is for trained models: " + purpose + ".";
  return residual_stream(trace) ? "" : "This model has no output: its file has only the layers.";
}

}  // namespace attnscope
