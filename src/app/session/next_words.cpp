#include "app/session/next_words.h"

#include <algorithm>

#include "app/session/text_edits.h"
#include "core/models/models.h"
#include "core/residual/lens.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

/// The text behind which the tokenizer puts this token and changes no other: the token's own letters, or, of a tokenizer
/// of whole words, those after a space.
std::optional<std::string> text_with(const Experiment& experiment, int which, const std::string& token, Index id) {
  const ModelText& before = model_text(experiment, which);
  std::vector<Index> wanted = before.ids;
  wanted.push_back(id);
  for (const char* const between : {"", " "}) {
    std::string written = before.text + between + token;
    const Result<ModelText> read = experiment.model->tokens(written, std::nullopt, which == 2);
    if (read && read->ids == wanted) return written;
  }
  return std::nullopt;
}

std::optional<std::string> written_with(const Experiment& experiment, int which, Index id) {
  const std::string before = typed_text(experiment, which);
  if (!experiment.model->has_tokenizer()) return before + (before.empty() ? "" : ", ") + std::to_string(id);
  return text_with(experiment, which, experiment.model->token_text(id), id);
}

bool is_held(const Trace& trace, int step) { return trace.steps()[static_cast<std::size_t>(step)].tensor != nullptr; }

}  // namespace

int continued_text(const Experiment& experiment) {
  if (experiment.model == nullptr) return 0;
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return 0;
  switch ((*family)->input) {
    case ModelInput::text: return 1;
    case ModelInput::two_texts: return 2;
    case ModelInput::pair:
    case ModelInput::picture: break;
  }
  return 0;
}

std::vector<NextWord> next_words(const Trace& trace, Index count) {
  const Experiment& experiment = trace.experiment();
  const int which = continued_text(experiment);
  if (which == 0) return {};
  const std::optional<ResidualStream> stream = residual_stream(trace);
  if (!stream || !is_held(trace, stream->logits) || !is_held(trace, stream->probabilities)) return {};
  const Index positions = trace.steps()[static_cast<std::size_t>(stream->logits)].axes.front().size;
  std::vector<NextWord> words;
  for (const Answer& answer : output_answers(trace, *stream, positions - 1, count)) {
    words.push_back({answer.number, answer.probability, answer_name(trace, answer.number),
                     written_with(experiment, which, answer.number)});
  }
  return words;
}

}  // namespace attnscope
