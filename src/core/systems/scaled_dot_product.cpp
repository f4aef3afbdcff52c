// Scaled dot-product attention alone: random queries, keys and values without projections.
#include "core/experiment/system.h"
#include "core/script/script_parts.h"
#include "core/script/script_positions.h"
#include "core/systems/parts.h"

namespace attnscope {
namespace scaled_dot_product_parts {
namespace {

MaskSizes mask_sizes(const Experiment& e) { return {1, 1, e.integer("queries"), e.integer("keys")}; }

void run_system(const Experiment& e, PlanBuilder& r) {
  const Axis dim = {"dim", e.integer("head_dim")};
  const Value q = draw_normal(r, "q", {{"query", e.integer("queries")}, dim});
  const Value k = draw_normal(r, "k", {{"key", e.integer("keys")}, dim});
  const Value v = draw_normal(r, "v", {{"key", e.integer("keys")}, dim});
  const Value product =
      scaled_scores(r, "", {rotated(r, e, "rotated_q", q), rotated(r, e, "rotated_k", k), v}, dim.size);
  const Value scores = biased_by_distance(r, e, "biased_scores", product);
  weighted_sum(e, r, "", scores, v, mask_sizes(e));
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  s.code(R"(
q = torch.randn(queries, head_dim)
k = torch.randn(keys, head_dim)
v = torch.randn(keys, head_dim)
)");
  s.edits();
  write_rotation(s);
  write_attention(s, {{}, "queries", "keys"},
                  dot_scores_code(e) + biased_scores_code(e, {"1", "queries", "keys", ".reshape(scores.shape)"}));
}

}  // namespace
}  // namespace scaled_dot_product_parts

System scaled_dot_product() {
  System system;
  system.name = "scaled-dot-product";
  system.title = "Scaled dot-product attention";
  system.summary = "Random queries, keys and values and the attention between them: the core of all other systems.";
  system.source = "the first step of a transformer tutorial with stacked projections";
  system.parameters = {
      integer_parameter("queries", "Queries", "Number of queries: the rows of Q.", 3, 1, 16),
      integer_parameter("keys", "Keys", "Number of keys and values: the rows of K and V.", 3, 1, 16),
      integer_parameter("head_dim", "Head dimension", "Head dimension d_k: the columns of Q, K and V.", 2, 1, 32),
      relative_positions_parameter(),
  };
  system.mask_sizes = scaled_dot_product_parts::mask_sizes;
  system.run = scaled_dot_product_parts::run_system;
  system.script = scaled_dot_product_parts::write_script;
  return system;
}

}  // namespace attnscope
