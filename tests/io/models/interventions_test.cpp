// Interventions on small models of every family, against loops that are written out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "core/heads/head_measures.h"
#include "core/plan/validate.h"
#include "core/residual/answer_change.h"
#include "core/residual/contributions.h"
#include "core/trace/run.h"
#include "figure/slices/token_names.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

using Kind = Intervention::Kind;

std::shared_ptr<const Trace> computed(const Experiment& experiment) {
  const Result<void> valid = validate(experiment, kDefaultMemoryBudget);
  if (!valid) throw std::runtime_error(valid.error().message);
  return run(experiment).value();
}

std::string refusal(const Experiment& experiment) {
  const Result<void> valid = validate(experiment, kDefaultMemoryBudget);
  std::string message = valid ? "" : valid.error().message;
  const std::string folder = experiment.model != nullptr ? experiment.model->folder() + ": " : "";
  return message.starts_with(folder) ? message.substr(folder.size()) : message;
}

/// A text of the same length with other tokens.
ModelText other_text(const Experiment& experiment) {
  ModelText other = experiment.text;
  std::ranges::reverse(other.ids);
  other.ids.front() = (other.ids.front() + 1) % 5;
  return other;
}

/// The tensors on which there can be interventions.
std::vector<std::string> parts_of(const Trace& trace) {
  std::vector<std::string> parts;
  for (const Step& step : trace.steps()) {
    if (can_intervene(step.name)) parts.push_back(step.name);
  }
  return parts;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.axes() == b.axes() && std::ranges::equal(a.values(), b.values());
}

class InterventionModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    experiment_ = golden_experiment(kGoldenModels / GetParam());
    sees_picture_ = !experiment_.picture.empty();
    if (!sees_picture_) experiment_.patch_text = other_text(experiment_);
    plain_ = computed(experiment_);
  }

  [[nodiscard]] bool has_heads(const std::string& tensor) const { return tensor.ends_with("head_outputs"); }

  [[nodiscard]] Index last_head(const std::string& tensor) const { return plain_->tensor(tensor).size(0) - 1; }

  /// What row `position` of head `head` has to be.
  static std::vector<double> expected_row(const Tensor& own, const Tensor* other, Kind kind, Index head,
                                          Index position) {
    const bool heads = own.axes().size() == 3;
    const auto at = [&](const Tensor& tensor, Index row, Index i) {
      return static_cast<double>(heads ? tensor.at(std::vector<Index>{head, row, i})
                                       : tensor.at(std::vector<Index>{row, i}));
    };
    const Index rows = own.size(-2);
    std::vector<double> row(static_cast<std::size_t>(own.size(-1)));
    for (Index i = 0; i < own.size(-1); ++i) {
      double& value = row[static_cast<std::size_t>(i)];
      if (kind == Kind::patched) value = at(*other, position, i);
      for (Index each = 0; kind == Kind::mean && each < rows; ++each)
        value += at(own, each, i) / static_cast<double>(rows);
    }
    return row;
  }

  Experiment experiment_;
  bool sees_picture_ = false;
  std::shared_ptr<const Trace> plain_;
};

TEST_P(InterventionModel, EveryPartBecomesWhatIsSaidAndNothingElseDoes) {
  Experiment other = experiment_;
  other.text = experiment_.patch_text;
  const auto others = sees_picture_ ? nullptr : computed(other);
  for (const std::string& tensor : parts_of(*plain_)) {
    for (const Kind kind : {Kind::off, Kind::mean, Kind::patched}) {
      if (kind == Kind::patched && sees_picture_) continue;
      SCOPED_TRACE(tensor + " " + std::string(kind_name(kind)));
      Experiment changed = experiment_;
      const Index head = has_heads(tensor) ? last_head(tensor) : -1;
      changed.interventions = {{tensor, head < 0 ? std::nullopt : std::optional(head), {}, kind}};
      const auto trace = computed(changed);
      const Tensor& own = trace->tensor(tensor);
      EXPECT_TRUE(same_bits(own, plain_->tensor(tensor))) << "what is replaced is still there to be seen";
      const Tensor& now = trace->tensor(changed_name(tensor));
      const Tensor* const from = kind == Kind::patched ? &others->tensor(tensor) : nullptr;
      for (Index position = 0; position < own.size(-2); ++position) {
        const std::vector<double> row = expected_row(own, from, kind, head, position);
        for (Index i = 0; i < own.size(-1); ++i) {
          const auto index = head < 0 ? std::vector<Index>{position, i} : std::vector<Index>{head, position, i};
          ASSERT_NEAR(static_cast<double>(now.at(index)), row[static_cast<std::size_t>(i)], 1e-6);
          if (head < 1) continue;
          const std::vector<Index> beside = {0, position, i};
          ASSERT_EQ(now.at(beside), own.at(beside)) << "another head";
        }
      }
    }
  }
}

