// Imported tensors: which take part, what their axes mean, and that computations use their exact numbers.
#include "support/imported_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/explain/explain.h"
#include "core/heads/head_measures.h"
#include "core/imported/imported_layers.h"
#include "core/plan/validate.h"
#include "core/script/script.h"
#include "core/trace/lazy_matrix.h"
#include "core/trace/run.h"
#include "imported_trace.h"

namespace attnscope::test {
namespace {

TEST(ImportedTensors, WeightsOfEveryLayerAreHeads) {
  const auto one = trace_on(made({{"attentions", {3, 2, 5, 5}}}));
  EXPECT_EQ(axes_of(*one, "weights"), "head2,query5,key5");
  EXPECT_EQ(axes_of(*one, "layer3.weights"), "head2,query5,key5");
  EXPECT_EQ(axes_of(*one, "layer4.weights"), "none");
  EXPECT_EQ(attention_steps_of(*one).size(), 3U);
  // Names determine the layer, not the order in the file.
  const auto tensors =
      made({{"layers.1.attn", {2, 4, 4}}, {"layers.10.attn", {2, 4, 4}}, {"layers.2.attn", {2, 4, 4}}});
  const auto named = trace_on(tensors);
  EXPECT_EQ(named->tensor("layer2.weights").at(std::vector<Index>{1, 2, 3}), tensors->value(2, {1, 2, 3}));
  EXPECT_EQ(named->tensor("layer3.weights").at(std::vector<Index>{1, 2, 3}), tensors->value(1, {1, 2, 3}));
}

TEST(ImportedTensors, BlocksOfAllStagesAreLayersInOrder) {
  const auto tensors = made({{"layers.1.blocks.0.attn", {4, 3, 3}},
                             {"layers.0.blocks.1.attn", {2, 5, 5}},
                             {"layers.0.blocks.0.attn", {2, 5, 5}}});
  EXPECT_EQ(tensor_groups(*tensors, kUseWeights), (std::vector<std::string>{"layers.0.blocks.0.attn and 2 more"}));
  const auto trace = trace_on(tensors);
  EXPECT_EQ(axes_of(*trace, "weights"), "head2,query5,key5");
  EXPECT_EQ(axes_of(*trace, "layer2.weights"), "head2,query5,key5");
  EXPECT_EQ(axes_of(*trace, "layer3.weights"), "head4,query3,key3");
  EXPECT_EQ(trace->tensor("layer2.weights").at(std::vector<Index>{1, 2, 3}), tensors->value(1, {1, 2, 3}));
}

TEST(ImportedTensors, AnArrayAloneIsWeightsWhateverItIsCalled) {
  EXPECT_EQ(axes_of(*trace_on(made({{"", {7, 6}}}, "/tmp/x.npy")), "weights"), "query7,key6");
  EXPECT_EQ(axes_of(*trace_on(made({{"bert_17", {4, 6, 6}}})), "weights"), "head4,query6,key6");
}

TEST(ImportedTensors, QueriesAndKeysAreAttendedWith) {
  const auto tensors = made({{"q", {2, 3, 4, 8}}, {"k", {2, 3, 5, 8}}, {"v", {2, 3, 5, 6}}});
  const auto trace = trace_on(tensors, "batch head token dim");
  EXPECT_EQ(axes_of(*trace, "scores"), "batch2,head3,query4,key5");
  EXPECT_EQ(axes_of(*trace, "head_outputs"), "batch2,head3,query4,dim6");
  double sum = 0;
  for (Index dim = 0; dim < 8; ++dim)
    sum +=
        static_cast<double>(tensors->value(0, {1, 2, 3, dim})) * static_cast<double>(tensors->value(1, {1, 2, 4, dim}));
  EXPECT_NEAR(trace->tensor("scores").at(std::vector<Index>{1, 2, 3, 4}), sum / std::sqrt(8.0), 1e-6);
  // This does not need values.
  const auto without = trace_on(made({{"q", {4, 8}}, {"k", {5, 8}}}));
  EXPECT_EQ(axes_of(*without, "weights"), "query4,key5");
  EXPECT_EQ(axes_of(*without, "head_outputs"), "none");
}

TEST(ImportedTensors, AxesInAnotherOrderAreTurned) {
  const auto tensors = made({{"query", {2, 300, 3, 8}}, {"key", {2, 300, 3, 8}}});
  const auto trace = trace_on(tensors, "batch token head dim");
  ASSERT_EQ(axes_of(*trace, "q"), "batch2,head3,query300,dim8");
  for (const std::vector<Index>& at : {std::vector<Index>{0, 0, 0, 0}, {1, 2, 299, 7}, {1, 1, 57, 3}}) {
    EXPECT_EQ(trace->tensor("q").at(at), tensors->value(0, {at[0], at[2], at[1], at[3]}));
    EXPECT_EQ(trace->tensor("k").at(at), tensors->value(1, {at[0], at[2], at[1], at[3]}));
  }
}

TEST(ImportedTensors, ManyNumbersInAnotherOrderAreReadInParts) {
  const auto tensors = made({{"q", {2, 1500, 3, 500}}, {"k", {2, 1500, 3, 500}}});
  Experiment experiment = *experiment_on(tensors);
  experiment.parameters["axes"] = std::string("batch token head dim");
  const auto trace = *Executor(100e6).run(experiment);
  const Tensor& q = trace->tensor("q");
  ASSERT_EQ(axes_of(*trace, "q"), "batch2,head3,query1500,dim500");
  for (Index at = 0; at < q.count(); at += 997) {
    const std::vector<Index> index = index_in(q.axes(), at);
    ASSERT_EQ(q.values()[static_cast<std::size_t>(at)], tensors->value(0, {index[0], index[2], index[1], index[3]}));
  }
}

TEST(ImportedTensors, ScoresGoThroughTheSoftmax) {
  const auto trace = trace_on(made({{"scores", {2, 4, 4}}, {"other", {3, 3}}}));
  const Tensor& weights = trace->tensor("weights");
  for (Index query = 0; query < 4; ++query) {
    double sum = 0;
    for (Index key = 0; key < 4; ++key) sum += static_cast<double>(weights.at(std::vector<Index>{1, query, key}));
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

TEST(ImportedTensors, AFileWithAllOfThemLeavesTheChoice) {
  const auto tensors = made({{"q", {4, 8}}, {"k", {4, 8}}, {"attn", {4, 4}}, {"logits", {4, 4}}});
  EXPECT_EQ(possible_uses(*tensors), (std::vector<std::string>{kUseWeights, kUseScores, kUseQueries, kUseTensors}));
  Experiment experiment = *experiment_on(tensors);
  EXPECT_EQ(experiment.choice("use"), kUseWeights);
  experiment.parameters["use"] = std::string(kUseQueries);
  EXPECT_EQ(axes_of(**run(experiment), "scores"), "query4,key4");
}

TEST(ImportedTensors, WhatDoesNotGoTogetherIsShownAsItIsAndSaidWhy) {
  const auto reason = [](const std::vector<MadeTensors::Made>& tensors) {
    const auto trace = trace_on(made(tensors));
    EXPECT_EQ(trace->experiment().choice("use"), kUseTensors);
    EXPECT_EQ(trace->experiment().view.name, "tensor");
    return trace->warnings().size() == 1 ? trace->warnings().front() : std::to_string(trace->warnings().size());
  };
  EXPECT_EQ(reason({{"a", {3, 3}}, {"b", {4}}, {"c", {2, 2}}}), "0") << "nobody said that it is attention";
  EXPECT_EQ(reason({{"q", {2, 4, 8}}, {"k", {3, 4, 8}}}),
            "no attention: made.npz: keys do not match the queries: [head 3, key 4, dim 8]; allowed: as in [head 2, "
            "query 4, dim 8]");
  EXPECT_EQ(reason({{"q", {4, 8}}, {"k", {4, 8}}, {"v", {5, 8}}}),
            "no attention: made.npz: values do not match the queries: [key 5, dim 8]; allowed: as in [key 4, dim 8]");
  EXPECT_EQ(reason({{"layers.0.q", {4, 8}}, {"layers.1.q", {4, 8}}, {"layers.0.k", {4, 8}}}),
            "no attention: made.npz: keys of 1 layer; allowed: as many as the queries, 2");
  EXPECT_EQ(reason({{"attn", {600, 2, 2, 2}}}),
            "no attention: made.npz: 600 layers are not allowed; allowed: at most 512");
}

TEST(ImportedTensors, WithoutAnyNumbersThereIsNothingToShow) {
  const Result<Experiment> experiment = experiment_on(made({{"attn", {0, 3}}, {"n", {}}}));
  ASSERT_FALSE(experiment);
  EXPECT_EQ(
      experiment.error().message,
      "made.npz: no tensor has a name like attention weights, scores, or queries and keys; the file has attn [0, 3], n "
      "[]");
  EXPECT_FALSE(validate(*default_experiment("own-tensors")));
  Experiment other = *default_experiment("worked-example");
  other.tensors = made({{"attn", {2, 2}}});
  EXPECT_FALSE(validate(other));
}

TEST(ImportedTensors, NamesThatDifferInMoreThanTheLayerAreSetsOfTheirOwn) {
  const auto tensors = made({{"encoder_attentions_0", {2, 3, 3}},
                             {"cross_attentions_0", {2, 3, 5}},
                             {"cross_attentions_1", {2, 3, 5}},
                             {"decoder_attentions_0", {2, 4, 4}}});
  EXPECT_EQ(
      tensor_groups(*tensors, kUseWeights),
      (std::vector<std::string>{"cross_attentions_0 and 1 more", "encoder_attentions_0", "decoder_attentions_0"}));
  Experiment experiment = *experiment_on(tensors);
  EXPECT_EQ(axes_of(**run(experiment), "weights"), "head2,query3,key5");
  EXPECT_EQ(axes_of(**run(experiment), "layer2.weights"), "head2,query3,key5");
  experiment.parameters["group"] = Index{3};
  EXPECT_EQ(axes_of(**run(experiment), "weights"), "head2,query4,key4");
  EXPECT_EQ((*run(experiment))->value(0, std::vector<Index>{1, 2, 3}), tensors->value(3, {1, 2, 3}));
  EXPECT_EQ(axes_of(**run(experiment), "layer2.weights"), "none");
  experiment.parameters["group"] = Index{9};
  EXPECT_TRUE(validate(experiment)) << "beyond the last one: that";
  EXPECT_EQ(axes_of(**run(experiment), "weights"), "head2,query4,key4");
  // Queries match the keys of the same set.
  const auto pairs = made({{"text.q", {4, 8}}, {"image.q", {6, 8}}, {"image.k", {6, 8}}, {"text.k", {4, 8}}});
  experiment = *experiment_on(pairs);
  EXPECT_EQ(axes_of(**run(experiment), "scores"), "query4,key4");
  experiment.parameters["group"] = Index{2};
  EXPECT_EQ(axes_of(**run(experiment), "scores"), "query6,key6");
}

TEST(ImportedTensors, EveryTensorCanBeShownAsItIs) {
  const auto tensors = made({{"conv.weight", {2, 3, 4, 5, 2, 2}}, {"bias", {7}}, {"empty", {0, 2}}, {"table", {3, 6}}});
  const auto trace = trace_on(tensors);
  EXPECT_EQ(trace->steps().size(), 3U);
  EXPECT_EQ(axes_of(*trace, "given.conv.weight"), "axis12,axis23,axis34,axis45,axis52,axis62");
  EXPECT_EQ(axes_of(*trace, "given.bias"), "axis17");
  EXPECT_EQ(trace->tensor("given.conv.weight").at(std::vector<Index>{1, 2, 3, 4, 1, 0}),
            tensors->value(0, {1, 2, 3, 4, 1, 0}));
  EXPECT_EQ(trace->tensor("given.table").at(std::vector<Index>{2, 5}), tensors->value(3, {2, 5}));
  const std::string script = pytorch_script(trace->experiment());
  EXPECT_NE(script.find("given[\"conv.weight\"]"), std::string::npos) << script;
}

/// 80 layers of weights, more than fit into memory, with numbers from a formula.
std::shared_ptr<MadeTensors> large_weights() {
  std::vector<MadeTensors::Made> layers;
  for (int i = 0; i < 80; ++i) layers.push_back({"layers." + std::to_string(i) + ".attn", {32, 1024, 1024}});
  return made(layers);
}

TEST(ImportedTensors, WhatIsLargerThanMemoryIsReadWhereItIsLookedAt) {
  const auto tensors = large_weights();
  const Experiment experiment = *experiment_on(tensors);
  ASSERT_TRUE(validate(experiment));
  tensors->numbers_read = 0;
  const auto trace = *run(experiment);
  EXPECT_EQ(trace->resident_bytes(), 0);
  EXPECT_LE(tensors->numbers_read, 64 * 1024) << "a few rows are looked at, to say whether they sum to 1";
  ASSERT_EQ(trace->warnings().size(), 1U);
  EXPECT_EQ(trace->warnings()[0], "weights: 64 of 64 rows checked do not sum to 1; they are shown unchanged");
  const auto step = static_cast<int>(trace->find("layer80.weights") - trace->steps().data());
  EXPECT_EQ(trace->value(step, std::vector<Index>{31, 1000, 7}), tensors->value(79, {31, 1000, 7}));
  const Explanation explanation = explain(*trace, step, std::vector<Index>{31, 1000, 7});
  EXPECT_EQ(explanation.computed, explanation.value);

  // A figure of one head reads only that head.
  tensors->numbers_read = 0;
  const LazyMatrix head(trace->lazy(), MatrixPlace{step, {5}}, false);
  const MatrixPart all = overview_part(head, 256);
  std::vector<float> texels(static_cast<std::size_t>(all.rows * all.columns));
  ASSERT_TRUE(head.read(all, texels, {}));
  EXPECT_EQ(tensors->numbers_read, 1024 * 1024);
  float largest = 0;
  for (Index row = 8; row < 12; ++row) {
    for (Index column = 4; column < 8; ++column)
      largest = larger_magnitude(largest, tensors->value(79, {5, row, column}));
  }
  EXPECT_EQ(texels[static_cast<std::size_t>(2 * all.columns + 1)], largest);
}

TEST(ImportedTensors, ScoresThatAreTooLargeAreAttendedWithWhereTheyAreLookedAt) {
  const auto tensors = made({{"scores", {64, 2048, 2048}}});
  Experiment experiment = *experiment_on(tensors);
  const double budget = 100e6;
  ASSERT_TRUE(validate(experiment, budget));
  const auto trace = *Executor(budget).run(experiment);
  EXPECT_EQ(trace->resident_bytes(), 0);
  const Region row = region_within(1, trace->steps()[1].axes, std::vector<Index>{63, 5});
  const auto weights = trace->numbers(row);
  double sum = 0;
  for (const float weight : weights->values()) sum += static_cast<double>(weight);
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(ImportedTensors, QueriesAndKeysBeyondTheBudgetAreReadInBoxes) {
  const auto tensors = made({{"q", {4, 300, 8}}, {"k", {4, 300, 8}}, {"v", {4, 300, 8}}});
  const Experiment experiment = *experiment_on(tensors);
  const auto all = *run(experiment);
  const auto some = *Executor(10e3).run(experiment);
  EXPECT_EQ(some->resident_bytes(), 0);
  for (const char* name : {"scores", "weights", "head_outputs"}) {
    const auto step = static_cast<int>(all->find(name) - all->steps().data());
    const Axes& axes = all->steps()[static_cast<std::size_t>(step)].axes;
    const Region head = region_within(step, axes, std::vector<Index>{3});
    const auto a = all->numbers(head);
    const auto b = some->numbers(head);
    EXPECT_TRUE(std::equal(a->values().begin(), a->values().end(), b->values().begin(), b->values().end())) << name;
  }
}

TEST(ImportedTensors, RowsThatAreNoWeightsAreSaidAndNotChanged) {
  const auto tensors = made({{"attn", {2, 4, 4}}});
  const auto trace = trace_on(tensors);
  ASSERT_EQ(trace->warnings().size(), 1U);
  EXPECT_EQ(trace->warnings()[0], "weights: 8 of 8 rows do not sum to 1; they are shown unchanged");
  EXPECT_EQ(trace->tensor("weights").at(std::vector<Index>{1, 2, 3}), tensors->value(0, {1, 2, 3}));
}

TEST(ImportedTensors, EveryNumberSaysWhereItIsFrom) {
  const auto trace = trace_on(made({{"attentions", {3, 2, 5, 5}}}));
  const auto step = static_cast<int>(trace->find("layer2.weights") - trace->steps().data());
  const std::vector<Index> index = {1, 2, 3};
  const Explanation explanation = explain(*trace, step, index);
  EXPECT_EQ(explanation.note, "imported: attentions[1, 1, 2, 3] of made.npz");
  EXPECT_EQ(explanation.computed, static_cast<double>(trace->value(step, index)));
}

TEST(ImportedTensors, AMaskDoesNotKeepNaNOutAndTheExplanationSaysSo) {
  const auto explained = [](float last, float before_it) {
    const auto tensors = made({{"q", {4, 8}}, {"k", {4, 8}}, {"v", {4, 8}}});
    tensors->instead = {{{2, 3 * 8}, last}, {{2, 2 * 8}, before_it}};
    Experiment experiment = *experiment_on(tensors);
    EXPECT_TRUE(set_parameter_text(experiment, "mask", "causal"));
    EXPECT_TRUE(set_parameter_text(experiment, "masked_fill", "-inf"));
    const auto trace = *run(experiment);
    const auto step = static_cast<int>(trace->find("head_outputs") - trace->steps().data());
    const Explanation explanation = explain(*trace, step, std::vector<Index>{0, 0});
    EXPECT_EQ(std::isnan(explanation.value), std::isnan(explanation.computed));
    return explanation;
  };
  constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Explanation one = explained(kNothing, 1);
  EXPECT_TRUE(std::isnan(one.computed));
  EXPECT_EQ(one.note, "0 times NaN or ∞ is NaN, as in PyTorch: weights[0, 3] = 0 times v[3, 0] = NaN");
  const Explanation two = explained(kNothing, kInfinity);
  EXPECT_TRUE(std::isnan(two.computed));
  EXPECT_TRUE(two.note.ends_with("weights[0, 2] = 0 times v[2, 0] = ∞ (and 1 more)")) << two.note;
  EXPECT_EQ(explained(1, 2).note, "");
}

TEST(ImportedTensors, TheScriptReadsTheSameFile) {
  const std::string script =
      pytorch_script(*experiment_on(made({{"batch.q", {2, 300, 3, 8}}, {"batch.k", {2, 300, 3, 8}}})));
  for (const char* line :
       {"given = read(\"made.npz\")", "q = given[\"batch.q\"].permute(0, 2, 1, 3)", "/ math.sqrt(8)"})
    EXPECT_NE(script.find(line), std::string::npos) << line << "\n" << script;
}

TEST(ImportedTensors, AHundredThousandNamesTakeNoLongerEach) {
  // A quadratic search would take an hour.
  constexpr Index kSets = 33'000;
  std::vector<MadeTensors::Made> names;
  for (Index i = 0; i < kSets; ++i) {
    const std::string model = "m" + std::to_string(i) + "n7.";
    for (const char* role : {"q", "k", "v"}) names.push_back({model + role, {3, 2}});
  }
  const auto tensors = made(names);
  EXPECT_EQ(possible_uses(*tensors), (std::vector<std::string>{kUseQueries, kUseTensors}));
  EXPECT_EQ(std::ssize(tensor_groups(*tensors, kUseQueries)), kSets);
  EXPECT_EQ(tensor_groups(*tensors, kUseQueries, 5).size(), 5U);
  // As often as the window asks per second.
  for (int frame = 0; frame < 60; ++frame) {
    EXPECT_EQ(possible_uses(*tensors).size(), 2U);
    EXPECT_EQ(possible_axes(*tensors, {kUseQueries, kSets}).size(), 1U);
    EXPECT_TRUE(imported_layers(tensors, {kUseQueries, kSets}));
  }
  const auto plain = plain_tensors(tensors);
  EXPECT_EQ(std::ssize(plain), 3 * kSets);
}

TEST(ImportedTensors, NamesThatLookAlikeAreToldApart) {
  std::vector<MadeTensors::Made> names(20'000, {"same", {1, 1}});
  names.push_back({"same'", {1, 1}});
  std::set<std::string> plain;
  for (const PlainTensor& each : plain_tensors(made(names))) plain.insert(each.name);
  EXPECT_EQ(plain.size(), names.size());
  EXPECT_TRUE(plain.contains("same") && plain.contains("same'") && plain.contains("same'2"));
  EXPECT_LT(std::max_element(plain.begin(), plain.end(), [](auto& a, auto& b) { return a.size() < b.size(); })->size(),
            16U);
}

}  // namespace
}  // namespace attnscope::test
