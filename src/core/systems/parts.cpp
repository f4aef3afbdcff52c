#include "core/systems/parts.h"

#include "core/experiment/random_numbers.h"

namespace attnscope {
namespace {

/// "batch head" and "query dim": "batch head query dim".
std::string labels(const std::string& leading, std::string_view rest) {
  return leading.empty() ? std::string(rest) : leading + " " + std::string(rest);
}

}  // namespace

std::vector<Parameter> picture_parameters(Index batch) {
  return {
      integer_parameter("batch", "Batch", "Number of pictures in the batch.", batch, 1, 64),
      integer_parameter("channels", "Channels", "Channels per pixel: the embedding dimension of a token.", 32, 1, 64),
      integer_parameter("height", "Height", "Rows of the picture; every pixel is a token.", 16, 1, 16),
      integer_parameter("width", "Width", "Columns of the picture; every pixel is a token.", 16, 1, 16),
      choice_parameter("picture", "Picture",
                       "What the picture shows: random noise, built-in shapes or stripes, or your own picture.",
                       {"noise", "shapes", "stripes", "file"}, {"noise", "shapes", "stripes", "your own"}),
      weights_stay_parameter(),
  };
}

Parameter heads_parameter(Index default_value, std::string whole) {
  const std::string divided = whole == "channels" ? "number of channels" : whole + " dimension";
  Parameter heads = integer_parameter("heads", "Heads", "Number of attention heads; must divide the " + divided + ".",
                                      default_value, 1, 16);
  heads.divides = std::move(whole);
  return heads;
}

Value draw_picture(const Experiment& e, PlanBuilder& r) {
  const Axes axes = {{"batch", e.integer("batch")},
                     {"channel", e.integer("channels")},
                     {"row", e.integer("height")},
                     {"column", e.integer("width")}};
  const std::string& name = e.choice("picture");
  if (name == "noise") return draw_normal(r, "x", axes);
  PlacedPicture picture = {name, axes[2].size, axes[3].size, axes[1].size, nullptr};
  if (name == "file") picture.file = e.picture.shared();
  return draw_normal(r, "x", axes, std::move(picture));
}

Value pixels_as_tokens(PlanBuilder& r, Value picture) {
  return rearrange(r, "tokens", "batch channel row column -> batch token=(row column) channel", picture);
}

MaskSizes pixel_mask_sizes(const Experiment& e) {
  const Index pixels = pixel_count(e);
  const bool has_heads = e.parameters.contains("heads");
  return {e.integer("batch"), has_heads ? e.integer("heads") : 1, pixels, pixels};
}

void add_to_picture(const Experiment& e, PlanBuilder& r, Value x, Value projected) {
  const Value image = rearrange(r, "projected_image", "batch (row column) channel -> batch channel row column",
                                projected, {{"column", e.integer("width")}});
  add(r, "out", "batch channel row column, batch channel row column -> batch channel row column", x, image);
}

Layer draw_linear(PlanBuilder& r, const std::string& name, const Axis& out, const Axis& in) {
  const Value weight = draw_layer(r, "w_" + name, {out, in}, in.size);
  return {weight, draw_layer(r, "b_" + name, {out}, in.size)};
}

Layer draw_linear_without_bias(PlanBuilder& r, const std::string& name, const Axis& out, const Axis& in) {
  return {draw_layer(r, "w_" + name, {out, in}, in.size), {}};
}

Value zero_bias(PlanBuilder& r, const std::string& name, const Axis& out) { return constant(r, "b_" + name, {out}, 0); }

Value linear(PlanBuilder& r, std::string name, const std::string& leading, Value input, const Layer& layer) {
  const std::string out = r.axes(layer.weight)[0].name;
  const std::string in = r.axes(layer.weight)[1].name;
  std::string pattern = leading + " " + in;
  pattern += ", " + out + " " + in;
  pattern += " -> " + leading + " " + out;
  ContractOptions options;
  options.bias = layer.bias;
  options.bias_pattern = out;
  return contract(r, std::move(name), pattern, input, layer.weight, options);
}

Projections cut_projections(PlanBuilder& r, std::string_view pattern, Value stacked,
                            std::map<std::string, Index> sizes) {
  sizes["part"] = 3;
  const Value q = rearrange(r, "q", pattern, stacked, sizes, {{"part", 0}});
  const Value k = rearrange(r, "k", pattern, stacked, sizes, {{"part", 1}});
  const Value v = rearrange(r, "v", pattern, stacked, sizes, {{"part", 2}});
  return {q, k, v};
}

Value scaled_scores(PlanBuilder& r, const std::string& leading, const Projections& p, Index divisor_of) {
  const std::string pattern =
      labels(leading, "query dim") + ", " + labels(leading, "key dim") + " -> " + labels(leading, "query key");
  return contract(r, "scores", pattern, p.q, p.k, divided_by_root(divisor_of));
}

WeightedSum weighted_sum(const Experiment& e, PlanBuilder& r, const std::string& leading, Value scores, Value v,
                         const MaskSizes& sizes) {
  const Value weights = attention_weights(r, e, "", scores, e.mask(), sizes);
  const std::string pattern =
      labels(leading, "query key") + ", " + labels(leading, "key dim") + " -> " + labels(leading, "query dim");
  return {weights, contract(r, "head_outputs", pattern, weights, v)};
}

}  // namespace attnscope