TEST_P(InterventionModel, EveryCellExplainsItself) {
  const std::vector<std::string> parts = parts_of(*plain_);
  Experiment changed = experiment_;
  Kind kind = Kind::off;
  for (const std::string& tensor : parts) {
    if (tensor.ends_with(".out")) continue;
    changed.interventions.push_back({tensor, has_heads(tensor) ? std::optional<Index>(0) : std::nullopt, {}, kind});
    changed.interventions.push_back(
        {tensor, has_heads(tensor) ? std::optional(last_head(tensor)) : std::nullopt, 1, Kind::mean});
    kind = kind == Kind::off && !sees_picture_ ? Kind::patched : Kind::off;
  }
  const auto trace = computed(changed);
  for (std::size_t step = 0; step < trace->steps().size(); ++step) {
    const Step& each = trace->steps()[step];
    if (!each.name.starts_with("patch.") && each.name.find("changed_") == std::string::npos) continue;
    const Index count = each.tensor->count();
    for (Index at = 0; at < count; at += std::max<Index>(1, count / 20)) {
      const std::vector<Index> index = index_in(each.axes, at);
      const Explanation why = explain(*trace, static_cast<int>(step), index);
      const double limit = 1e-5 * std::max(1.0, std::abs(why.value));
      if (!std::isfinite(why.value)) continue;
      EXPECT_NEAR(why.computed, why.value, limit) << each.name;
    }
  }
}

TEST_P(InterventionModel, TheStreamOfTheOtherTextGivesItsAnswer) {
  const std::optional<ResidualStream> stream = residual_stream(*plain_);
  if (!stream || sees_picture_) return;
  const std::string last = plain_->steps()[static_cast<std::size_t>(stream->states.back())].name;
  Experiment changed = experiment_;
  changed.interventions = {{last, {}, {}, Kind::patched}};
  Experiment other = experiment_;
  other.text = experiment_.patch_text;
  // Of a decoder, which reads its own text, the stream of a changed encoder.
  EXPECT_TRUE(same_bits(computed(changed)->tensor("logits"), computed(other)->tensor("logits")));
  EXPECT_FALSE(same_bits(computed(changed)->tensor("logits"), plain_->tensor("logits")));
}

TEST_P(InterventionModel, TypingHasTheBitsOfAFreshRun) {
  if (sees_picture_) return;
  Experiment changed = experiment_;
  const std::vector<std::string> parts = parts_of(*plain_);
  changed.interventions = {{parts[0], 0, {}, Kind::mean}, {parts[0], last_head(parts[0]), 0, Kind::off}};
  changed.interventions.push_back(
      {parts[1], has_heads(parts[1]) ? std::optional<Index>(0) : std::nullopt, {}, Kind::patched});
  Executor typing;
  const std::vector<Index> whole = changed.text.ids;
  for (const std::size_t length : {whole.size() - 1, whole.size(), whole.size() - 2, whole.size()}) {
    changed.text.ids.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const auto typed = *typing.run(changed);
    const auto fresh = computed(changed);
    for (const Step& step : fresh->steps()) EXPECT_TRUE(same_bits(*typed->find(step.name)->tensor, *step.tensor));
  }
}

