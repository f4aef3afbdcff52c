#include "core/heads/finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/heads/attention_list.h"
#include "core/heads/found_mask.h"
#include "core/heads/head_rows.h"
#include "core/heads/metrics.h"
#include "core/heads/repeated_tokens.h"
#include "core/models/models.h"
#include "core/plan/plan_part.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"

namespace attnscope {
namespace {

constexpr std::array kTested = {"previous_token", "next_token", "first_token", "duplicate_token", "induction"};

/// [head, layer by layer][measure], of one text.
using Measured = std::vector<std::vector<double>>;

struct MeasuredText {
  Measured heads;
  Measured uniform;
};

/// The measures over the queries of the second copy.
class SecondCopy {
 public:
  /// `tokens` has the repeated ones last, `count` in each copy.
  SecondCopy(const HeadPattern& head, std::span<const Index> tokens, Index count)
      : head_(head), tokens_(tokens), begin_(std::ssize(tokens) - count), sums_(finder_measures().size()) {}

  void add(Index query, std::span<const float> weights) {
    if (query < begin_ || !all_finite(weights)) return;
    const AttentionRow row = {head_, query, weights, tokens_, 0, 0};
    for (std::size_t i = 0; i < sums_.size(); ++i) finder_measures()[i].add(row, sums_[i]);
  }

  /// A next token that a causal mask hides counts as attention of 0.
  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> means;
    for (const MeasureSum& each : sums_)
      means.push_back(each.count > 0 ? each.sum / each.count : std::numeric_limits<double>::quiet_NaN());
    return means;
  }

 private:
  const HeadPattern& head_;
  std::span<const Index> tokens_;
  Index begin_;
  std::vector<MeasureSum> sums_;
};

std::vector<double> measured_uniform(const HeadPattern& like, std::span<const Index> tokens, Index count) {
  SecondCopy sums(like, tokens, count);
  std::vector<float> row(tokens.size());
  for (Index query = 0; query < std::ssize(tokens); ++query) {
    uniform_row(like, query, row);
    sums.add(query, row);
  }
  return sums.means();
}

/// The plan up to the last attention that is tested: neither what follows it nor a decoder is computed.
std::shared_ptr<const Plan> plan_of_attentions(const Experiment& experiment) {
  return std::make_shared<const Plan>(plan_up_to_last(experiment, [](const PlannedStep& step) {
    return step.name.ends_with(".weights") && !step.name.starts_with("decoder.");
  }));
}

class HeadFinder {
 public:
  HeadFinder(std::shared_ptr<const Model> model, const Finding& finding)
      : model_(std::move(model)), finding_(finding), executor_(finding.memory_budget) {}

  Result<FoundHeads> find() {
    const Result<RepeatedTokens> tokens = RepeatedTokens::of(model_, finding_.memory_budget);
    if (!tokens) return tl::unexpected(tokens.error());
    found_ = {.tokens = tokens->count(), .first_token = tokens->first_token()};
    found_.interventions = finding_.interventions;
    found_.edits = finding_.edits;
    Experiment experiment = experiment_reading(model_, tokens->texts(1, true).repeated);
    experiment.interventions = finding_.interventions;
    experiment.edits = finding_.edits;
    if (const Result<void> valid = validate(experiment, finding_.memory_budget); !valid)
      return tl::unexpected(valid.error());
    runs_ = 2 * kFinderSeeds * (found_.first_token ? 2 : 1);
    const Result<std::vector<std::vector<FoundValue>>> values = tested(*tokens, true);
    if (!values) return tl::unexpected(values.error());
    for (std::size_t i = 0; i < values->size(); ++i) {
      found_.heads[i].values = (*values)[i];
      found_.heads[i].name = named_measure((*values)[i]);
    }
    if (!found_.first_token) return std::move(found_);
    const Result<std::vector<std::vector<FoundValue>>> without = tested(*tokens, false);
    if (!without) return tl::unexpected(without.error());
    for (std::size_t i = 0; i < without->size(); ++i) found_.heads[i].without_first = (*without)[i];
    return std::move(found_);
  }

 private:
  /// [head][measure]: all seeds, after the first token if `first` and the model has one.
  Result<std::vector<std::vector<FoundValue>>> tested(const RepeatedTokens& tokens, bool first) {
    std::vector<MeasuredText> repeated;
    std::vector<MeasuredText> shuffled;
    for (int seed = 1; seed <= kFinderSeeds; ++seed) {
      const RepeatedTokens::Texts texts = tokens.texts(seed, first);
      Result<MeasuredText> of_repeated = measured(texts.repeated, texts.repeated);
      if (!of_repeated) return tl::unexpected(of_repeated.error());
      Result<MeasuredText> of_shuffled = measured(texts.shuffled, texts.repeated);
      if (!of_shuffled) return tl::unexpected(of_shuffled.error());
      repeated.push_back(std::move(*of_repeated));
      shuffled.push_back(std::move(*of_shuffled));
    }
    std::vector<std::vector<FoundValue>> values(found_.heads.size());
    for (std::size_t head = 0; head < values.size(); ++head) {
      for (std::size_t i = 0; i < finder_measures().size(); ++i) {
        FoundValue& value = values[head].emplace_back();
        std::vector<double> samples;
        for (std::size_t seed = 0; seed < repeated.size(); ++seed) {
          samples.push_back(repeated[seed].heads[head][i]);
          value.shuffled += shuffled[seed].heads[head][i] / kFinderSeeds;
        }
        value.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / kFinderSeeds;
        double squares = 0;
        for (const double sample : samples) squares += (sample - value.mean) * (sample - value.mean);
        value.spread = std::sqrt(squares / (kFinderSeeds - 1));
        value.uniform = repeated.front().uniform[head][i];
      }
    }
    return values;
  }

