// Multi-head attention over the pixels of a picture. The stacked projection is split into heads first, then each head's
// part into q, k and v: the weights of a head are contiguous.
#include <array>

#include "core/experiment/system.h"
#include "core/script/script_parts.h"
#include "core/systems/parts.h"

namespace attnscope {
namespace image_multihead_parts {
namespace {

void run_system(const Experiment& e, PlanBuilder& r) {
  const Index heads = e.integer("heads");
  const Axis channel = {"channel", e.integer("channels")};
  const Axis merged_axis = {"head·dim", channel.size};

  const Value x = draw_picture(e, r);
  begin_weights(r, e);
  const Layer qkv_layer = draw_linear(r, "qkv", {"head·part·dim", saturating_product(3, channel.size)}, channel);
  const Layer proj = draw_linear(r, "proj", channel, merged_axis);

  const std::array<std::string, 3> over = {"batch", "row", "column"};
  const Value tokens = pixels_as_tokens(r, normalize(r, "normed", x, over));
  const Value qkv = linear(r, "qkv", "batch token", tokens, qkv_layer);
  const Projections p =
      cut_projections(r, "batch token (head part dim) -> batch head token dim", qkv, {{"head", heads}});
  const Value scores = scaled_scores(r, "batch head", p, channel.size / heads);
  const WeightedSum attention = weighted_sum(e, r, "batch head", scores, p.v, pixel_mask_sizes(e));
  const Value merged =
      rearrange(r, "merged", "batch head token dim -> batch token (head dim)", keep_heads(r, e, attention.outputs));
  add_to_picture(e, r, x, linear(r, "projected", "batch token", merged, proj));
}

void write_script(Script& s) {
  write_picture(s);
  s.layer("to_qkv", "qkv", "nn.Linear(channels, 3 * channels)");
  s.layer("proj", "proj", "nn.Linear(channels, channels)");
  s.edits();

  s.section("head_dim = channels // heads");
  write_norm(s, false);
  write_tokens(s, "normed");
  write_head_slices(s, "tokens");
  write_attention(s, pixel_scores(true));
  write_merged(s);
  write_picture_sum(s, "merged");
}

}  // namespace
}  // namespace image_multihead_parts

System image_multihead() {
  System system;
  system.name = "image-multihead";
  system.title = "Multi-head attention over pixels";
  system.summary =
      "Pixels attend to each other in multiple heads; the projection is split into heads before queries, keys and "
      "values.";
  system.source = "a Stable Diffusion attention notebook";
  system.parameters = picture_parameters(64);
  system.parameters.push_back(heads_parameter(4, "channels"));
  system.mask_sizes = pixel_mask_sizes;
  system.run = image_multihead_parts::run_system;
  system.script = image_multihead_parts::write_script;
  return system;
}

}  // namespace attnscope
