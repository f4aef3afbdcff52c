// Multi-head attention with separate inputs for queries, keys and values, projected without bias. Scores are scaled dot
// products, or the output of a small network (additive attention) that the heads share.
#include "core/experiment/random_numbers.h"
#include "core/experiment/system.h"
#include "core/script/script_parts.h"
#include "core/script/script_positions.h"
#include "core/systems/parts.h"

namespace attnscope {
namespace projected_multihead_parts {
namespace {

bool keys_are_queries(const Experiment& e) { return e.choice("input") != "separate"; }

Index key_count(const Experiment& e) { return e.integer(keys_are_queries(e) ? "queries" : "keys"); }

MaskSizes mask_sizes(const Experiment& e) {
  return {e.integer("batch"), e.integer("heads"), e.integer("queries"), key_count(e)};
}

struct Inputs {
  Value q, k, v;
};

Inputs draw_inputs(const Experiment& e, PlanBuilder& r) {
  const Axis batch = {"batch", e.integer("batch")};
  const Axis feature = {"feature", e.integer("features")};
  const Axes queries = {batch, {"query", e.integer("queries")}, feature};
  const Axes keys = {batch, {"key", key_count(e)}, feature};
  if (e.choice("input") == "ones") {
    return {constant(r, "x_q", queries, 1), constant(r, "x_k", keys, 1), constant(r, "x_v", keys, 1)};
  }
  const Value q = draw_normal(r, "x_q", queries);
  if (e.choice("input") == "self") {
    constexpr const char* kSame = "batch key feature -> batch key feature";
    return {q, rearrange(r, "x_k", kSame, q), rearrange(r, "x_v", kSame, q)};
  }
  const Value k = draw_normal(r, "x_k", keys);
  return {q, k, draw_normal(r, "x_v", keys)};
}

/// score(i, j) = w_a_v · tanh(w_a_q q_i + w_a_k k_j)
Value additive_scores(PlanBuilder& r, const Projections& p, Value w_a_q, Value w_a_k, Value w_a_v) {
  const Value q = contract(r, "additive_q", "batch head query dim, unit dim -> batch head query unit", p.q, w_a_q);
  const Value k = contract(r, "additive_k", "batch head key dim, unit dim -> batch head key unit", p.k, w_a_k);
  const Value hidden =
      add(r, "additive", "batch head query unit, batch head key unit -> batch head query key unit", q, k, true);
  return contract(r, "scores", "batch head query key unit, score unit -> batch head query key", hidden, w_a_v);
}

void run_system(const Experiment& e, PlanBuilder& r) {
  const Index heads = e.integer("heads");
  const Index dim = e.integer("hidden") / heads;
  const Axis feature = {"feature", e.integer("features")};
  const Axis hidden = {"head·dim", e.integer("hidden")};
  const bool additive = e.choice("score") == "additive";

  const Inputs x = draw_inputs(e, r);
  begin_weights(r, e);
  const Layer w_q = draw_linear_without_bias(r, "q", hidden, feature);
  const Layer w_k = draw_linear_without_bias(r, "k", hidden, feature);
  const Layer w_v = draw_linear_without_bias(r, "v", hidden, feature);
  const Layer w_o = draw_linear_without_bias(r, "o", {"out_feature", e.integer("out_features")}, hidden);
  Value w_a_q, w_a_k, w_a_v;
  if (additive) {
    w_a_q = draw_layer(r, "w_a_q", {{"unit", dim}, {"dim", dim}}, dim);
    w_a_k = draw_layer(r, "w_a_k", {{"unit", dim}, {"dim", dim}}, dim);
    w_a_v = draw_layer(r, "w_a_v", {{"score", 1}, {"unit", dim}}, dim);
  }

  const std::map<std::string, Index> sizes = {{"head", heads}};
  constexpr const char* kSplitQueries = "batch query (head dim) -> batch head query dim";
  constexpr const char* kSplitKeys = "batch key (head dim) -> batch head key dim";
  Projections p;
  p.q = rearrange(r, "q", kSplitQueries, linear(r, "projected_q", "batch query", x.q, w_q), sizes);
  p.k = rearrange(r, "k", kSplitKeys, linear(r, "projected_k", "batch key", x.k, w_k), sizes);
  p.v = rearrange(r, "v", kSplitKeys, linear(r, "projected_v", "batch key", x.v, w_v), sizes);
  p.q = rotated(r, e, "rotated_q", p.q);
  p.k = rotated(r, e, "rotated_k", p.k);
  const Value fit = additive ? additive_scores(r, p, w_a_q, w_a_k, w_a_v) : scaled_scores(r, "batch head", p, dim);
  const Value scores = biased_by_distance(r, e, "biased_scores", fit);
  const Value outputs = weighted_sum(e, r, "batch head", scores, p.v, mask_sizes(e)).outputs;
  const Value merged =
      rearrange(r, "merged", "batch head query dim -> batch query (head dim)", keep_heads(r, e, outputs));
  linear(r, "out", "batch query", merged, w_o);
}

std::string inputs_code(const Experiment& e) {
  if (e.choice("input") == "separate") {
    return R"(
x_q = torch.randn(batch, queries, features)
x_k = torch.randn(batch, keys, features)
x_v = torch.randn(batch, keys, features)
)";
  }
  return std::string("x_q = x_k = x_v = torch.") + (e.choice("input") == "self" ? "randn" : "ones") +
         "(batch, queries, features)";
}

std::string key_count_name(const Experiment& e) { return keys_are_queries(e) ? "queries" : "keys"; }

std::string scores_code(const Experiment& e) {
  const std::string bias = biased_scores_code(e, {"heads", "queries", key_count_name(e), ""});
  if (e.choice("score") != "additive") return dot_scores_code(e) + bias;
  return "additive_q = a_q(" + rotated_name(e, "q") + ")\nadditive_k = a_k(" + rotated_name(e, "k") + R"()
additive = torch.tanh(additive_q[..., :, None, :] + additive_k[..., None, :, :])
scores = a_v(additive).squeeze(-1)
)" + bias;
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  const bool additive = e.choice("score") == "additive";
  s.code(inputs_code(e));
  s.begin_weights();
  s.layer("to_q", "q", "nn.Linear(features, hidden, bias=False)");
  s.layer("to_k", "k", "nn.Linear(features, hidden, bias=False)");
  s.layer("to_v", "v", "nn.Linear(features, hidden, bias=False)");
  s.layer("to_out", "o", "nn.Linear(hidden, out_features, bias=False)");
  if (additive) {
    s.section("# Additive scores, a_v · tanh(a_q q + a_k k); all heads share the network.\nhead_dim = hidden // heads");
    s.layer("a_q", "a_q", "nn.Linear(head_dim, head_dim, bias=False)");
    s.layer("a_k", "a_k", "nn.Linear(head_dim, head_dim, bias=False)");
    s.layer("a_v", "a_v", "nn.Linear(head_dim, 1, bias=False)");
  }
  s.edits();

