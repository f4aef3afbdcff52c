// Roles of tensors from names and shapes.

#include "core/imported/tensor_roles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace attnscope::test {
namespace {

struct NameCase {
  const char* name;
  TensorRole role;
  std::vector<Index> layer = {};
};

TEST(TensorRoles, FollowFromNames) {
  using enum TensorRole;
  const std::vector<NameCase> cases = {
      {"q", query},
      {"query", query},
      {"Queries", query},
      {"K", key},
      {"keys", key},
      {"value", value},
      {"layers.3.attn.q", query, {3}},
      {"model.layers.0.self_attn.q_proj", query, {0}},
      {"model.layers.17.self_attn.v_proj.output", value, {17}},
      {"blocks.11.attn.hook_k", key, {11}},
      {"blocks.2.attn.hook_pattern", weights, {2}},
      {"blocks.2.attn.hook_attn_scores", scores, {2}},
      {"h.5.attn.queryStates", query, {5}},
      {"attn", weights},
      {"attentions", weights},
      {"attentions_4", weights, {4}},
      {"attention_weights", weights},
      {"attn_output_weights", weights},
      {"attn_weight", weights},
      {"crossAttentionWeights", weights},
      {"decoder.cross_attentions.1", weights, {1}},
      {"weights", weights},
      {"single.weights", weights},
      {"attention_probs", weights},
      {"layer2/softmax", weights, {2}},
      {"scores", scores},
      {"qk_logits", scores},
      {"layers.3.heads.2.q", query, {3}},
      {"head_2.q", query},
      {"key_cache_7", key, {7}},
      {"stages.1.blocks.0.attn.q", query, {1, 0}},
      {"stage2/block1/attention", weights, {2, 1}},
      {"layers.1.blocks.3.attn.q", query, {1, 3}},
      {"encoder.block.3.layer.0.SelfAttention.q", query, {3, 0}},
      // Parameters, and names without a role.
      {"model.layers.0.self_attn.q_proj.weight", other, {0}},
      {"q_proj.bias", other},
      {"h.0.attn.c_attn.weight", other, {0}},
      {"h.0.attn.c_attn", other, {0}},
      {"attn.bias", other},
      {"attention.weight", other},
      {"blocks.0.attn.W_Q", other, {0}},
      {"blocks.0.attn.W_K", other, {0}},
      {"blocks.0.attn.b_V", other, {0}},
      {"w_q", other},
      {"attn_weight", weights},
      {"crossAttnWeight", weights},
      {"attn_norm", other},
      {"attn_output", other},
      {"attn.out", other},
      {"hidden_states", other},
      {"x", other},
      {"", other},
      {"....", other},
      {"7", other, {7}},
      {"1.2.q", query},
      {"99999999999999999999.q", query},
      {"\xff\xfe q \n", query},
  };
  for (const NameCase& each : cases) {
    const NamedRole found = role_of(each.name);
    EXPECT_EQ(role_name(found.role), role_name(each.role)) << each.name;
    EXPECT_EQ(found.layer, each.layer) << each.name;
  }
}

std::string guess_text(TensorRole role, const std::vector<Index>& shape, FirstAxis first = FirstAxis::unknown) {
  const std::vector<AxisGuess> guesses = axis_guesses(role, shape, first);
  for (const AxisGuess& guess : guesses) EXPECT_EQ(guess.size(), shape.size());
  std::string text;
  if (!guesses.empty()) {
    for (const AxisRole axis : guesses.front()) text += (text.empty() ? "" : ",") + std::string(axis_role_name(axis));
  }
  return text;
}

TEST(TensorRoles, AxesFollowFromRankAndSizes) {
  EXPECT_EQ(guess_text(TensorRole::weights, {6, 6}), "query,key");
  EXPECT_EQ(guess_text(TensorRole::weights, {4, 6, 6}), "head,query,key");
  EXPECT_EQ(guess_text(TensorRole::weights, {12, 12, 6, 6}), "layer,head,query,key");
  EXPECT_EQ(guess_text(TensorRole::weights, {1, 12, 6, 6}), "batch,head,query,key");
  EXPECT_EQ(guess_text(TensorRole::scores, {12, 12, 6, 6}, FirstAxis::batch), "batch,head,query,key");
  EXPECT_EQ(guess_text(TensorRole::scores, {12, 1, 12, 6, 6}), "layer,batch,head,query,key");
  EXPECT_EQ(guess_text(TensorRole::query, {6, 64}), "token,dim");
  EXPECT_EQ(guess_text(TensorRole::query, {8, 6, 64}), "head,token,dim");
  EXPECT_EQ(guess_text(TensorRole::query, {1, 6, 64}), "batch,token,dim");
  EXPECT_EQ(guess_text(TensorRole::key, {1, 8, 6, 64}), "batch,head,token,dim");
  EXPECT_EQ(guess_text(TensorRole::key, {2, 8, 6, 64}, FirstAxis::batch), "batch,head,token,dim");
  EXPECT_EQ(guess_text(TensorRole::value, {2, 1024, 16, 64}, FirstAxis::batch), "batch,token,head,dim");
  EXPECT_EQ(guess_text(TensorRole::value, {2, 1024, 16, 64}), "layer,token,head,dim");
  EXPECT_EQ(guess_text(TensorRole::value, {1, 1024, 16, 64}), "batch,token,head,dim");
  EXPECT_EQ(guess_text(TensorRole::value, {2, 8, 6, 64}), "layer,head,token,dim");
  EXPECT_EQ(guess_text(TensorRole::weights, {1, 12, 6, 6}, FirstAxis::layers), "layer,head,query,key");
  EXPECT_EQ(guess_text(TensorRole::value, {2, 1, 8, 6, 64}), "layer,batch,head,token,dim");
  for (const TensorRole role : {TensorRole::query, TensorRole::weights, TensorRole::other}) {
    EXPECT_EQ(guess_text(role, {}), "");
    EXPECT_EQ(guess_text(role, {3}), "");
    EXPECT_EQ(guess_text(role, {1, 1, 1, 1, 1, 1}), "");
  }
  EXPECT_EQ(guess_text(TensorRole::other, {6, 6}), "");
}

TEST(TensorRoles, OtherOrdersAreOffered) {
  const std::vector<AxisGuess> guesses =
      axis_guesses(TensorRole::weights, std::vector<Index>{2, 4, 6, 6}, FirstAxis::unknown);
  ASSERT_EQ(guesses.size(), 2U);
  EXPECT_EQ(guesses[1], (AxisGuess{AxisRole::batch, AxisRole::head, AxisRole::query, AxisRole::key}));
}

TEST(TensorRoles, ParametersHaveNamesOfTheirOwn) {
  for (const char* name : {"h.0.attn.c_attn.weight", "attn.bias", "ln_1.weight", "blocks.0.attn.W_Q", "blocks.0.ln1.w",
                           "blocks.0.attn.b_O", "embed.W_E", "LayerNorm.gamma", "q_proj.lora_A.weight", "kernel"})
    EXPECT_TRUE(is_parameter(name)) << name;
  for (const char* name : {"attn_weight", "attention_weights", "weights", "hook_q", "layers.0.attn", "x", "b", "w", "",
                           "w__", "b_.", "/W_/", "b__\xff"})
    EXPECT_FALSE(is_parameter(name)) << name;
}

TEST(TensorRoles, ANumberAfterAWordForLayersSaysThatOtherLayersAreElsewhere) {
  for (const char* name : {"layers.3.attn", "h.0.attn.q", "block7_scores", "layer0"})
    EXPECT_EQ(first_axis_of(name), FirstAxis::batch) << name;
  for (const char* name : {"batch_attn", "attn_batched", "weights_of_samples", "batch2.attn"})
    EXPECT_EQ(first_axis_of(name), FirstAxis::batch) << name;
  for (const char* name : {"attn_all_layers", "layers", "blocks.attn"})
    EXPECT_EQ(first_axis_of(name), FirstAxis::layers) << name;
  for (const char* name : {"attn", "attn2", "gpt2.attn", "arr_0", "attentions_4", "q", ""})
    EXPECT_EQ(first_axis_of(name), FirstAxis::unknown) << name;
}

TEST(TensorRoles, WhatBelongsTogetherHasANameInCommon) {
  EXPECT_EQ(group_of("layers.3.attn.q"), group_of("layers.11.attn.k"));
  EXPECT_EQ(group_of("decoder.layers.3.self_attn.weights"), group_of("decoder.layers.0.self_attn.weights"));
  EXPECT_NE(group_of("encoder_attentions_0"), group_of("decoder_attentions_0"));
  EXPECT_NE(group_of("layers.0.self_attn.weights"), group_of("layers.0.cross_attn.weights"));
  EXPECT_NE(group_of("down.0.attentions.1.weights"), group_of("down.0.attentions.2.weights"));
  EXPECT_EQ(group_of("q"), "");
  EXPECT_EQ(group_of("decoder.3.self_attn.q"), "decoder self attn");
  for (const char* name : {"stages.1.blocks.0.attn.q", "stages.0.blocks.4.attn.k", "layers.1.blocks.3.attn.q"})
    EXPECT_EQ(group_of(name), "attn") << name;
  EXPECT_EQ(group_of("decoder.block.3.layer.0.SelfAttention.q"), group_of("decoder.block.0.layer.0.SelfAttention.k"));
  EXPECT_NE(group_of("decoder.block.3.layer.0.SelfAttention.q"), group_of("decoder.block.3.layer.1.EncDecAttention.q"));
}

RowSums sums_of(const std::vector<float>& numbers, Index columns) {
  return look_at_rows({numbers.data(), static_cast<Index>(numbers.size()) / columns, columns, columns, 1});
}

TEST(TensorRoles, RowsOfWeightsSumToOne) {
  EXPECT_TRUE(sums_of({0.25F, 0.75F, 1, 0}, 2).all());
  EXPECT_TRUE(sums_of({0.2501F, 0.7507F}, 2).all());  // as half precision rounds
  EXPECT_TRUE(sums_of({0.5F, 0.5F, 0, 0}, 2).all());  // a row without any key
  EXPECT_EQ(sums_of({0.5F, 0.5F, 2, -1}, 2).like_weights, 1);
  EXPECT_EQ(sums_of({0.5F, 0.5F, 0.5F, 0.6F}, 2).like_weights, 1);
  EXPECT_FALSE(sums_of({NAN, 1}, 2).all());
  EXPECT_FALSE(sums_of({INFINITY, 1}, 2).all());
  EXPECT_FALSE(look_at_rows({}).all());
}

}  // namespace
}  // namespace attnscope::test
