// The output projection beside queries, keys and values: its order, what heads add to the output, heads switched off.
#include <gtest/gtest.h>

#include <cmath>

#include "core/explain/explain.h"
#include "core/heads/head_measures.h"
#include "core/imported/imported_layers.h"
#include "core/imported/tensor_roles.h"
#include "core/script/script.h"
#include "imported_trace.h"

namespace attnscope::test {
namespace {

using Shape = std::vector<Index>;
using At = std::vector<Index>;

constexpr Index kProjectedHeads = 3;
constexpr Index kDim = 4;
constexpr Index kFeatures = 5;

/// Three heads of four numbers, and those tensors.
std::shared_ptr<MadeTensors> heads_with(const std::vector<MadeTensors::Made>& outputs) {
  std::vector<MadeTensors::Made> all = {
      {"q", {kProjectedHeads, 2, kDim}}, {"k", {kProjectedHeads, 6, kDim}}, {"v", {kProjectedHeads, 6, kDim}}};
  all.insert(all.end(), outputs.begin(), outputs.end());
  return made(all);
}

/// What a head adds to feature `feature` of the output, from the head outputs and `weight(head, dim, feature)`.
template <typename Weight>
double head_part(const Trace& trace, Index head, Index query, Index feature, const Weight& weight) {
  double sum = 0;
  for (Index dim = 0; dim < kDim; ++dim)
    sum += static_cast<double>(trace.tensor("head_outputs").at(At{head, query, dim})) * weight(head, dim, feature);
  return sum;
}

template <typename Weight>
void expect_projected(const Trace& trace, const Weight& weight, const std::string& prefix = "") {
  ASSERT_EQ(axes_of(trace, prefix + "out"), "query2,feature5");
  ASSERT_EQ(axes_of(trace, prefix + "head_parts"), "head3,query2,feature5");
  ASSERT_EQ(axes_of(trace, prefix + "head_norms"), "head3,query2");
  for (Index query = 0; query < 2; ++query) {
    for (Index feature = 0; feature < kFeatures; ++feature) {
      double sum = 0;
      for (Index head = 0; head < kProjectedHeads; ++head) sum += head_part(trace, head, query, feature, weight);
      EXPECT_NEAR(trace.tensor(prefix + "out").at(At{query, feature}), sum, 1e-5);
      EXPECT_NEAR(trace.tensor(prefix + "head_parts").at(At{1, query, feature}),
                  head_part(trace, 1, query, feature, weight), 1e-5);
    }
    double squares = 0;
    for (Index feature = 0; feature < kFeatures; ++feature)
      squares += std::pow(head_part(trace, 2, query, feature, weight), 2);
    EXPECT_NEAR(trace.tensor(prefix + "head_norms").at(At{2, query}), std::sqrt(squares), 1e-5);
  }
}

TEST(OutputProjection, IsKnownByItsName) {
  for (const char* const name : {"w_o", "W_O", "wo.weight", "layers.3.self_attn.o_proj.weight", "out_proj.weight",
                                 "blocks.0.attn.W_O", "to_out.0.weight", "h.2.attn.c_proj.weight", "out_proj",
                                 "encoder.layer.1.attention.output.dense.weight", "attn/out_proj/kernel"})
    EXPECT_EQ(role_of(name).role, TensorRole::output) << name;
  for (const char* const name : {"b_o", "out_proj.bias", "layers.3.self_attn.o_proj.bias", "h.2.attn.c_proj.bias"})
    EXPECT_EQ(role_of(name).role, TensorRole::output_bias) << name;
  for (const char* const name : {"mlp.W_out", "h.2.mlp.c_proj.weight", "attn_output", "q_proj.weight", "attn.weight",
                                 "layers.0.output.dense.weight", "ffn.wo.weight"})
    EXPECT_EQ(role_of(name).role, TensorRole::other) << name;
  EXPECT_EQ(role_of("layers.3.self_attn.o_proj.weight").layer, Shape{3});
  EXPECT_EQ(group_of("layers.3.self_attn.o_proj.weight"), group_of("layers.3.self_attn.q"));
}

TEST(OutputProjection, IsTakenInEveryOrder) {
  const auto rows = heads_with({{"w_o", {12, 5}}});
  expect_projected(*trace_on(rows), [&](Index h, Index d, Index f) { return rows->value(3, {h * kDim + d, f}); });
  const auto columns = heads_with({{"out_proj.weight", {5, 12}}});
  expect_projected(*trace_on(columns), [&](Index h, Index d, Index f) { return columns->value(3, {f, h * kDim + d}); });
  const auto heads = heads_with({{"W_O", {3, 4, 5}}});
  expect_projected(*trace_on(heads), [&](Index h, Index d, Index f) { return heads->value(3, {h, d, f}); });
  for (const auto& tensors : {rows, columns, heads}) EXPECT_TRUE(trace_on(tensors)->warnings().empty());
}

TEST(OutputProjection, OneThatIsSquareIsTakenAsItsNameSays) {
  const auto out = [](const std::shared_ptr<MadeTensors>& tensors, const std::string& order) {
    Experiment experiment = *experiment_on(tensors);
    experiment.parameters["output"] = order;
    return *run(experiment);
  };
  const auto linear = heads_with({{"o_proj.weight", {12, 12}}});
  EXPECT_EQ(axes_of(*trace_on(linear), "w_o"), "feature12,head·dim12");
  EXPECT_EQ(
      trace_on(linear)->warnings().front(),
      "made.npz: o_proj.weight [12, 12] is taken as [feature, head·dim], as torch.nn.Linear stores its weight; if it "
      "is the other way round, set output to in out");
  EXPECT_EQ(axes_of(*out(linear, "in out"), "w_o"), "head·dim12,feature12");
  EXPECT_TRUE(out(linear, "in out")->warnings().empty());
  EXPECT_EQ(axes_of(*out(linear, "none"), "out"), "none");
  const auto plain = heads_with({{"w_o", {12, 12}}});
  EXPECT_EQ(axes_of(*trace_on(plain), "w_o"), "head·dim12,feature12");
  EXPECT_EQ(trace_on(plain)->warnings().size(), 1U);
  EXPECT_EQ(axes_of(*trace_on(heads_with({{"attn.c_proj.weight", {12, 12}}})), "w_o"), "head·dim12,feature12");
}

TEST(OutputProjection, HasABias) {
  const auto tensors = heads_with({{"w_o", {12, 5}}, {"b_o", {5}}});
  const auto trace = trace_on(tensors);
  const auto without = trace_on(heads_with({{"w_o", {12, 5}}}));
  for (Index feature = 0; feature < kFeatures; ++feature) {
    EXPECT_NEAR(trace->tensor("out").at(At{1, feature}),
                without->tensor("out").at(At{1, feature}) + tensors->value(4, {feature}), 1e-5);
  }
  const auto wrong = trace_on(heads_with({{"w_o", {12, 5}}, {"b_o", {6}}}));
  EXPECT_EQ(axes_of(*wrong, "b_o"), "none");
  EXPECT_EQ(wrong->warnings().front(),
            "made.npz: b_o [6] is left out: it does not have a number for each feature of the output projection");
}

TEST(OutputProjection, EveryLayerHasItsOwn) {
  const auto stacked = made({{"q", {2, 3, 2, 4}}, {"k", {2, 3, 6, 4}}, {"v", {2, 3, 6, 4}}, {"W_O", {2, 3, 4, 5}}});
  const auto trace = trace_on(stacked);
  ASSERT_EQ(axes_of(*trace, "layer2.out"), "query2,feature5");
  double sum = 0;
  for (Index head = 0; head < kProjectedHeads; ++head) {
    for (Index dim = 0; dim < kDim; ++dim)
      sum += static_cast<double>(trace->tensor("layer2.head_outputs").at(At{head, 1, dim})) *
             static_cast<double>(stacked->value(3, {1, head, dim, 3}));
  }
  EXPECT_NEAR(trace->tensor("layer2.out").at(At{1, 3}), sum, 1e-5);
  const auto named = trace_on(made({{"layers.0.q", {3, 2, 4}},
                                    {"layers.0.k", {3, 2, 4}},
                                    {"layers.0.v", {3, 2, 4}},
                                    {"layers.1.q", {3, 2, 4}},
                                    {"layers.1.k", {3, 2, 4}},
                                    {"layers.1.v", {3, 2, 4}},
                                    {"layers.1.o_proj.weight", {7, 12}},
                                    {"layers.0.o_proj.weight", {6, 12}}}));
  EXPECT_EQ(axes_of(*named, "out"), "query2,feature6");
  EXPECT_EQ(axes_of(*named, "layer2.out"), "query2,feature7");
}

TEST(OutputProjection, WorksForBatchesAndForOneHead) {
  const auto batch = trace_on(made({{"q", {2, 3, 2, 4}}, {"k", {2, 3, 6, 4}}, {"v", {2, 3, 6, 4}}, {"w_o", {12, 5}}}),
                              "batch head token dim");
  EXPECT_EQ(axes_of(*batch, "out"), "batch2,query2,feature5");
  EXPECT_EQ(axes_of(*batch, "head_norms"), "batch2,head3,query2");
  const auto one = trace_on(made({{"q", {2, 4}}, {"k", {6, 4}}, {"v", {6, 4}}, {"w_o", {4, 5}}}));
  EXPECT_EQ(axes_of(*one, "out"), "query2,feature5");
  EXPECT_EQ(axes_of(*one, "merged"), "none");
}

TEST(OutputProjection, OneThatDoesNotFitIsLeftOut) {
  const auto trace = trace_on(heads_with({{"w_o", {11, 5}}}));
  EXPECT_EQ(axes_of(*trace, "out"), "none");
  EXPECT_EQ(axes_of(*trace, "head_outputs"), "head3,query2,dim4");
  EXPECT_EQ(trace->warnings().front(),
            "made.npz: w_o [11, 5] is left out: it does not fit the values; allowed: [head·dim 12, feature], [feature, "
            "head·dim 12], [head 3, dim 4, feature]");
  // One that was declared is refused.
  Experiment experiment = *experiment_on(heads_with({{"w_o", {12, 5}}}));
  experiment.parameters["output"] = std::string("out in");
  EXPECT_EQ(
      validate(experiment).error().message,
      "output: \"out in\" is not allowed: made.npz: w_o [12, 5] is left out: it does not fit the values; allowed: "
      "[feature, head·dim 12], [head 3, dim 4, feature]");
  const auto no_values = trace_on(made({{"q", {3, 2, 4}}, {"k", {3, 6, 4}}, {"w_o", {12, 5}}}));
  EXPECT_EQ(no_values->warnings().front(),
            "made.npz: w_o [12, 5] is left out: the file has no values that it could project");
}

TEST(OutputProjection, SwitchedOffHeadsAddNothing) {
  Experiment experiment = *experiment_on(heads_with({{"w_o", {12, 5}}}));
  EXPECT_EQ(switchable_heads(experiment), kProjectedHeads);
  const auto all = *run(experiment);
  experiment.heads_off = {1};
  ASSERT_TRUE(validate(experiment));
  const auto less = *run(experiment);
  for (Index feature = 0; feature < kFeatures; ++feature) {
    EXPECT_NEAR(less->tensor("out").at(At{0, feature}),
                all->tensor("out").at(At{0, feature}) - all->tensor("head_parts").at(At{1, 0, feature}), 1e-5);
  }
  EXPECT_EQ(less->tensor("head_norms").at(At{1, 0}), 0);
}

TEST(OutputProjection, WithThatOfTheValuesThereIsACopyingScore) {
  const std::size_t copying_score = measures().size() - 1;
  ASSERT_EQ(measures()[copying_score].name, "copying");
  const auto scores = [&](const std::shared_ptr<MadeTensors>& tensors) {
    const auto trace = trace_on(tensors);
    EXPECT_TRUE(trace->warnings().empty()) << trace->warnings().front();
    return *measure_heads(*trace, attention_steps_of(*trace).front(), 0);
  };
  // w_v of a head is the transpose of its w_o: w_v · w_o has no negative eigenvalue.
  const auto copies = heads_with({{"w_o", {12, 5}}, {"v_proj.weight", {12, 5}}});
  for (Index at = 0; at < 60; ++at) copies->instead[{4, at}] = copies->value(3, {at / 5, at % 5});
  for (const MeasureRow& head : scores(copies).heads) EXPECT_NEAR(*head[copying_score], 1, 1e-5);
  // The same numbers as [head, feature, dim], with the other sign.
  const auto subtracts = heads_with({{"W_O", {3, 4, 5}}, {"W_V", {3, 5, 4}}});
  for (Index head = 0; head < kProjectedHeads; ++head) {
    for (Index feature = 0; feature < kFeatures; ++feature) {
      for (Index dim = 0; dim < kDim; ++dim)
        subtracts->instead[{4, (head * kFeatures + feature) * kDim + dim}] = -subtracts->value(3, {head, dim, feature});
    }
  }
  for (const MeasureRow& head : scores(subtracts).heads) EXPECT_NEAR(*head[copying_score], -1, 1e-5);
  EXPECT_FALSE(scores(heads_with({{"w_o", {12, 5}}})).heads[0][copying_score]);
}

TEST(OutputProjection, EveryNumberExplainsItself) {
  for (const auto& tensors : {heads_with({{"w_o", {12, 5}}, {"b_o", {5}}}), heads_with({{"out_proj.weight", {5, 12}}}),
                              heads_with({{"W_O", {3, 4, 5}}})}) {
    const auto trace = trace_on(tensors);
    for (std::size_t step = 0; step < trace->steps().size(); ++step) {
      At cell;
      for (const Axis& axis : trace->steps()[step].axes) cell.push_back(axis.size - 1);
      const Explanation explanation = explain(*trace, static_cast<int>(step), cell);
      EXPECT_NEAR(explanation.computed, explanation.value, 1e-4 + 1e-5 * std::abs(explanation.value))
          << trace->steps()[step].name;
    }
  }
}

TEST(OutputProjection, IsPartOfTheScript) {
  Experiment experiment = *experiment_on(heads_with({{"out_proj.weight", {5, 12}}, {"b_o", {5}}}));
  experiment.heads_off = {1};
  const std::string script = pytorch_script(experiment);
  for (const char* const line :
       {"merged = kept_head_outputs.transpose(-3, -2).flatten(-2)", "w_o = given[\"out_proj.weight\"]",
        "out = merged @ w_o.T + b_o", "w_o_heads = w_o.T.unflatten(0, (3, -1))",
        "head_parts = kept_head_outputs @ w_o_heads", "head_norms = torch.linalg.vector_norm(head_parts, dim=-1)"})
    EXPECT_NE(script.find(line), std::string::npos) << line << "\n" << script;
}

}  // namespace
}  // namespace attnscope::test
