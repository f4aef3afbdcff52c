// Head circuits, against an independent computation and against the results of the systems.
#include "core/heads/head_circuits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/heads/head_measures.h"
#include "core/trace/run.h"
#include "support/golden.h"
#include "support/made_model.h"

namespace attnscope::test {
namespace {

const Golden& measured() {
  static const Golden data = read_golden(golden_path("metrics.safetensors"));
  return data;
}

HeadCircuit golden_circuit(const std::string& name) {
  const auto part = [&](const char* which) { return Tensor(measured().at(name + which)); };
  return {part(".w_q"), part(".w_k"), part(".w_v"), part(".w_o")};
}

void expect_same(const std::optional<double>& found, float expected, const std::string& what) {
  ASSERT_EQ(found.has_value(), !std::isnan(expected)) << what;
  if (found) {
    EXPECT_NEAR(*found, expected, 1e-5) << what;
  }
}

TEST(HeadCircuits, MeasuresAreWhatAnIndependentComputationGives) {
  int circuits = 0;
  int without = 0;
  for (const auto& [key, tensor] : measured().tensors) {
    if (!key.starts_with("circuit.") || !key.ends_with(".copying")) continue;
    ++circuits;
    const std::string name = key.substr(0, key.rfind('.'));
    const HeadCircuit circuit = golden_circuit(name);
    expect_same(copying(circuit), tensor.values()[0], key);
    without += std::isnan(tensor.values()[0]) ? 1 : 0;
    const ComposedCircuit earlier(golden_circuit("circuit.00"));
    for (std::size_t i = 0; i < 3; ++i) {
      expect_same(ComposedCircuit(circuit).with(earlier, static_cast<Composition>(i)),
                  measured().at(name + ".composition").values()[i], name + " composition " + std::to_string(i));
    }
  }
  EXPECT_EQ(circuits, 8);
  EXPECT_EQ(without, 1);
}

TEST(HeadCircuits, WhatCopiesCopiesWhollyAndTheOppositeTakesAway) {
  EXPECT_NEAR(*copying(golden_circuit("circuit.06")), 1, 1e-6);
  EXPECT_NEAR(*copying(golden_circuit("circuit.07")), -1, 1e-6);
}

/// A system, the input of its values, and the tensor after its output projection.
struct Mapped {
  const char* system;
  const char* input;
  const char* output;
  bool channels_first = false;
};

/// A feature at `position` of a sequence; in a picture, the position is a pixel.
double at(const Tensor& tensor, const Mapped& mapped, Index position, Index feature) {
  const Axes& axes = tensor.axes();
  const Index features = mapped.channels_first ? axes[1].size : axes.back().size;
  const Index pixels = tensor.count() / features / (axes.front().name == "batch" ? axes.front().size : 1);
  const Index offset = mapped.channels_first ? feature * pixels + position : position * features + feature;
  return tensor.values()[static_cast<std::size_t>(offset)];
}

/// A number of a head's tensor [batch?, head?, position, dim], possibly with the last two axes swapped.
double at_head(const Tensor& tensor, Index head, Index position, Index dim) {
  Index offset = 0;
  for (const Axis& axis : tensor.axes()) {
    const bool is_other = axis.name == "batch";
    const Index index = axis.name == "head" ? head : axis.name == "dim" ? dim : is_other ? 0 : position;
    offset = offset * axis.size + index;
  }
  return tensor.values()[static_cast<std::size_t>(offset)];
}

class MappedSystem : public ::testing::TestWithParam<Mapped> {};

TEST_P(MappedSystem, CircuitsMakeItsValuesAndOutputs) {
  Experiment experiment = *default_experiment(GetParam().system);
  for (const auto& [name, value] : std::map<std::string, Index>{{"batch", 2}, {"height", 3}, {"width", 2}}) {
    if (experiment.parameters.contains(name)) {
      EXPECT_TRUE(set_parameter(experiment, name, value));
    }
  }
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const auto weights = static_cast<int>(trace->find("weights") - trace->steps().data());
  const Tensor& v = trace->tensor("v");
  const Tensor& head_outputs = trace->tensor("head_outputs");
  const Axis* const head_axis = find_axis(v.axes(), "head");
  const Index heads = head_axis != nullptr ? head_axis->size : 1;
  std::vector<double> written;
  for (Index head = 0; head < heads; ++head) {
    const std::optional<HeadCircuit> circuit = head_circuit(*trace, weights, head);
    ASSERT_TRUE(circuit);
    ASSERT_TRUE(circuit->w_q && circuit->w_k);
    // The bias cancels in the difference of two positions.
    for (const auto& [name, map] : {std::pair("v", &circuit->w_v), std::pair("k", &*circuit->w_k)}) {
      for (Index dim = 0; dim < map->size(1); ++dim) {
        double expected = 0;
        for (Index feature = 0; feature < map->size(0); ++feature) {
          const std::string& input = name == std::string("k") && GetParam().input == std::string("x_v")
                                         ? "x_k"
                                         : std::string(GetParam().input);
          const Tensor& x = trace->tensor(input);
          expected += (at(x, GetParam(), 1, feature) - at(x, GetParam(), 0, feature)) *
                      static_cast<double>(map->matrix({}).at(feature, dim));
        }
        const Tensor& made = trace->tensor(name);
        EXPECT_NEAR(at_head(made, head, 1, dim) - at_head(made, head, 0, dim), expected, 2e-4)
            << name << " of head " << head << ", " << dim;
      }
    }
    written.resize(static_cast<std::size_t>(circuit->w_o.size(1)));
    for (Index dim = 0; dim < circuit->w_o.size(0); ++dim) {
      const double difference = at_head(head_outputs, head, 1, dim) - at_head(head_outputs, head, 0, dim);
      for (std::size_t feature = 0; feature < written.size(); ++feature)
        written[feature] +=
            difference * static_cast<double>(circuit->w_o.matrix({}).at(dim, static_cast<Index>(feature)));
    }
  }
  const Tensor& out = trace->tensor(GetParam().output);
  const Mapped of_output = {"", "", "", GetParam().channels_first};
  for (std::size_t feature = 0; feature < written.size(); ++feature) {
    const auto index = static_cast<Index>(feature);
    EXPECT_NEAR(at(out, of_output, 1, index) - at(out, of_output, 0, index), written[feature], 2e-4) << feature;
  }
}

INSTANTIATE_TEST_SUITE_P(
    HeadCircuits, MappedSystem,
    ::testing::Values(Mapped{"worked-example", "x", "out"}, Mapped{"stacked-multihead", "x", "out"},
                      Mapped{"projected-multihead", "x_v", "out"}, Mapped{"packed-multihead", "tokens", "projected"},
                      Mapped{"image-multihead", "tokens", "projected"},
                      Mapped{"image-self-attention", "tokens", "projected"}, Mapped{"conv-attention", "x", "out", true},
                      Mapped{"hand-made-heads", "x", "out"}),
    [](const ::testing::TestParamInfo<Mapped>& each) {
      std::string name = each.param.system;
      std::erase(name, '-');
      return name;
    });

TEST(HeadCircuits, AreNotThereWhereNoLayerMakesValuesOrOutputs) {
  const auto bare = *run(*default_experiment("scaled-dot-product"));
  EXPECT_FALSE(head_circuit(*bare, attention_steps_of(*bare).front(), 0));
  const auto example = *run(*default_experiment("worked-example"));
  for (const int step : attention_steps_of(*example)) {
    const std::string& name = example->steps()[static_cast<std::size_t>(step)].name;
    EXPECT_EQ(head_circuit(*example, step, 0).has_value(), name == "weights") << name;
  }
}

TEST(HeadCircuits, OfTurnedQueriesHaveNoQueryMap) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["positions"] = std::string("rotary");
  const auto trace = *run(experiment);
  const auto weights = static_cast<int>(trace->find("weights") - trace->steps().data());
  const std::optional<HeadCircuit> circuit = head_circuit(*trace, weights, 2);
  ASSERT_TRUE(circuit);
  EXPECT_FALSE(circuit->w_q || circuit->w_k);
  EXPECT_TRUE(copying(*circuit));
  const ComposedCircuit composed(*circuit);
  EXPECT_FALSE(composed.with(composed, Composition::key));
  EXPECT_TRUE(composed.with(composed, Composition::value));
}

TEST(HeadCircuits, AreThoseOfTheWeightsWhateverIsSwitchedOff) {
  const auto whole = made_trace("gpt2", {1, 2, 3});
  Experiment experiment = whole->experiment();
  experiment.interventions = {{"layer1.head_outputs", Index{0}, {}, Intervention::Kind::off}};
  const auto changed = *run(experiment);
  const auto weights = [](const Trace& trace) {
    return static_cast<int>(trace.find("layer1.weights") - trace.steps().data());
  };
  for (Index head = 0; head < 2; ++head) {
    const std::optional<HeadCircuit> before = head_circuit(*whole, weights(*whole), head);
    const std::optional<HeadCircuit> after = head_circuit(*changed, weights(*changed), head);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(copying(*after), copying(*before));
  }
}

TEST(HeadCircuits, TheInductionHeadReadsWhatThePreviousTokenHeadWrote) {
  const auto trace = *run(*default_experiment("hand-made-heads"));
  const auto second = static_cast<int>(trace->find("layer2.weights") - trace->steps().data());
  const std::optional<HeadMeasures> heads = measure_heads(*trace, second, 0);
  ASSERT_TRUE(heads);
  ASSERT_EQ(heads->compositions.size(), 1U);
  EXPECT_EQ(heads->compositions[0].earlier, "weights");
  const auto& shares = heads->compositions[0].shares.at(0);
  ASSERT_EQ(shares.size(), 7U);
  EXPECT_GT(*shares[0][1], 0.1) << "previous token, through the keys";
  EXPECT_EQ(*shares[0][0], 0) << "through the queries";
  EXPECT_EQ(*shares[0][2], 0) << "through the values";
  for (std::size_t head = 1; head < 7; ++head) EXPECT_FALSE(shares[head][1]) << "head " << head << " writes nothing";
}

TEST(Rollout, IsWhatGoesThroughTheMeanWeightsOfEachLayer) {
  const auto trace = *run(*default_experiment("hand-made-heads"));
  const Tensor& first = trace->tensor("weights");
  const Tensor& second = trace->tensor("layer2.weights");
  const auto position = [&](const char* name) { return static_cast<int>(trace->find(name) - trace->steps().data()); };
  EXPECT_EQ(rollout(*trace, position("weights"), 0), nullptr);
  const std::shared_ptr<const Tensor> found = rollout(*trace, position("layer2.weights"), 0);
  ASSERT_NE(found, nullptr);
  const Index tokens = first.size(1);
  const auto passed = [&](const Tensor& weights, Index query, Index key) {
    double mean = 0;
    for (Index head = 0; head < weights.size(0); ++head) {
      const std::vector<Index> leading = {head};
      mean += static_cast<double>(weights.matrix(leading).at(query, key)) / static_cast<double>(weights.size(0));
    }
    return (mean + (query == key ? 1 : 0)) / 2;
  };
  for (Index query = 0; query < tokens; ++query) {
    double sum = 0;
    for (Index key = 0; key < tokens; ++key) {
      double expected = 0;
      for (Index middle = 0; middle < tokens; ++middle)
        expected += passed(second, query, middle) * passed(first, middle, key);
      EXPECT_NEAR(found->matrix({}).at(query, key), expected, 1e-6) << query << " " << key;
      sum += static_cast<double>(found->matrix({}).at(query, key));
    }
    EXPECT_NEAR(sum, 1, 1e-6) << query;
  }
}

}  // namespace
}  // namespace attnscope::test
