// Weights in 16 bits stay in the file: they are read as they are used, and give the bits of the same numbers in 32 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/trace/run.h"
#include "io/models/model_file.h"
#include "support/temporary_folder.h"
#include "support/tiny_model.h"

namespace attnscope {
namespace {

// Large weights take more than a small part of it.
constexpr double kBudget = 64e6;

struct CompactCase {
  std::string config;
  test::Shapes shapes;
};

/// Wide enough that its matrices are large, with a vocabulary whose table is read in several boxes.
CompactCase gpt2() {
  CompactCase model;
  model.config =
      R"({"model_type": "gpt2", "vocab_size": 6000, "n_positions": 64, "n_embd": 256, "n_layer": 1, "n_head": 4})";
  model.shapes = {{"wte.weight", {6000, 256}},
                  {"wpe.weight", {64, 256}},
                  {"ln_f.weight", {256}},
                  {"ln_f.bias", {256}},
                  {"h.0.ln_1.weight", {256}},
                  {"h.0.ln_1.bias", {256}},
                  {"h.0.ln_2.weight", {256}},
                  {"h.0.ln_2.bias", {256}},
                  {"h.0.attn.c_attn.weight", {256, 768}},
                  {"h.0.attn.c_attn.bias", {768}},
                  {"h.0.attn.c_proj.weight", {256, 256}},
                  {"h.0.attn.c_proj.bias", {256}},
                  {"h.0.mlp.c_fc.weight", {256, 1024}},
                  {"h.0.mlp.c_fc.bias", {1024}},
                  {"h.0.mlp.c_proj.weight", {1024, 256}},
                  {"h.0.mlp.c_proj.bias", {256}}};
  return model;
}

/// Its matrices are stored the other way round.
CompactCase attention_only() {
  CompactCase model;
  model.config =
      R"({"model_type": "attention-only", "vocab_size": 6000, "n_positions": 64, "n_embd": 256, "n_layer": 2,
          "n_head": 4})";
  model.shapes = {{"embed.weight", {6000, 256}}, {"positions.weight", {64, 256}}, {"unembed.weight", {6000, 256}}};
  for (const char* const layer : {"layers.0.", "layers.1."}) {
    for (const char* const name : {"q", "k", "v", "o"})
      model.shapes[std::string(layer) + name + ".weight"] = {256, 256};
  }
  return model;
}

void expect_bits(const Trace& compact, const Trace& wide) {
  ASSERT_EQ(compact.steps().size(), wide.steps().size());
  for (std::size_t i = 0; i < wide.steps().size(); ++i) {
    const Step& step = compact.steps()[i];
    if (step.tensor == nullptr) continue;
    const auto a = step.tensor->values();
    const auto b = wide.steps()[i].tensor->values();
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << step.name;
  }
}

class CompactWeights : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  /// The model with weights of that type, and a text of 12 tokens.
  Experiment experiment(const test::TemporaryFolder& folder, const std::string& type) const {
    const CompactCase model = std::get<0>(GetParam()) == "gpt2" ? gpt2() : attention_only();
    folder.file("config.json", model.config);
    folder.file("model.safetensors", test::weights_file(model.shapes, type));
    const auto opened = open_model(folder.path());
    EXPECT_TRUE(opened) << opened.error().message;
    Experiment experiment = experiment_on_model(*opened);
    for (Index i = 0; i < 12; ++i) experiment.text.ids.push_back(i * 4999 % 6000);
    return experiment;
  }

  std::string type_ = std::get<1>(GetParam());
  test::TemporaryFolder compact_folder_;
  test::TemporaryFolder wide_folder_;
};

TEST_P(CompactWeights, GiveTheBitsOfWideOnes) {
  Experiment compact = experiment(compact_folder_, type_);
  Experiment wide = experiment(wide_folder_, "F32");
  Executor typing(kBudget);
  for (const Index next : {5999, 0, 17}) {
    const auto read = typing.run(compact);
    const auto resident = run(wide);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(resident);
    expect_bits(**read, **resident);
    EXPECT_EQ((*read)->find("logits")->tensor->has_room(), next != 5999) << "a longer text continues the last one";
    if (HasFatalFailure()) return;
    compact.text.ids.push_back(next);
    wide.text.ids.push_back(next);
  }
}

TEST_P(CompactWeights, AreNotKeptInMemory) {
  const Experiment compact = experiment(compact_folder_, type_);
  const auto trace = Executor(kBudget).run(compact);
  ASSERT_TRUE(trace);
  Index left_out = 0;
  for (const Step& step : (*trace)->steps()) {
    const bool is_large = element_count(step.axes) >= 65536 && step.operation->traits().is_weight;
    EXPECT_EQ(step.tensor == nullptr, is_large) << step.name;
    left_out += is_large ? 1 : 0;
  }
  EXPECT_GE(left_out, 5);
  // They can be looked at all the same.
  const Step* const table = (*trace)->find("w_logits");
  ASSERT_NE(table, nullptr);
  const Region row = {static_cast<int>(table - (*trace)->steps().data()), {5998, 0}, {5999, 256}};
  const auto numbers = (*trace)->numbers(row, {});
  const auto whole = run(experiment(wide_folder_, "F32"));
  const auto wide = (*whole)->find("w_logits")->tensor->values().subspan(std::size_t{5998} * 256, 256);
  EXPECT_TRUE(std::equal(wide.begin(), wide.end(), numbers->values().begin()));
}

INSTANTIATE_TEST_SUITE_P(Types, CompactWeights,
                         testing::Combine(testing::Values("gpt2", "attention_only"), testing::Values("F16", "BF16")),
                         [](const auto& each) { return std::get<0>(each.param) + "_" + std::get<1>(each.param); });

}  // namespace
}  // namespace attnscope
