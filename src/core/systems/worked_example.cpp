// The worked example: random tokens through a single head, then multiple heads, with cross-attention from a target
// sequence and an output projection. Every matrix is uniform in [0, 1); there are no biases.
#include <cmath>

#include "core/experiment/positions.h"
#include "core/experiment/random_numbers.h"
#include "core/experiment/system.h"
#include "core/script/script.h"
#include "core/script/script_positions.h"
#include "core/systems/systems.h"

namespace attnscope {
namespace worked_example_parts {
namespace {

/// The weights of one stage, drawn in the order of the source.
struct Weights {
  Value k, q, v;  ///< [head, feature, dim]; the single-head stage has no head axis
};

/// The computation with a single head (no head axis) or multiple heads. `head` is the axis label in patterns: "" or
/// "head ".
struct Stage {
  std::string prefix;
  std::string head;

  [[nodiscard]] Axes weight_axes(const Experiment& e) const {
    Axes axes = {{"feature", e.integer("features")}, {"dim", e.integer("head_dim")}};
    if (!head.empty()) axes.insert(axes.begin(), {"head", e.integer("heads")});
    return axes;
  }

  [[nodiscard]] Weights draw(const Experiment& e, PlanBuilder& r) const {
    const double least = least_random_number(e);
    const Value k = draw_uniform(r, prefix + "w_k", weight_axes(e), least);
    const Value q = draw_uniform(r, prefix + "w_q", weight_axes(e), least);
    const Value v = draw_uniform(r, prefix + "w_v", weight_axes(e), least);
    return {k, q, v};
  }

  /// x · w for every head; `position` names the token axis of x: query, key or cross_query.
  [[nodiscard]] Value project(PlanBuilder& r, const std::string& name, const std::string& position, Value x,
                              Value w) const {
    return contract(r, prefix + name, position + " feature, " + head + "feature dim -> " + head + position + " dim", x,
                    w);
  }

  [[nodiscard]] Value scores(const Experiment& e, PlanBuilder& r, const std::string& name, const std::string& query,
                             Value q, Value k) const {
    ContractOptions options;
    if (e.choice("scale") == "sqrt_head_dim") {
      options.divisor = std::sqrt(static_cast<double>(e.integer("head_dim")));
      options.divisor_text = "√" + std::to_string(e.integer("head_dim"));
    }
    return contract(r, prefix + name, head + query + " dim, " + head + "key dim -> " + head + query + " key", q, k,
                    options);
  }

  Value weighted_sum(PlanBuilder& r, const std::string& name, const std::string& query, Value weights, Value v) const {
    return contract(r, prefix + name, head + query + " key, " + head + "key dim -> " + head + query + " dim", weights,
                    v);
  }

