// The claims made by the sources, each with both ways to compute it.
#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/text.h"
#include "core/operations/ops.h"
#include "core/random/generator.h"
#include "core/studies/equivalence.h"

namespace attnscope {
namespace {

using TensorPointer = std::shared_ptr<const Tensor>;
using Sizes = std::map<std::string, Index>;

TensorPointer pointer_to(const Trace& trace, std::string_view name) { return trace.find(name)->tensor; }

EquivalenceSides::Pick the(std::string name) {
  return [name = std::move(name)](const Trace& trace) { return pointer_to(trace, name); };
}

/// The result of `rearrange` on a tensor.
TensorPointer rearranged(const TensorPointer& tensor, std::string_view pattern, const Sizes& sizes = {}) {
  PlanBuilder recorder;
  const Value from = constant(recorder, "from", tensor->axes(), 0);
  const Value to = rearrange(recorder, "to", pattern, from, sizes);
  auto result = std::make_shared<Tensor>(recorder.axes(to), nullptr);
  const std::array<const Tensor*, 1> inputs = {tensor.get()};
  recorder.step(to).operation->compute(inputs, {}, *result);
  return result;
}

EquivalenceSides::Pick the_rearranged(std::string name, std::string pattern) {
  return [name = std::move(name), pattern = std::move(pattern)](const Trace& trace) {
    return rearranged(pointer_to(trace, name), pattern);
  };
}

/// The tensors stacked along their first axis.
TensorPointer stacked(const Trace& trace, std::initializer_list<std::string_view> names, const std::string& axis) {
  Axes axes = pointer_to(trace, *names.begin())->axes();
  axes[0] = {axis, 0};
  for (const std::string_view name : names) axes[0].size += pointer_to(trace, name)->size(0);
  auto stack = std::make_shared<Tensor>(axes);
  auto to = stack->values().begin();
  for (const std::string_view name : names) {
    const auto from = pointer_to(trace, name)->values();
    to = std::copy(from.begin(), from.end(), to);
  }
  return stack;
}

/// Permutes an axis: element i of the result is element order[i].
TensorPointer permuted(const TensorPointer& tensor, int axis, const std::vector<Index>& order) {
  const Index block = tensor->stride(axis);
  const Index size = tensor->size(axis);
  auto result = std::make_shared<Tensor>(tensor->axes());
  for (Index to = 0; to < tensor->count(); to += block) {
    const Index at = to / block % size;
    const Index from = to + (order[static_cast<std::size_t>(at)] - at) * block;
    std::copy_n(tensor->values().begin() + from, block, result->values().begin() + to);
  }
  return result;
}

/// The experiment on another system, with the parameters that both systems share.
Experiment with_system(const Experiment& experiment, const std::string& system) {
  if (experiment.system == system) return experiment;
  Experiment other = *default_experiment(system);
  other.seed = experiment.seed;
  other.picture = experiment.picture;
  for (auto& [name, value] : other.parameters) {
    if (const auto found = experiment.parameters.find(name); found != experiment.parameters.end())
      value = found->second;
  }
  return other;
}

// Separate layers, or one layer for q, k and v.

Result<EquivalenceSides> separate_chunked(const Experiment& experiment) {
  EquivalenceSides sides;
  sides.one = sides.other = experiment;
  sides.one.parameters["projection"] = std::string("separate");
  sides.other.parameters["projection"] = std::string("chunked");
  sides.one_text = "three layers compute q, k and v";
  sides.other_text = "one layer with the three weights stacked computes qkv, which is split into three";
  sides.given = [](const Trace& one) {
    return Substitutions{{"x", pointer_to(one, "x")},
                         {"w_qkv", stacked(one, {"w_q", "w_k", "w_v"}, "part·dim")},
                         {"b_qkv", stacked(one, {"b_q", "b_k", "b_v"}, "part·dim")},
                         {"w_proj", pointer_to(one, "w_proj")},
                         {"b_proj", pointer_to(one, "b_proj")}};
  };
  for (const char* name : {"q", "k", "v", "out"}) sides.pairs.push_back({name, the(name), the(name)});
  return sides;
}

// The convolutional layer against the packed one.

/// Both sides with the weights of the convolutions; the caller adds the pairs.
Result<EquivalenceSides> convolution_sides(const Experiment& experiment) {
  EquivalenceSides sides;
  sides.one = with_system(experiment, "conv-attention");
  sides.other = with_system(experiment, "packed-multihead");
  const Index channels = sides.one.integer("channels");
  const Index heads = sides.one.integer("heads");
  if (experiment.system != sides.one.system) sides.one.parameters["head_dim"] = channels / heads;
  if (saturating_product(heads, sides.one.integer("head_dim")) != channels) {
    return fail("this comparison needs heads × head dimension = channels; " + std::to_string(heads) + " × " +
                std::to_string(sides.one.integer("head_dim")) + " is not " + std::to_string(channels));
  }
  sides.given = [](const Trace& one) {
    Substitutions given;
    for (const char* name : {"x", "w_qkv", "w_out", "b_out"}) given[name] = pointer_to(one, name);
    return given;
  };
  return sides;
}

Result<EquivalenceSides> convolution_linear(const Experiment& experiment) {
  Result<EquivalenceSides> sides = convolution_sides(experiment);
  if (!sides) return sides;
  sides->one_text = "1×1 convolutions on the picture: a pixel's channels in a column";
  sides->other_text = "linear layers with the same weights on tokens: a pixel's channels in a row";
  sides->pairs = {
      {"qkv, pixels in rows",
       the_rearranged("qkv", "batch part·head·dim row column -> batch token=(row column) part·head·dim"), the("qkv")},
      {"out, pixels in rows", the_rearranged("out", "batch channel row column -> batch token=(row column) channel"),
       the("projected")}};
  return sides;
}

Result<EquivalenceSides> scaled_queries(const Experiment& experiment) {
  Result<EquivalenceSides> sides = convolution_sides(experiment);
  if (!sides) return sides;
  const std::string root = "√" + std::to_string(sides->one.integer("head_dim"));
  sides->one_text = "queries divided by " + root + ", then multiplied by the keys";
  sides->other_text = "queries multiplied by the keys, then the scores divided by " + root;
  sides->pairs = {{"scores", the("scores"), the("scores")}, {"weights", the("weights"), the("weights")}};
  return sides;
}

// Heads first, or q, k and v first.

Result<EquivalenceSides> split_order(const Experiment& experiment) {
  EquivalenceSides sides;
  sides.one = with_system(experiment, "image-multihead");
  sides.other = with_system(experiment, "packed-multihead");
  sides.one_text = "qkv split into heads, then each head's part into q, k and v";
  sides.other_text = "qkv split into q, k and v, then each into heads; weight rows reordered to match";
  const Index heads = sides.one.integer("heads");
  sides.given = [heads](const Trace& one) {
    const Sizes sizes = {{"head", heads}, {"part", 3}};
    return Substitutions{
        {"x", pointer_to(one, "normed")},
        {"w_qkv", rearranged(pointer_to(one, "w_qkv"),
                             "(head part dim) channel -> part·head·dim=(part head dim) channel", sizes)},
        {"b_qkv", rearranged(pointer_to(one, "b_qkv"), "(head part dim) -> part·head·dim=(part head dim)", sizes)},
        {"w_out", pointer_to(one, "w_proj")},
        {"b_out", pointer_to(one, "b_proj")}};
  };
  for (const char* name : {"q", "scores", "projected"}) sides.pairs.push_back({name, the(name), the(name)});
  return sides;
}

// Tokens in another order.

/// A random permutation; not the identity, if there is another one.
std::vector<Index> shuffled_order(Index count, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  Generator generator(seed);
  for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[generator.next() % left]);
  if (count > 1 && std::is_sorted(order.begin(), order.end()))
    std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

Result<EquivalenceSides> token_order(const Experiment& experiment) {
  EquivalenceSides sides;
  sides.one = sides.other = experiment;
  const std::vector<Index> order = shuffled_order(experiment.integer("tokens"), experiment.seed);
  constexpr std::size_t kShown = 12;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i) shown.push_back(std::to_string(order[i] + 1));
  if (order.size() > kShown) shown.emplace_back("…");
  sides.one_text = "the output for the original tokens, its rows then permuted to " + join(shown, "\u00a0");
  sides.other_text = "the output for the tokens permuted first";
  sides.given = [order](const Trace& one) { return Substitutions{{"x", permuted(pointer_to(one, "x"), 1, order)}}; };
  const auto rows = [order](const Trace& one) { return permuted(pointer_to(one, "out"), 1, order); };
  const auto rows_and_columns = [order](const Trace& one) {
    return permuted(permuted(pointer_to(one, "weights"), 2, order), 3, order);
  };
  sides.pairs = {{"weights, rows and columns permuted", rows_and_columns, the("weights")},
                 {"out, rows permuted", rows, the("out")}};
  return sides;
}

}  // namespace

std::span<const Equivalence> equivalences() {
  static const std::vector<Equivalence> list = {
      {"separate-chunked",
       "Three layers for q, k and v equal one layer whose output is split into three.",
       {"image-self-attention"},
       separate_chunked},
      {"convolution-linear",
       "A 1×1 convolution is a linear layer applied to every pixel.",
       {"conv-attention", "packed-multihead"},
       convolution_linear},
      {"scaled-queries",
       "Scaling the queries equals scaling the scores.",
       {"conv-attention", "packed-multihead"},
       scaled_queries},
      {"split-order",
       "Splitting into heads before or after q, k and v changes only the order of the weight rows.",
       {"image-multihead", "packed-multihead"},
       split_order},
      {"token-order",
       "Permutation equivariance: permuting the tokens permutes the outputs.",
       {"stacked-multihead"},
       token_order},
  };
  return list;
}

}  // namespace attnscope