  /// Lets the model read `text`, and measures its weights at the places that the tokens of `labels` say.
  Result<MeasuredText> measured(const std::vector<Index>& text, const std::vector<Index>& labels) {
    if (finding_.progress) finding_.progress(++run_, runs_);
    Experiment experiment = experiment_reading(model_, text);
    experiment.interventions = finding_.interventions;
    experiment.edits = finding_.edits;
    Progress progress;
    progress.stop = finding_.stop;
    progress.pool = &pool_;
    const Result<std::shared_ptr<const Trace>> trace =
        executor_.run(experiment, plan_of_attentions(experiment), progress, {});
    if (!trace) return tl::unexpected(trace.error());
    MeasuredText result;
    for (const LayerAttention& each : layer_attentions(**trace)) {
      if (!measure(**trace, each, labels, result))
        return fail((*trace)->failure().value_or("stopped before it was done"));
    }
    return result;
  }

  /// Adds the heads of one attention; false if stopped, or if numbers cannot be read.
  bool measure(const Trace& trace, const LayerAttention& attention, const std::vector<Index>& labels,
               MeasuredText& to) {
    const HeadRows rows(trace, attention.weights, 0, finding_.stop);
    for (Index head = 0; head < rows.heads() && !rows.ended(); ++head) {
      const HeadPattern pattern =
          head_pattern(trace, rows.step(), rows.leading(head), {nullptr, rows.queries(), rows.keys(), rows.keys(), 1});
      SecondCopy sums(pattern, labels, found_.tokens);
      if (!rows.each_row(head, [&](Index query, std::span<const float> row) { sums.add(query, row); })) return false;
      // The heads of all texts are the same.
      if (to.heads.size() == found_.heads.size())
        found_.heads.push_back({.tensor = rows.step().name, .layer = attention.layer, .head = head});
      found_.encoder = attention.kind == AttentionKind::encoder;
      to.heads.push_back(sums.means());
      // All heads of an attention have the same mask.
      to.uniform.push_back(head > 0 ? to.uniform.back() : measured_uniform(pattern, labels, found_.tokens));
    }
    return !rows.ended();
  }

  std::shared_ptr<const Model> model_;
  const Finding& finding_;
  ThreadPool pool_;
  Executor executor_;
  FoundHeads found_;
  int run_ = 0;
  int runs_ = 0;
};

}  // namespace

std::span<const Measure> finder_measures() {
  static const std::vector<Measure> tested = [] {
    std::vector<Measure> list;
    list.reserve(kTested.size());
    for (const char* const name : kTested) list.push_back(*std::ranges::find(measures(), name, &Measure::name));
    return list;
  }();
  return tested;
}

bool depends_on_tokens(const Measure& measure) {
  return measure.name == "duplicate_token" || measure.name == "induction";
}

std::string_view replaced_in_test(const FoundHeads& found, const FoundHead& head) {
  constexpr std::string_view weights = "weights";
  const std::string prefix = head.tensor.substr(0, head.tensor.size() - weights.size());
  for (const Intervention& each : found.interventions) {
    if (each.tensor == prefix + "head_outputs" && each.head == head.head && !each.position) return kind_name(each.kind);
  }
  return {};
}

std::optional<std::size_t> named_measure(std::span<const FoundValue> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const FoundValue& value = values[i];
    if (value.mean >= kNamedValue && value.over_uniform() >= kNamedMargin &&
        (!depends_on_tokens(finder_measures()[i]) || value.over_shuffled() >= kNamedMargin))
      return i;
  }
  return std::nullopt;
}

std::size_t largest_measure(const FoundHead& head) {
  const auto largest =
      std::ranges::max_element(head.values, [](const auto& a, const auto& b) { return a.mean < b.mean; });
  return static_cast<std::size_t>(largest - head.values.begin());
}

std::string no_finding(const Model& model) {
  const Result<const ModelFamily*> family = family_of(model);
  if (!family) return family.error().message;
  if ((*family)->input != ModelInput::picture) return {};
  return std::string((*family)->name) + " sees a picture: there are no tokens to repeat";
}

Result<FoundHeads> find_heads(const std::shared_ptr<const Model>& model, const Finding& finding) {
  if (const std::string why = no_finding(*model); !why.empty()) return fail(model->folder() + ": " + why);
  return HeadFinder(model, finding).find();
}

}  // namespace attnscope
