#include "core/studies/text_study.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_measures.h"
#include "core/plan/plan.h"
#include "core/plan/plan_part.h"
#include "core/trace/run.h"

namespace attnscope {
namespace {

tl::unexpected<Error> stopped_study() { return fail("stopped before it was done"); }

/// `line 3 ("The cat sat…"): MESSAGE`
tl::unexpected<Error> fail_at(const StudyText& text, const Error& error) {
  return fail(text.name + " (" + quoted_text(text.text) + "): " + error.message, error.kind);
}

/// The plan without what follows the last attention. Its output projection is part of it: measures of the heads' weight
/// matrices need that.
std::shared_ptr<const Plan> plan_of_heads(const Experiment& experiment) {
  return std::make_shared<const Plan>(
      plan_up_to_last(experiment, [](const PlannedStep& step) { return step.name.ends_with("attention_out"); }));
}

struct AttentionSum {
  std::string tensor;
  Index layer = 1;
  std::vector<MeasureRow> first;  ///< [head]: of the first text
  std::vector<AverageSum> heads;
  AverageSum uniform;
};

class TextStudier {
 public:
  explicit TextStudier(const TextStudyChoice& choice) : choice_(choice), executor_(choice.memory_budget) {}

  Result<TextStudy> study(std::span<const StudyText> texts, const ReadText& read) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (choice_.progress) choice_.progress(static_cast<Index>(i) + 1, std::ssize(texts));
      const Result<Experiment> experiment = read(texts[i].text);
      if (!experiment) return fail_at(texts[i], experiment.error());
      const Result<void> added = add(*experiment, texts[i]);
      if (choice_.stop.stop_requested()) return stopped_study();
      if (!added) return fail_at(texts[i], added.error());
      // The model's weights stay; what it made of this text would be in memory beside what it makes of the next one.
      executor_.forget_results();
    }
    for (const AttentionSum& each : sums_) {
      AttentionAverages averages = {each.tensor, each.layer, {}, each.uniform.averages()};
      for (const AverageSum& head : each.heads) averages.heads.push_back(head.averages());
      study_.attentions.push_back(std::move(averages));
    }
    return std::move(study_);
  }

 private:
  Result<void> add(const Experiment& experiment, const StudyText& text) {
    Progress progress;
    progress.stop = choice_.stop;
    progress.pool = &pool_;
    const Result<std::shared_ptr<const Trace>> trace =
        executor_.run(experiment, plan_of_heads(experiment), progress, {});
    if (!trace) return tl::unexpected(trace.error());
    if (study_.warnings.empty()) {
      for (const std::string& warning : (*trace)->warnings()) study_.warnings.push_back(text.name + ": " + warning);
    }
    std::size_t at = 0;
    for (const LayerAttention& each : layer_attentions(**trace)) {
      if (choice_.layer && each.layer != *choice_.layer) continue;
      if (at == sums_.size()) sums_.emplace_back().layer = each.layer;
      if (!measure(**trace, each.weights, sums_[at++]))
        return fail((*trace)->failure().value_or("stopped before it was done"));
    }
    if (const std::optional<std::string> failure = (*trace)->failure()) return fail(*failure);
    return {};
  }

  /// False if stopped, or if numbers cannot be read.
  bool measure(const Trace& trace, int weights, AttentionSum& to) {
    const bool is_first = to.heads.empty();
    std::optional<HeadMeasures> measured = measure_heads(
        trace, weights,
        {.rank = choice_.rank, .distances = false, .rollout = false, .circuits = is_first, .stop = choice_.stop});
    if (!measured) return false;
    study_.rows_left_out += measured->left_out;
    to.uniform.add(measured->uniform);
    if (is_first) {
      to.tensor = measured->tensor;
      to.first = measured->heads;
      to.heads.resize(to.first.size());
    }
    for (std::size_t head = 0; head < to.heads.size(); ++head) {
      MeasureRow& row = measured->heads[head];
      // Weight matrices are the same in every text, and going through them takes longer than a short text.
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (measures()[i].of_circuit) row[i] = to.first[head][i];
      }
      to.heads[head].add(row);
    }
    return true;
  }

  const TextStudyChoice& choice_;
  ThreadPool pool_;
  Executor executor_;
  std::vector<AttentionSum> sums_;
  TextStudy study_;
};

}  // namespace

Result<CheckedTexts> check_texts(std::span<const StudyText> texts, const ReadText& read, const StopToken& stop) {
  CheckedTexts checked;
  for (const StudyText& text : texts) {
    if (stop.stop_requested()) return stopped_study();
    const Result<Experiment> experiment = read(text.text);
    if (!experiment) return fail_at(text, experiment.error());
    const Index tokens = std::ssize(experiment->text.ids);
    checked.fewest_tokens = checked.attentions.empty() ? tokens : std::min(checked.fewest_tokens, tokens);
    checked.most_tokens = std::max(checked.most_tokens, tokens);
    const Plan planned = plan(*experiment);
    const std::vector<LayerAttention> attentions = layer_attentions(planned, experiment->model != nullptr);
    checked.attentions.resize(attentions.size());
    for (std::size_t i = 0; i < attentions.size(); ++i) {
      const PlannedStep& step = planned.steps[static_cast<std::size_t>(attentions[i].weights)];
      CheckedTexts::Attention& attention = checked.attentions[i];
      attention.tensor = step.name;
      attention.layer = attentions[i].layer;
      attention.rank_operations += rank_operations(step.axes);
    }
  }
  return checked;
}

Result<TextStudy> study_texts(std::span<const StudyText> texts, const ReadText& read, const TextStudyChoice& choice) {
  return TextStudier(choice).study(texts, read);
}

}  // namespace attnscope
