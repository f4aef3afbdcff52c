// Single-head self-attention over the pixels of a picture: normalization, projections, attention and a residual
// connection. The projections are three separate layers, or chunks of one layer.
#include <array>

#include "core/experiment/system.h"
#include "core/script/script_parts.h"
#include "core/systems/parts.h"

namespace attnscope {
namespace image_self_attention_parts {
namespace {

/// Group norm over all channels of each picture, or batch norm of each channel over the batch.
Value norm(const Experiment& e, PlanBuilder& r, Value x) {
  const bool group = e.choice("norm") == "group";
  const std::array<std::string, 3> over = {group ? "channel" : "batch", "row", "column"};
  return normalize(r, "normed", x, over);
}

struct Layers {
  Layer q, k, v;  ///< separate
  Layer qkv;      ///< chunked
  Layer proj;
};

void run_system(const Experiment& e, PlanBuilder& r) {
  const Axis channel = {"channel", e.integer("channels")};
  const Axis dim = {"dim", channel.size};
  const Axis stacked = {"part·dim", saturating_product(3, dim.size)};
  const bool chunked = e.choice("projection") == "chunked";

  const Value x = draw_picture(e, r);
  begin_weights(r, e);
  Layers layers;
  if (chunked) {
    layers.qkv = draw_linear(r, "qkv", stacked, channel);
  } else {
    layers.q = draw_linear(r, "q", dim, channel);
    layers.k = draw_linear(r, "k", dim, channel);
    layers.v = draw_linear(r, "v", dim, channel);
  }
  layers.proj = draw_linear(r, "proj", channel, dim);

  const Value tokens = pixels_as_tokens(r, norm(e, r, x));
  Projections p;
  if (chunked) {
    const Value qkv = linear(r, "qkv", "batch token", tokens, layers.qkv);
    p = cut_projections(r, "batch token (part dim) -> batch token dim", qkv, {});
  } else {
    p.q = linear(r, "q", "batch token", tokens, layers.q);
    p.k = linear(r, "k", "batch token", tokens, layers.k);
    p.v = linear(r, "v", "batch token", tokens, layers.v);
  }
  const Value scores = scaled_scores(r, "batch", p, channel.size);
  const WeightedSum attention = weighted_sum(e, r, "batch", scores, p.v, pixel_mask_sizes(e));
  const Value projected = linear(r, "projected", "batch token", attention.outputs, layers.proj);
  add_to_picture(e, r, x, projected);
}

void write_script(Script& s) {
  const bool chunked = s.experiment().choice("projection") == "chunked";
  write_picture(s);
  if (chunked) {
    s.layer("to_qkv", "qkv", "nn.Linear(channels, 3 * channels)");
  } else {
    for (const char* name : {"q", "k", "v"}) s.layer(std::string("to_") + name, name, "nn.Linear(channels, channels)");
  }
  s.layer("proj", "proj", "nn.Linear(channels, channels)");
  s.edits();

  s.empty_line();
  write_norm(s, s.experiment().choice("norm") == "group");
  write_tokens(s, "normed");
  s.code(chunked ? R"(
qkv = to_qkv(tokens)
q, k, v = qkv.chunk(3, dim=-1)
)"
                 : R"(
q = to_q(tokens)
k = to_k(tokens)
v = to_v(tokens)
)");
  write_attention(s, pixel_scores(false), "scores = q @ k.transpose(-2, -1) / math.sqrt(channels)\n");
  s.empty_line();
  write_picture_sum(s, "head_outputs");
}

}  // namespace
}  // namespace image_self_attention_parts

System image_self_attention() {
  System system;
  system.name = "image-self-attention";
  system.title = "Self-attention over pixels";
  system.summary =
      "Every pixel attends to every pixel: normalization, projections, a single head and a residual connection.";
  system.source = "a Stable Diffusion attention notebook";
  system.parameters = picture_parameters(64);
  system.parameters.push_back(choice_parameter(
      "norm", "Norm",
      "What is normalized to mean 0 and variance 1: each picture (group) or each channel over the batch (batch).",
      {"group", "batch"}, {"group", "batch"}));
  system.parameters.push_back(choice_parameter(
      "projection", "Projection", "Separate layers for Q, K and V, or one layer whose output is split into three.",
      {"separate", "chunked"}, {"separate", "chunked"}));
  system.mask_sizes = pixel_mask_sizes;
  system.run = image_self_attention_parts::run_system;
  system.script = image_self_attention_parts::write_script;
  return system;
}

}  // namespace attnscope