  /// Returns the head outputs [head, query, dim].
  Value run(const Experiment& e, PlanBuilder& r, const Weights& w, Value x, Value x2) const {
    const Value q = project(r, "q", "query", x, w.q);
    const Value k = project(r, "k", "key", x, w.k);
    const Value v = project(r, "v", "key", x, w.v);
    const Value asked = rotated(r, e, prefix + "rotated_q", q);
    const Value product = scores(e, r, "scores", "query", asked, rotated(r, e, prefix + "rotated_k", k));
    const Value self_scores = biased_by_distance(r, e, prefix + "biased_scores", product);
    const Index tokens = e.integer("tokens");
    const Index heads = head.empty() ? 1 : e.integer("heads");
    const Value weights = attention_weights(r, e, prefix, self_scores, e.mask(), {1, heads, tokens, tokens});
    const Value outputs = weighted_sum(r, "head_outputs", "query", weights, v);
    contract(r, prefix + "weighted_values", head + "query key, " + head + "key dim -> " + head + "key query dim",
             weights, v);
    if (e.integer("cross_queries") > 0) {
      const Value cross_q = project(r, "cross_q", "cross_query", x2, w.q);
      const Value cross_scores = scores(e, r, "cross_scores", "cross_query", cross_q, k);
      const Value cross_weights = attention_weights(r, e, prefix + "cross_", cross_scores, Mask{}, {});
      weighted_sum(r, "cross_head_outputs", "cross_query", cross_weights, v);
    }
    return outputs;
  }
};

/// If the mask has a matrix per head, the single-head stage uses the first.
MaskSizes mask_sizes(const Experiment& e) { return {1, e.integer("heads"), e.integer("tokens"), e.integer("tokens")}; }

void run_system(const Experiment& e, PlanBuilder& r) {
  const Stage single = {"single.", ""};
  const Stage multi = {"", "head "};

  const double least = least_random_number(e);
  const Index tokens_drawn = e.integer("tokens");
  const Value x = draw_uniform(r, "x", {{"token", tokens_drawn}, {"feature", e.integer("features")}}, least, 1,
                               same_vectors(e, tokens_drawn));
  Value x2;
  if (e.integer("cross_queries") > 0) {
    x2 =
        draw_uniform(r, "x2", {{"cross_query", e.integer("cross_queries")}, {"feature", e.integer("features")}}, least);
  }
  begin_weights(r, e);
  const Weights single_weights = single.draw(e, r);
  const Weights weights = multi.draw(e, r);
  const Value w_out = draw_uniform(
      r, "w_out",
      {{"head·dim", saturating_product(e.integer("heads"), e.integer("head_dim"))}, {"feature", e.integer("features")}},
      least);

  const Value tokens = with_positions(r, e, x);
  single.run(e, r, single_weights, tokens, x2);
  const Value outputs = multi.run(e, r, weights, tokens, x2);
  const Value merged = rearrange(r, "merged", "head token dim -> token (head dim)", keep_heads(r, e, outputs));
  contract(r, "out", "token merged, merged feature -> token feature", merged, w_out);
}

/// Whether the script's function takes the mask as an argument: only if the mask differs between heads.
bool mask_has_heads(const Experiment& e) { return e.mask().shape.size() == 4 && e.mask().shape[1] > 1; }

std::string cross_code(const Experiment& e, const std::string& scale) {
  if (e.integer("cross_queries") == 0) return "";
  return "\ncross_q = x2 @ w_q\ncross_scores = cross_q @ k.transpose(-2, -1)" + scale + "\n" +
         weights_code(e, "cross_", false) + "cross_head_outputs = " + weights_name(e, "cross_") + " @ v\n";
}

/// The script's function, which both stages call and which returns the tensors `names`.
std::string function_code(const Experiment& e, std::span<const std::string> names) {
  const std::string scale = e.choice("scale") == "none" ? "" : " / math.sqrt(head_dim)";
  const std::string weights = weights_name(e);
  const std::string x = positioned_name(e);
  std::string text = "\"\"\"One head, or all heads at once if the weights have a leading head axis.\"\"\"\n";
  for (const char* letter : {"q", "k", "v"})
    text.append(letter).append(" = ").append(x).append(" @ w_").append(letter).append("\n");
  text += "\n" + rotated_calls(e);
  text += "scores = " + rotated_name(e, "q") + " @ " + rotated_name(e, "k") + ".transpose(-2, -1)" + scale + "\n";
  if (positions_of(e) == "alibi") text += "head_count = scores.shape[:-2].numel()  # a single head has no head axis\n";
  text += biased_scores_code(e, {"head_count", "tokens", "tokens", ".reshape(scores.shape)"});
  text += weights_code(e);
  text += "head_outputs = " + weights + " @ v\n";
  text += "# Contribution of each key to each query's output; their sum over the keys is head_outputs.\n";
  text += "weighted_values = torch.einsum(\"...qk,...kd->...kqd\", " + weights + ", v)\n";
  text += cross_code(e, scale);
  text += "\nreturn {\n";
  for (const std::string& name : names) text.append("    \"").append(name).append("\": ").append(name).append(",\n");
  return "def attention(w_k, w_q, w_v" + std::string(mask_has_heads(e) ? ", keep" : "") + "):\n" +
         indented(text + "}\n");
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  const auto random = [&e](const std::string& shape) {
    return least_random_number(e) == 0 ? "torch.rand(" + shape + ")" : "torch.empty(" + shape + ").uniform_(-1, 1)";
  };
  s.code("x = " + random("tokens, features"));
  if (const std::vector<Index> same = same_vectors(e, e.integer("tokens")); !same.empty())
    s.code("x = x[" + index_text(same) + "]  # tokens with the same label have the same vector");
  if (e.integer("cross_queries") > 0) s.code("x2 = " + random("cross_queries, features"));
  s.begin_weights();
  s.code("# Both stages: w_k, w_q and w_v, in this order.");
  s.code("single_weights = " + random("3, features, head_dim"));
  s.code("multi_weights = " + random("3, heads, features, head_dim"));
  s.code("w_out = " + random("heads * head_dim, features"));
  s.code(positions_draw_code(e));
  s.edits({{"w_k", "multi_weights[0]"},
           {"w_q", "multi_weights[1]"},
           {"w_v", "multi_weights[2]"},
           {"single.w_k", "single_weights[0]"},
           {"single.w_q", "single_weights[1]"},
           {"single.w_v", "single_weights[2]"}});
  s.section(positions_sum_code(e));
  s.section(mask_code(e, {{"head"}, "tokens", "tokens"}));
  if (const std::string code = rotated_code(e); !code.empty()) {
    s.empty_line();
    s.section(code);
  }

  std::vector<std::string> single, multi;
  for (const std::string& name : s.tensors()) {
    if (!name.starts_with("single.")) continue;
    single.push_back(name);
    multi.push_back(name.substr(7));
  }
  s.empty_line();
  s.section(function_code(e, multi));
  s.empty_line();
  s.section(mask_has_heads(e) ? R"(
single = attention(*single_weights, keep[0])
multi = attention(*multi_weights, keep)
)"
                              : R"(
single = attention(*single_weights)
multi = attention(*multi_weights)
)");
  s.code(heads_code(e, "multi[\"head_outputs\"]", 0));
  const std::string outputs = e.heads_off.empty() ? "multi[\"head_outputs\"]" : heads_name(e);
  s.code("merged = " + outputs + ".transpose(0, 1).flatten(1)\nout = merged @ w_out");
  s.save_together(single, "**{f\"single.{name}\": tensor for name, tensor in single.items()},");
  s.save_together(multi, "**multi,");
}

}  // namespace
}  // namespace worked_example_parts

