#include "app/session/next_words.h"

#include <algorithm>

#include "app/session/text_edits.h"
#include "core/base/text.h"
#include "core/models/models.h"
#include "core/residual/lens.h"
#include "figure/model/labels.h"
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

bool is_held(const Trace& trace, int step) { return trace.step(step).tensor != nullptr; }

/// Nothing where the model continues no text, or its answers are not held in memory.
std::optional<ResidualStream> held_stream(const Trace& trace) {
  if (continued_text(trace.experiment()) == 0) return std::nullopt;
  std::optional<ResidualStream> stream = residual_stream(trace);
  if (stream && (!is_held(trace, stream->logits) || !is_held(trace, stream->probabilities))) stream.reset();
  return stream;
}

Index position_count(const Trace& trace, const ResidualStream& stream) {
  return trace.step(stream.logits).axes.front().size;
}

std::vector<NextWord> words_at(const Trace& trace, const ResidualStream& stream, Index position, Index count) {
  std::vector<NextWord> words;
  for (const Answer& answer : output_answers(trace, stream, position, count))
    words.push_back({answer.number, answer.probability, answer_name(trace, answer.number), std::nullopt});
  return words;
}

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
  const std::optional<ResidualStream> stream = held_stream(trace);
  if (!stream) return {};
  const Experiment& experiment = trace.experiment();
  std::vector<NextWord> words = words_at(trace, *stream, position_count(trace, *stream) - 1, count);
  for (NextWord& word : words) word.written = written_with(experiment, continued_text(experiment), word.id);
  return words;
}

WordsAfter words_after(const Trace& trace, Index position, Index count) {
  const std::optional<ResidualStream> stream = held_stream(trace);
  if (!stream || position >= position_count(trace, *stream)) return {};
  const bool is_last = position == position_count(trace, *stream) - 1;
  return {
      is_last ? "Next" : capitalized(position_text(trace, *stream, position)) + " (" + position_number(position) + ")",
      words_at(trace, *stream, position, count)};
}

}  // namespace attnscope
