#include "core/studies/training_study.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/thread_pool.h"
#include "core/heads/attention_list.h"
#include "core/heads/finder.h"
#include "core/heads/head_measures.h"
#include "core/heads/repeated_tokens.h"
#include "core/models/models.h"
#include "core/plan/validate.h"
#include "core/residual/answer_change.h"
#include "core/residual/residual_stream.h"
#include "core/trace/run.h"

namespace attnscope {
namespace {

/// The tokens whose followers the rows of the logits predict; empty: the model continues no text.
std::vector<Index> continued_tokens(const Experiment& experiment) {
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return {};
  if ((*family)->input == ModelInput::two_texts) return experiment.text2.ids;
  return (*family)->input == ModelInput::text && (*family)->causal ? experiment.text.ids : std::vector<Index>();
}

/// The mean loss of the tokens from position `first` on, each predicted by the row before it.
std::optional<double> loss_from(const Trace& trace, Index first) {
  const std::vector<Index> tokens = continued_tokens(trace.experiment());
  const std::optional<ResidualStream> stream = residual_stream(trace);
  if (!stream || first >= std::ssize(tokens)) return std::nullopt;
  const Step& logits = trace.step(stream->logits);
  double sum = 0;
  for (Index at = first; at < std::ssize(tokens); ++at) {
    const Region row = region_within(stream->logits, logits.axes, std::vector<Index>{at - 1});
    const auto token = static_cast<std::size_t>(tokens[static_cast<std::size_t>(at)]);
    sum -= log_softmax(trace.numbers(row)->values())[token];
  }
  return sum / static_cast<double>(std::ssize(tokens) - first);
}

class Study {
 public:
  Study(const Experiment& experiment, const TrainingChoice& choice)
      : experiment_(experiment), choice_(choice), checkpoints_(experiment.model->checkpoints()) {}

  Result<TrainingStudy> make() {
    for (const Checkpoint& each : checkpoints_) {
      Result<void> added = add(each);
      if (choice_.stop.stop_requested()) return fail("stopped before it was done");
      if (!added) return fail(each.name + ": " + added.error().message);
      tell(1);
    }
    return std::move(study_);
  }

 private:
  /// `share` of the checkpoint that is being read.
  void tell(double share) const {
    if (choice_.progress)
      choice_.progress((static_cast<double>(study_.states.size()) - 1 + share) /
                       static_cast<double>(checkpoints_.size()));
  }

  Result<void> add(const Checkpoint& checkpoint) {
    const Result<std::shared_ptr<const Model>> model = checkpoint.open();
    if (!model) return tl::unexpected(model.error());
    study_.states.push_back({checkpoint.name, checkpoint.step});
    heads_.clear();
    Result<void> read = choice_.text == TrainingText::given ? read_text(*model) : find(*model);
    if (!read) return read;
    if (study_.states.size() == 1) study_.heads = heads_;
    return heads_ == study_.heads ? Result<void>() : fail("its heads are not those of " + checkpoints_.front().name);
  }

  Result<std::shared_ptr<const Trace>> run(const Experiment& experiment) {
    if (const Result<void> valid = validate(experiment); !valid) return tl::unexpected(valid.error());
    Progress progress;
    progress.stop = choice_.stop;
    progress.pool = &pool_;
    // Nothing is the same in two checkpoints.
    return Executor(choice_.memory_budget).run(experiment, progress);
  }

  Result<void> read_text(const std::shared_ptr<const Model>& model) {
    Experiment experiment = experiment_;
    experiment.model = model;
    const Result<std::shared_ptr<const Trace>> trace = run(experiment);
    if (!trace) return tl::unexpected(trace.error());
    TrainingState& state = study_.states.back();
    for (const LayerAttention& each : layer_attentions(**trace)) {
      std::optional<HeadMeasures> measured = measure_heads(
          **trace, each.weights, {.rank = false, .distances = false, .rollout = false, .stop = choice_.stop});
      if (!measured) return fail((*trace)->failure().value_or("stopped before it was done"));
      for (Index head = 0; head < std::ssize(measured->heads); ++head) heads_.push_back({measured->tensor, head});
      if (study_.uniform.empty()) study_.uniform = measured->uniform;
      std::ranges::move(measured->heads, std::back_inserter(state.heads));
    }
    state.loss = loss_from(**trace, 1);
    if (const std::optional<std::string> failure = (*trace)->failure()) return fail(*failure);
    return {};
  }

  Result<void> find(const std::shared_ptr<const Model>& model) {
    const Result<FoundHeads> found =
        find_heads(model, {.interventions = on_any_text(experiment_.interventions),
                           .edits = experiment_.edits,
                           .memory_budget = choice_.memory_budget,
                           .stop = choice_.stop,
                           .progress = [&](int run, int runs) { tell(static_cast<double>(run - 1) / runs); }});
    if (!found) return tl::unexpected(found.error());
    TrainingState& state = study_.states.back();
    for (const FoundHead& head : found->heads) {
      heads_.push_back({head.tensor, head.head});
      MeasureRow& row = state.heads.emplace_back();
      for (const FoundValue& value : head.values)
        row.push_back(std::isnan(value.mean) ? std::nullopt : std::optional(value.mean));
    }
    if (study_.uniform.empty()) {
      for (const FoundValue& value : found->heads.front().values) study_.uniform.emplace_back(value.uniform);
    }
    const Result<RepeatedTokens> tokens = RepeatedTokens::of(model, choice_.memory_budget);
    if (!tokens) return tl::unexpected(tokens.error());
    return add_second_copy(model, *tokens, state);
  }

  Result<void> add_second_copy(const std::shared_ptr<const Model>& model, const RepeatedTokens& tokens,
                               TrainingState& state) {
    // The test reads only the encoder of a model with two parts, which continues nothing.
    const Result<const ModelFamily*> family = family_of(*model);
    if (!family || (*family)->input != ModelInput::text || !(*family)->causal) return {};
    double sum = 0;
    for (int seed = 1; seed <= kFinderSeeds; ++seed) {
      Experiment experiment = experiment_reading(model, tokens.texts(seed, true).repeated);
      experiment.interventions = on_any_text(experiment_.interventions);
      experiment.edits = experiment_.edits;
      const Result<std::shared_ptr<const Trace>> trace = run(experiment);
      if (!trace) return tl::unexpected(trace.error());
      const std::optional<double> loss = loss_from(**trace, std::ssize(experiment.text.ids) - tokens.count() + 1);
      if (!loss) return {};
      sum += *loss;
      if (const std::optional<std::string> failure = (*trace)->failure()) return fail(*failure);
    }
    state.loss = sum / kFinderSeeds;
    return {};
  }

  const Experiment& experiment_;
  const TrainingChoice& choice_;
  std::span<const Checkpoint> checkpoints_;
  ThreadPool pool_;
  std::vector<StudiedHead> heads_;  ///< of the checkpoint that is being read
  TrainingStudy study_;
};

}  // namespace

std::span<const Measure> studied_measures(TrainingText text) {
  return text == TrainingText::given ? measures() : finder_measures();
}

Result<TrainingStudy> study_training(const Experiment& experiment, const TrainingChoice& choice) {
  return Study(experiment, choice).make();
}

}  // namespace attnscope