System worked_example() {
  System system;
  system.name = "worked-example";
  system.title = "Worked example";
  system.summary =
      "Random tokens through a single head, then multiple heads, with cross-attention and an output projection.";
  system.source = "a self-attention-by-example notebook";
  system.labels = {"the", "cat", "sat", "on", "the", "mat"};
  system.parameters = {
      integer_parameter("tokens", "Tokens", "Number of tokens that attend to each other: the rows of X.", 6, 1, 16),
      integer_parameter("features", "Embedding dimension", "Embedding dimension d_model: the columns of X.", 9, 1, 32),
      integer_parameter("head_dim", "Head dimension", "Head dimension d_k: the columns of Q, K and V.", 7, 1, 32),
      integer_parameter("heads", "Heads", "Number of attention heads, each with its own weights.", 4, 1, 10),
      integer_parameter("cross_queries", "Cross-attention queries",
                        "Target tokens attending to the source; 0: no cross-attention.", 3, 0, 10),
      choice_parameter("scale", "Scaling", "What the scores are divided by before the softmax.",
                       {"none", "sqrt_head_dim"}, {"none", "√d_k"}),
      positions_parameter(),
      random_numbers_parameter(),
      same_label_parameter(),
      weights_stay_parameter(),
  };
  system.reads_labels = equal_labels_are_equal_vectors;
  system.mask_sizes = worked_example_parts::mask_sizes;
  system.run = worked_example_parts::run_system;
  system.script = worked_example_parts::write_script;
  return system;
}

}  // namespace attnscope