TEST_P(InterventionModel, SaysWhatBecameOfTheAnswer) {
  const std::optional<ResidualStream> stream = residual_stream(*plain_);
  if (!stream) return;
  Experiment changed = experiment_;
  changed.interventions = {{parts_of(*plain_).back(), {}, {}, Kind::mean}};
  if (has_heads(changed.interventions[0].tensor)) changed.interventions[0].head = 0;
  const auto trace = computed(changed);
  const auto bare = without_interventions(*trace);
  ASSERT_NE(bare, nullptr);
  for (const Step& step : plain_->steps()) EXPECT_TRUE(same_bits(*bare->find(step.name)->tensor, *step.tensor));
  const Tensor& before = plain_->tensor("logits");
  const Tensor& after = trace->tensor("logits");
  const Index position = before.size(0) - 1;
  const AnswerChange change = answer_change(*bare, *trace, position);
  const auto probability = [&](const Tensor& logits, Index answer) {
    double sum = 0;
    for (Index i = 0; i < logits.size(1); ++i)
      sum += std::exp(static_cast<double>(logits.at(std::vector<Index>{position, i})));
    return std::exp(static_cast<double>(logits.at(std::vector<Index>{position, answer}))) / sum;
  };
  double divergence = 0;
  for (Index i = 0; i < before.size(1); ++i) {
    divergence += probability(before, i) * std::log(probability(before, i) / probability(after, i));
    EXPECT_LE(before.at(std::vector<Index>{position, i}),
              before.at(std::vector<Index>{position, change.before.number}));
  }
  const std::vector<Index> cell = {position, change.before.number};
  EXPECT_NEAR(change.logit, static_cast<double>(after.at(cell)) - static_cast<double>(before.at(cell)), 1e-9);
  EXPECT_NEAR(change.log_probability, std::log(probability(after, cell[1])) - std::log(probability(before, cell[1])),
              1e-6);
  EXPECT_NEAR(change.divergence, divergence, 1e-6);
  EXPECT_GE(change.divergence, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, InterventionModel, testing::ValuesIn(golden_folders()), test_name);

/// Without norms a head of the last layer that is off takes exactly its part from the logit.
TEST(Interventions, AHeadThatIsOffTakesItsContributionAway) {
  Experiment experiment = golden_experiment(kGoldenModels / "attention-only-1");
  const auto plain = computed(experiment);
  const LogitChoice choice = {3, 2, {}};
  const Contributions parts = *contributions(*plain, *residual_sum(*plain), choice);
  const std::string layer = "layer" + std::to_string(parts.layers.size());
  for (Index head = 0; head < std::ssize(parts.layers.back().heads); ++head) {
    experiment.interventions = {{layer + ".head_outputs", head, {}, Kind::off}};
    const auto changed = computed(experiment);
    const AnswerChange change = change_of_answer(*plain, *changed, choice.position, choice.answer);
    EXPECT_NEAR(change.logit, -parts.layers.back().heads[static_cast<std::size_t>(head)], 1e-5);
    const Contributions left = *contributions(*changed, *residual_sum(*changed), choice);
    EXPECT_NEAR(left.sum, left.traced, 1e-4) << "what is left adds up too";
    EXPECT_EQ(left.layers.back().heads[static_cast<std::size_t>(head)], 0);
  }
}

TEST(Interventions, AReplacedStreamIsNoSumOfWhatWasAddedBefore) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  experiment.interventions = {{"layer1.out", {}, 0, Kind::off}};
  const Result<ResidualSum> sum = residual_sum(*computed(experiment));
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().message,
            "An intervention replaces the residual stream: what was added before it is no longer in the sum.");
}

TEST(Interventions, APositionCountsBeforeTheWholeAndMissingOnesStay) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  experiment.patch_text.ids = {experiment.text.ids[1], experiment.text.ids[0]};
  experiment.interventions = {{"layer1.mlp_out", {}, 0, Kind::off}, {"layer1.mlp_out", {}, {}, Kind::patched}};
  const auto trace = computed(experiment);
  const Tensor& own = trace->tensor("layer1.mlp_out");
  const Tensor& other = trace->tensor("patch.layer1.mlp_out");
  const Tensor& now = trace->tensor("layer1.changed_mlp_out");
  for (Index i = 0; i < own.size(1); ++i) {
    EXPECT_EQ(now.at(std::vector<Index>{0, i}), 0.0F);
    EXPECT_EQ(now.at(std::vector<Index>{1, i}), other.at(std::vector<Index>{1, i}));
    EXPECT_EQ(now.at(std::vector<Index>{2, i}), own.at(std::vector<Index>{2, i}));
  }
  EXPECT_EQ(trace->find("patch.layer1.out"), nullptr) << "only what is needed is computed of the other text";
}

TEST(Interventions, HeadsOfTheOtherTextAreNotThoseOfTheModel) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  experiment.text.ids = {1, 2, 1, 3};
  experiment.patch_text.ids = {1, 2, 4, 3};
  for (const Index id : {10, 20, 10, 30}) experiment.text.pieces.push_back("t" + std::to_string(id));
  for (const Index id : {10, 20, 40, 30}) experiment.patch_text.pieces.push_back("p" + std::to_string(id));
  experiment.interventions = {{"layer2.head_outputs", 0, {}, Kind::patched}};
  const auto trace = computed(experiment);
  const Step* const other = trace->find("patch.layer1.weights");
  ASSERT_NE(other, nullptr);
  for (const int step : attention_steps_of(*trace)) EXPECT_FALSE(trace->step(step).name.starts_with("patch."));
  EXPECT_EQ(TokenNames(*trace, other->name, other->axes.back(), 0).of(2), "p40");
  EXPECT_EQ(TokenNames(*trace, "layer1.weights", other->axes.back(), 0).of(2), "t10");
}