  s.section(R"(
projected_q = to_q(x_q)
projected_k = to_k(x_k)
projected_v = to_v(x_v)
)");
  s.section("# Split into heads: [batch, head, token, dim].");
  if (!additive) s.code("head_dim = hidden // heads");
  s.code(R"(
q = projected_q.unflatten(-1, (heads, head_dim)).transpose(1, 2)
k = projected_k.unflatten(-1, (heads, head_dim)).transpose(1, 2)
v = projected_v.unflatten(-1, (heads, head_dim)).transpose(1, 2)
)");
  write_rotation(s);
  write_attention(s, {{"batch", "head"}, "queries", key_count_name(e)}, scores_code(e));
  write_merged(s);
  s.code("out = to_out(merged)");
}

}  // namespace
}  // namespace projected_multihead_parts

System projected_multihead() {
  System system;
  system.name = "projected-multihead";
  system.title = "Projected multi-head attention";
  system.summary =
      "Queries, keys and values from separate inputs, scored by dot product or by a small network (additive "
      "attention).";
  system.source = "a multi-head attention tutorial with separate queries and keys";
  Parameter keys = integer_parameter("keys", "Keys", "Number of key tokens; only with separate inputs.", 5, 1, 16);
  keys.only_with = {"input", {"separate"}};
  system.parameters = {
      integer_parameter("batch", "Batch", "Number of sequences in the batch.", 1, 1, 8),
      integer_parameter("queries", "Queries", "Number of query tokens.", 3, 1, 16),
      keys,
      integer_parameter("features", "Features", "Features of an input token, before the projections.", 4, 1, 32),
      integer_parameter("hidden", "Hidden dimension", "Dimension of Q, K and V over all heads together.", 32, 1, 64),
      heads_parameter(2, "hidden"),
      integer_parameter("out_features", "Output dimension", "Features of an output token.", 8, 1, 32),
      choice_parameter("input", "Input",
                       "Separate inputs for Q, K and V; one sequence for all three (self); or all ones.",
                       {"separate", "self", "ones"}, {"separate", "self", "ones"}),
      choice_parameter("score", "Score",
                       "How well a key matches a query: their dot product, or a small network (additive attention).",
                       {"scaled_dot", "additive"}, {"dot product", "additive"}),
      relative_positions_parameter(),
      weights_stay_parameter(),
  };
  system.mask_sizes = projected_multihead_parts::mask_sizes;
  system.run = projected_multihead_parts::run_system;
  system.script = projected_multihead_parts::write_script;
  return system;
}

}  // namespace attnscope
