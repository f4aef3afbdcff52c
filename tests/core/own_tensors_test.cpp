// The user's own tensors: which take part, what their axes are, and that they are computed with as they are.
#include "core/own_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/explain.h"
#include "core/head_measures.h"
#include "core/run.h"
#include "core/script.h"

namespace attnscope::test {
namespace {

/// Tensors in memory whose numbers are made by a formula: the place in C order, scaled.
class MadeTensors final : public GivenTensors {
 public:
  struct Made {
    std::string name;
    std::vector<Index> shape;
  };

  explicit MadeTensors(const std::vector<Made>& made, std::string file = "made.npz") : file_(std::move(file)) {
    for (const Made& each : made) tensors_.push_back({each.name, each.shape, ""});
  }

  [[nodiscard]] const std::string& file() const override { return file_; }
  [[nodiscard]] std::span<const GivenTensor> tensors() const override { return tensors_; }
  Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> end, std::span<float> out,
                    const std::stop_token& /*stop*/) const override {
    if (broken) return fail(file_ + ": the file has changed");
    const std::vector<Index>& shape = tensors_[which].shape;
    std::vector<Index> index(begin.begin(), begin.end());
    for (float& number : out) {
      number = value(which, index);
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++index[axis] < end[axis]) break;
        index[axis] = begin[axis];
      }
    }
    return {};
  }
  [[nodiscard]] float value(std::size_t which, const std::vector<Index>& index) const {
    Index offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) offset = offset * tensors_[which].shape[axis] + index[axis];
    return static_cast<float>(static_cast<double>((offset * 37 + static_cast<Index>(which) * 11) % 101) / 50 - 1);
  }

  bool broken = false;

 private:
  std::string file_;
  std::vector<GivenTensor> tensors_;
};

std::shared_ptr<MadeTensors> made(const std::vector<MadeTensors::Made>& tensors, const std::string& file = "made.npz") {
  return std::make_shared<MadeTensors>(tensors, file);
}

std::string axes_of(const Trace& trace, const std::string& name) {
  const Step* const step = trace.find(name);
  if (step == nullptr) return "none";
  std::string text;
  for (const Axis& axis : step->axes) text += (text.empty() ? "" : ",") + axis.name + std::to_string(axis.size);
  return text;
}

std::shared_ptr<const Trace> trace_on(const std::shared_ptr<MadeTensors>& tensors, const std::string& axes = "guess") {
  Result<Experiment> experiment = experiment_on(tensors);
  EXPECT_TRUE(experiment) << experiment.error().message;
  experiment->parameters["axes"] = axes;
  const Result<void> valid = validate(*experiment);
  EXPECT_TRUE(valid) << valid.error().message;
  return *run(*experiment);
}

TEST(OwnTensors, WeightsOfEveryLayerAreHeads) {
  const auto one = trace_on(made({{"attentions", {3, 2, 5, 5}}}));
  EXPECT_EQ(axes_of(*one, "weights"), "head2,query5,key5");
  EXPECT_EQ(axes_of(*one, "layer3.weights"), "head2,query5,key5");
  EXPECT_EQ(axes_of(*one, "layer4.weights"), "none");
  EXPECT_EQ(attention_steps_of(*one).size(), 3U);
  // Names say which layer; not the order in the file.
  const auto tensors =
      made({{"layers.1.attn", {2, 4, 4}}, {"layers.10.attn", {2, 4, 4}}, {"layers.2.attn", {2, 4, 4}}});
  const auto named = trace_on(tensors);
  EXPECT_EQ(named->tensor("layer2.weights").at(std::vector<Index>{1, 2, 3}), tensors->value(2, {1, 2, 3}));
  EXPECT_EQ(named->tensor("layer3.weights").at(std::vector<Index>{1, 2, 3}), tensors->value(1, {1, 2, 3}));
}

TEST(OwnTensors, AnArrayAloneIsWeightsWhateverItIsCalled) {
  EXPECT_EQ(axes_of(*trace_on(made({{"", {7, 6}}}, "/tmp/x.npy")), "weights"), "query7,key6");
  EXPECT_EQ(axes_of(*trace_on(made({{"bert_17", {4, 6, 6}}})), "weights"), "head4,query6,key6");
}

