// Equations of attention of small models of every family.
#include "figure/slices/attention_formula.h"

#include <map>

#include "core/trace/run.h"
#include "figure/slices/matrix_facts.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

constexpr const char* kScaled = "Attention(Q, K, V) = softmax(QK^{T} / √d_{k}) V";
constexpr const char* kCausal = "Attention(Q, K, V) = softmax(QK^{T} / √d_{k} + M) V";
constexpr const char* kRotary = "Attention(Q, K, V) = softmax(RoPE(Q) RoPE(K)^{T} / √d_{k} + M) V";

/// What is written of each attention, in order; equal neighbours once.
std::vector<std::string> equations_of(const std::string& folder) {
  const Result<std::shared_ptr<const Trace>> trace = run(golden_experiment(kGoldenModels / folder));
  if (!trace) throw std::runtime_error(trace.error().message);
  std::vector<std::string> all;
  for (Index layer = 1; layer <= layer_count(**trace); ++layer) {
    const auto formula = attention_formula(**trace, shown_attention(**trace, {{"layer", layer}}));
    std::string text = formula ? formula_markup(formula->attention) : "none";
    // The last note; the first ones are numbers.
    if (formula && formula->notes.find("K and V") != std::string::npos) {
      const std::size_t comma = formula->notes.rfind(", ");
      text += "; " + formula->notes.substr(comma == std::string::npos ? 0 : comma + 2);
    }
    if (all.empty() || all.back() != text) all.push_back(text);
    if (!formula) continue;
    for (const FormulaSymbol& symbol : formula->symbols) {
      for (const std::string& tensor : symbol.tensors) EXPECT_NE((*trace)->find(tensor), nullptr) << tensor;
    }
  }
  return all;
}

class ModelEquation : public testing::TestWithParam<std::string> {};

TEST_P(ModelEquation, HasTheParticularsOfItsFamily) {
  const std::string from_encoder = std::string(kScaled) + "; K and V from the encoder";
  const std::vector<std::string> decoded = {kScaled, kCausal, from_encoder, kCausal, from_encoder};
  const std::string unscaled = "Attention(Q, K, V) = softmax(QK^{T}";
  const std::string t5_cross = unscaled + ") V; K and V from the encoder";
  const std::map<std::string, std::vector<std::string>> wanted = {
      {"attention-only", {kCausal}},
      {"bart", decoded},
      {"bert", {kScaled}},
      {"distilbert", {kScaled}},
      {"gpt2", {unscaled + " / (√4 · 1) + M) V", unscaled + " / (√4 · 2) + M) V"}},
      {"gpt_neox", {kRotary}},
      {"llama", {kRotary}},
      {"marian", decoded},
      {"mistral", {std::string(kRotary) + "; 1 head of K and V for 3 of Q"}},
      {"qwen2", {std::string(kRotary) + "; 2 heads of K and V for 4 of Q"}},
      {"qwen3", {"Attention(Q, K, V) = softmax(RoPE(norm(Q)) RoPE(norm(K))^{T} / √d_{k} + M) V"}},
      {"roberta", {kScaled}},
      {"t5", {unscaled + " + B) V", unscaled + " + B + M) V", t5_cross, unscaled + " + B + M) V", t5_cross}},
      {"vit", {kScaled}},
  };
  ASSERT_TRUE(wanted.contains(GetParam())) << "a new family";
  EXPECT_EQ(equations_of(GetParam() + "-1"), wanted.at(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Families, ModelEquation, testing::ValuesIn(golden_families()), test_name);

TEST(ModelMatrices, EveryTensorHasAMeaning) {
  for (const std::string& family : golden_families()) {
    const Result<std::shared_ptr<const Trace>> trace = run(golden_experiment(kGoldenModels / (family + "-1")));
    ASSERT_TRUE(trace) << family;
    for (const Step& step : (*trace)->steps())
      EXPECT_FALSE(tensor_meaning(step).starts_with("result of ")) << step.name << " of " << family;
  }
}

}  // namespace
}  // namespace attnscope::test
