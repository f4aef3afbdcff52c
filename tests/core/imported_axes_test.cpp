// What names and shapes of imported tensors are taken for: layers or batch items, attention or a model's weights.
#include <algorithm>

#include "core/heads/head_measures.h"
#include "imported_trace.h"

namespace attnscope::test {
namespace {

TEST(ImportedAxes, ANumberThatCountsNoLayersMakesNoBatch) {
  const std::vector<std::pair<std::string, std::string>> arrays = {
      {"", "/tmp/gpt2_attn.npy"}, {"", "/tmp/attn2.npy"}, {"", "/tmp/layer3.npy"},     {"", "/tmp/x7/attn.npy"},
      {"arr_0", "seed42.npz"},    {"attn2", "made.npz"},  {"attentions_4", "made.npz"}};
  for (const auto& [name, file] : arrays) {
    const auto trace = trace_on(made({{name, {3, 2, 5, 5}}}, file));
    EXPECT_EQ(attention_steps_of(*trace).size(), 3U) << name << " of " << file;
    EXPECT_EQ(axes_of(*trace, "layer3.weights"), "head2,query5,key5") << name << " of " << file;
  }
  // One tensor per layer: the first axis cannot count layers as well.
  EXPECT_EQ(axes_of(*trace_on(made({{"layers.4.attn", {3, 2, 5, 5}}})), "weights"), "batch3,head2,query5,key5");
  EXPECT_EQ(axes_of(*trace_on(made({{"attn1", {3, 2, 5, 5}}, {"attn2", {3, 2, 5, 5}}})), "layer2.weights"),
            "batch3,head2,query5,key5");
}

TEST(ImportedAxes, QueriesAndKeysOfFourAxesAreLayers) {
  const auto trace = trace_on(made({{"q", {3, 2, 4, 8}}, {"k", {3, 2, 5, 8}}, {"v", {3, 2, 5, 6}}}));
  EXPECT_EQ(attention_steps_of(*trace).size(), 3U);
  EXPECT_EQ(axes_of(*trace, "layer3.weights"), "head2,query4,key5");
  EXPECT_EQ(axes_of(*trace, "layer3.head_outputs"), "head2,query4,dim6");
}

TEST(ImportedAxes, TakingAnAxisForLayersIsSaid) {
  const auto said = [](const std::vector<MadeTensors::Made>& tensors, const std::string& axes = "guess") {
    const auto trace = trace_on(made(tensors), axes);
    std::string all;
    for (const std::string& warning : trace->warnings()) {
      if (warning.find("taken") != std::string::npos) all += warning + "\n";
    }
    return all;
  };
  EXPECT_EQ(said({{"q", {3, 2, 4, 8}}, {"k", {3, 2, 4, 8}}}),
            "made.npz: q [3, 2, 4, 8] is taken as layer head token dim; if its first axis counts batch items, set axes "
            "to batch head token dim\n");
  EXPECT_EQ(said({{"attn", {3, 2, 4, 4}}}),
            "made.npz: attn [3, 2, 4, 4] is taken as layer head query key; if its first axis counts batch items, set "
            "axes to batch head query key\n");
  EXPECT_EQ(said({{"attn", {3, 2, 4, 4}}}, "layer head query key"), "") << "the user has said so";
  EXPECT_EQ(said({{"attn_of_all_layers", {3, 2, 4, 4}}}), "") << "the name says so";
  EXPECT_EQ(said({{"batch_attn", {3, 2, 4, 4}}}), "");
  EXPECT_EQ(said({{"attn", {1, 2, 4, 4}}}), "");
  EXPECT_EQ(said({{"attn", {2, 4, 4}}}), "");
}

TEST(ImportedAxes, TheGuessCanBeCorrected) {
  const auto tensors = made({{"attn", {3, 2, 5, 5}}});
  EXPECT_EQ(possible_axes(*tensors, {kUseWeights}),
            (std::vector<std::string>{"layer head query key", "batch head query key"}));
  const auto batched = trace_on(tensors, "batch head query key");
  EXPECT_EQ(axes_of(*batched, "weights"), "batch3,head2,query5,key5");
  EXPECT_EQ(axes_of(*batched, "layer2.weights"), "none");
  for (const std::string& order : possible_axes(*tensors, {kUseWeights})) {
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

TEST(ImportedAxes, FiveAxesMayBeginWithTheBatch) {
  const auto named = trace_on(made({{"batch_attn", {2, 3, 4, 5, 5}}}));
  EXPECT_EQ(axes_of(*named, "layer3.weights"), "batch2,head4,query5,key5");
  EXPECT_EQ(axes_of(*named, "layer4.weights"), "none");
  const auto tensors = made({{"attn", {2, 3, 4, 5, 5}}});
  EXPECT_EQ(axes_of(*trace_on(tensors), "layer2.weights"), "batch3,head4,query5,key5");
  EXPECT_EQ(
      axes_notice(*tensors, {kUseWeights}),
      "made.npz: attn [2, 3, 4, 5, 5] is taken as layer batch head query key; if its first axis counts batch items, "
      "set axes to batch layer head query key");
  const auto declared = trace_on(tensors, "batch layer head query key");
  EXPECT_EQ(axes_of(*declared, "layer3.weights"), "batch2,head4,query5,key5");
  EXPECT_EQ(declared->tensor("layer3.weights").at(std::vector<Index>{1, 3, 2, 4}), tensors->value(0, {1, 2, 3, 2, 4}));
  const auto vectors = trace_on(made({{"batch.q", {2, 3, 4, 5, 6}}, {"batch.k", {2, 3, 4, 5, 6}}}));
  EXPECT_EQ(axes_of(*vectors, "layer3.q"), "batch2,head4,query5,dim6");
}

TEST(ImportedAxes, ArraysWithoutNamesAreLayersIfTheirRowsAreWeights) {
  const std::vector<MadeTensors::Made> arrays = {{"arr_0", {2, 3, 3}}, {"arr_1", {2, 3, 3}}, {"arr_10", {4, 3, 3}}};
  const auto weights = made(arrays);
  for (std::size_t which = 0; which < arrays.size(); ++which) {
    for (Index key = 0; key < 3; ++key) weights->instead[{which, key}] = key == 0 ? 1 : 0;
  }
  const auto trace = trace_on(weights);
  EXPECT_EQ(axes_of(*trace, "weights"), "head2,query3,key3");
  EXPECT_EQ(axes_of(*trace, "layer3.weights"), "head4,query3,key3");
  // Any other numbers may be anything.
  EXPECT_EQ(possible_uses(*made(arrays)), std::vector<std::string>{kUseTensors});
}

TEST(ImportedAxes, AModelsWeightsAreNoAttentionAndSaidSo) {
  const std::vector<MadeTensors::Made> gpt2 = {{"wte.weight", {9, 8}},
                                               {"h.0.ln_1.weight", {8}},
                                               {"h.0.attn.bias", {1, 1, 6, 6}},
                                               {"h.0.attn.c_attn.weight", {8, 24}},
                                               {"h.0.attn.c_proj.bias", {8}}};
  const std::vector<MadeTensors::Made> lens = {{"embed.W_E", {9, 8}},
                                               {"blocks.0.attn.W_Q", {2, 8, 4}},
                                               {"blocks.0.attn.W_K", {2, 8, 4}},
                                               {"blocks.0.attn.mask", {6, 6}}};
  for (const std::vector<MadeTensors::Made>& model : {gpt2, lens, {{"h.0.attn.c_attn.weight", {8, 24}}}}) {
    const auto tensors = made(model, "/tmp/state.npz");
    EXPECT_EQ(possible_uses(*tensors), (std::vector<std::string>{kUseTensors})) << model.front().name;
    const auto trace = trace_on(tensors);
    ASSERT_EQ(trace->warnings().size(), 1U) << model.front().name;
    EXPECT_EQ(trace->warnings()[0],
              "/tmp/state.npz: these are a model's weights, not attention; open the folder with its config.json "
              "instead");
    Experiment experiment = trace->experiment();
    experiment.parameters["use"] = std::string(kUseWeights);
    const Result<void> valid = validate(experiment);
    ASSERT_FALSE(valid);
    EXPECT_EQ(valid.error().message, trace->warnings()[0]);
  }
  const auto beside = made(gpt2, "/tmp/state.npz");
  beside->config = "/tmp/config.json";
  EXPECT_EQ(trace_on(beside)->warnings()[0],
            "/tmp/state.npz: these are a model's weights, not attention; open the folder of /tmp/config.json instead");
  // Activations beside them are what it is about.
  EXPECT_EQ(possible_uses(*made({{"h.0.attn.c_attn.weight", {8, 24}}, {"h.0.attn.probs", {2, 6, 6}}})),
            (std::vector<std::string>{kUseWeights, kUseTensors}));
  // A single array is weights, whatever its file is called.
  EXPECT_EQ(possible_uses(*made({{"", {6, 6}}}, "/tmp/weight.npy")).front(), kUseWeights);
}

}  // namespace
}  // namespace attnscope::test