TEST(OwnTensors, TheGuessCanBeCorrected) {
  const auto tensors = made({{"attn", {3, 2, 5, 5}}});
  EXPECT_EQ(possible_axes(*tensors, kUseWeights),
            (std::vector<std::string>{"layer head query key", "batch head query key"}));
  const auto batched = trace_on(tensors, "batch head query key");
  EXPECT_EQ(axes_of(*batched, "weights"), "batch3,head2,query5,key5");
  EXPECT_EQ(axes_of(*batched, "layer2.weights"), "none");
  for (const std::string& order : possible_axes(*tensors, kUseWeights)) {
    const std::vector<std::string> known = axis_orders();
    EXPECT_NE(std::find(known.begin(), known.end(), order), known.end()) << order;
  }
  Experiment experiment = *experiment_on(tensors);
  experiment.parameters["axes"] = std::string("head query key");
  const Result<void> valid = validate(experiment);
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().message,
            "axes: \"head query key\" is not allowed for attn [3, 2, 5, 5]; allowed: guess, layer head query key, "
            "batch head query key");
}

TEST(OwnTensors, QueriesAndKeysAreAttendedWith) {
  const auto tensors = made({{"q", {2, 3, 4, 8}}, {"k", {2, 3, 5, 8}}, {"v", {2, 3, 5, 6}}});
  const auto trace = trace_on(tensors);
  EXPECT_EQ(axes_of(*trace, "scores"), "batch2,head3,query4,key5");
  EXPECT_EQ(axes_of(*trace, "head_outputs"), "batch2,head3,query4,dim6");
  double sum = 0;
  for (Index dim = 0; dim < 8; ++dim)
    sum +=
        static_cast<double>(tensors->value(0, {1, 2, 3, dim})) * static_cast<double>(tensors->value(1, {1, 2, 4, dim}));
  EXPECT_NEAR(trace->tensor("scores").at(std::vector<Index>{1, 2, 3, 4}), sum / std::sqrt(8.0), 1e-6);
  // Values are not needed for that.
  const auto without = trace_on(made({{"q", {4, 8}}, {"k", {5, 8}}}));
  EXPECT_EQ(axes_of(*without, "weights"), "query4,key5");
  EXPECT_EQ(axes_of(*without, "head_outputs"), "none");
}

TEST(OwnTensors, AxesInAnotherOrderAreTurned) {
  const auto tensors = made({{"query", {2, 300, 3, 8}}, {"key", {2, 300, 3, 8}}});
  const auto trace = trace_on(tensors);
  ASSERT_EQ(axes_of(*trace, "q"), "batch2,head3,query300,dim8");
  for (const std::vector<Index>& at : {std::vector<Index>{0, 0, 0, 0}, {1, 2, 299, 7}, {1, 1, 57, 3}}) {
    EXPECT_EQ(trace->tensor("q").at(at), tensors->value(0, {at[0], at[2], at[1], at[3]}));
    EXPECT_EQ(trace->tensor("k").at(at), tensors->value(1, {at[0], at[2], at[1], at[3]}));
  }
}