TEST(Interventions, WhatCannotBeIsRefusedInOneLine) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  const auto refused = [&](Intervention intervention) {
    Experiment changed = experiment;
    changed.interventions = {std::move(intervention)};
    return refusal(changed);
  };
  EXPECT_EQ(refused({"layer1.q", 0, {}, Kind::off}),
            "interventions: tensor: \"layer1.q\" is not allowed; allowed: head_outputs, scores, mlp_out or out of a "
            "layer, such "
            "as layer2.head_outputs");
  EXPECT_EQ(refused({"layer1.head_outputs", {}, {}, Kind::off}),
            "interventions: layer1.head_outputs has heads; allowed: one with a head");
  EXPECT_EQ(refused({"layer1.mlp_out", 0, {}, Kind::off}),
            "interventions: layer1.mlp_out has no heads; allowed: no head");
  EXPECT_EQ(refused({"layer9.mlp_out", {}, {}, Kind::off}),
            "interventions: this model has no layer9.mlp; allowed: heads and MLPs of its layers");
  EXPECT_EQ(refused({"layer1.head_outputs", 99, {}, Kind::off}),
            "interventions: layer1.head100: there is no head 100; allowed: 1 to " +
                std::to_string(computed(experiment)->tensor("layer1.q").size(0)));
  EXPECT_EQ(refused({"layer1.mlp_out", {}, 99, Kind::off}),
            "interventions: layer1.mlp@100: there is no position 100; allowed: 1 to " +
                std::to_string(experiment.text.ids.size()));
  EXPECT_EQ(refused({"layer1.mlp_out", {}, {}, Kind::patched}),
            "interventions: layer1.mlp is patched, but there is no text to patch from; allowed with patch_text");
  experiment.patch_text.ids = {1'000'000};
  EXPECT_EQ(refused({"layer1.mlp_out", {}, {}, Kind::patched}).substr(0, 46),
            "patch_text: the token id 1000000 is not allowe");
  experiment.interventions = {{"layer1.mlp_out", {}, {}, Kind::off}, {"layer1.mlp_out", {}, {}, Kind::mean}};
  EXPECT_EQ(refusal(experiment), "interventions: layer1.mlp appears twice; allowed: each part once");
  Experiment system = *default_experiment("worked-example");
  system.interventions = {{"layer1.mlp_out", {}, {}, Kind::off}};
  EXPECT_EQ(refusal(system), "interventions: worked-example has no trained layers; allowed with transformer");
}

TEST(Interventions, PartsHaveNamesThatCountFromOne) {
  for (const char* const name : {"layer2.head3", "decoder.layer1.cross_head2", "encoder.layer12.mlp", "layer2.out",
                                 "layer2.head3@5", "layer1.mlp@1"}) {
    const Result<Intervention> part = intervention_on(name);
    ASSERT_TRUE(part) << name;
    EXPECT_TRUE(can_intervene(part->tensor)) << part->tensor;
    EXPECT_EQ(part_name(*part), name);
  }
  const Intervention head = *intervention_on("decoder.layer1.cross_head2@5");
  EXPECT_EQ(head.tensor, "decoder.layer1.cross_head_outputs");
  EXPECT_EQ(head.head, 1);
  EXPECT_EQ(head.position, 4);
  EXPECT_EQ(part_title(head), "Decoder layer 1, cross-attention, head 2, position 5");
  EXPECT_EQ(part_title(*intervention_on("layer2.mlp")), "Layer 2, MLP");
  for (const char* const name : {"", "layer2", "layer0.mlp", "layer2.head0", "layer2.head", "layer2.head-1", "head3",
                                 "layer2.head3@0", "layer2.mlp@", "layer2.q", "layer2.cross_mlp", "layer02.mlp",
                                 "layer99999999999999999999.mlp", "decoder.encoder.layer1.mlp"}) {
    EXPECT_FALSE(intervention_on(name)) << name;
  }
}

}  // namespace
}  // namespace attnscope::test