TEST(OwnTensors, ScoresGoThroughTheSoftmax) {
  const auto trace = trace_on(made({{"scores", {2, 4, 4}}, {"other", {3, 3}}}));
  const Tensor& weights = trace->tensor("weights");
  for (Index query = 0; query < 4; ++query) {
    double sum = 0;
    for (Index key = 0; key < 4; ++key) sum += static_cast<double>(weights.at(std::vector<Index>{1, query, key}));
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(OwnTensors, AFileWithAllOfThemLeavesTheChoice) {
  const auto tensors = made({{"q", {4, 8}}, {"k", {4, 8}}, {"attn", {4, 4}}, {"logits", {4, 4}}});
  EXPECT_EQ(possible_uses(*tensors), (std::vector<std::string>{kUseWeights, kUseScores, kUseQueries}));
  Experiment experiment = *experiment_on(tensors);
  EXPECT_EQ(experiment.choice("use"), kUseWeights);
  experiment.parameters["use"] = std::string(kUseQueries);
  EXPECT_EQ(axes_of(**run(experiment), "scores"), "query4,key4");
}

TEST(OwnTensors, WhatIsNoAttentionOrDoesNotGoTogetherIsRefused) {
  const auto refusal = [](const std::vector<MadeTensors::Made>& tensors) {
    const Result<Experiment> experiment = experiment_on(made(tensors));
    return experiment ? "accepted" : experiment.error().message;
  };
  EXPECT_EQ(
      refusal({{"a", {3, 3}}, {"b", {4}}, {"c", {2, 2}}}),
      "made.npz: no tensor is called like attention weights, scores, or queries and keys; it has a [3, 3], b [4], "
      "c [2, 2]");
  EXPECT_EQ(refusal({{"q", {2, 4, 8}}, {"k", {3, 4, 8}}}),
            "made.npz: keys do not go with the queries: [head 3, key 4, dim 8]; allowed: as [head 2, query 4, dim 8]");
  EXPECT_EQ(refusal({{"q", {4, 8}}, {"k", {4, 8}}, {"v", {5, 8}}}),
            "made.npz: values do not go with the queries: [key 5, dim 8]; allowed: as [key 4, dim 8]");
  EXPECT_EQ(refusal({{"layers.0.q", {4, 8}}, {"layers.1.q", {4, 8}}, {"layers.0.k", {4, 8}}}),
            "made.npz: keys of 1 layer; allowed: as many as there are queries, 2");
  EXPECT_EQ(refusal({{"attn", {600, 2, 2, 2}}}), "made.npz: 600 layers are not allowed; allowed: at most 512");
  EXPECT_FALSE(validate(*default_experiment("own-tensors")));
  Experiment other = *default_experiment("worked-example");
  other.tensors = made({{"attn", {2, 2}}});
  EXPECT_FALSE(validate(other));
}

TEST(OwnTensors, RowsThatAreNoWeightsAreSaidAndNotChanged) {
  const auto tensors = made({{"attn", {2, 4, 4}}});
  const auto trace = trace_on(tensors);
  ASSERT_EQ(trace->warnings().size(), 1U);
  EXPECT_EQ(trace->warnings()[0], "weights: 8 of 8 rows do not sum to 1; they are shown as they are");
  EXPECT_EQ(trace->tensor("weights").at(std::vector<Index>{1, 2, 3}), tensors->value(0, {1, 2, 3}));
}

TEST(OwnTensors, AFileThatChangedGivesNoNumbersAndSaysSo) {
  const auto tensors = made({{"attn", {2, 4, 4}}});
  const Experiment experiment = *experiment_on(tensors);
  tensors->broken = true;
  const auto trace = *run(experiment);
  EXPECT_TRUE(std::isnan(trace->tensor("weights").values()[5]));
  EXPECT_TRUE(std::any_of(trace->warnings().begin(), trace->warnings().end(), [](const std::string& each) {
    return each == "weights has 32 numbers that are not finite";
  }));
}

TEST(OwnTensors, EveryNumberSaysWhereItIsFrom) {
  const auto trace = trace_on(made({{"attentions", {3, 2, 5, 5}}}));
  const auto step = static_cast<int>(trace->find("layer2.weights") - trace->steps().data());
  const std::vector<Index> index = {1, 2, 3};
  const Explanation explanation = explain(*trace, step, index);
  EXPECT_EQ(explanation.note, "given: attentions[1, 1, 2, 3] of made.npz");
  EXPECT_EQ(explanation.computed, static_cast<double>(trace->value(step, index)));
}

TEST(OwnTensors, TheScriptReadsTheSameFile) {
  const std::string script = pytorch_script(*experiment_on(made({{"q", {2, 300, 3, 8}}, {"k", {2, 300, 3, 8}}})));
  for (const char* line : {"numpy.load(\"made.npz\")", "q = given[\"q\"].permute(0, 2, 1, 3)", "/ math.sqrt(8)"})
    EXPECT_NE(script.find(line), std::string::npos) << line << "\n" << script;
}

}  // namespace
}  // namespace attnscope::test
