#include "figure/slices/token_shading.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/heads/head_rows.h"
#include "core/plan/region.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/running_text.h"

namespace attnscope {
namespace {

/// What the numbers of a shading are made from.
using ShadingSource =
    std::tuple<std::vector<std::shared_ptr<const Tensor>>, std::shared_ptr<const LazyTensors>, TokenQuestion>;

std::shared_ptr<const TokenAttention> attention_of(const Trace& trace, const TokenQuestion& question,
                                                   const ViewOptions& options) {
  const auto make = [&]() -> std::shared_ptr<const TokenAttention> {
    std::optional<TokenAttention> made = token_attention(trace, question, options.stop);
    return made ? std::make_shared<const TokenAttention>(std::move(*made)) : nullptr;
  };
  std::vector<int> layers = {question.weights};
  if (question.heads == HeadCombination::rollout) layers = rollout_layers(trace, question.weights);
  std::vector<std::shared_ptr<const Tensor>> tensors;
  tensors.reserve(layers.size());
  for (const int layer : layers) tensors.push_back(trace.step(layer).tensor);
  const bool held = std::ranges::none_of(tensors, [](const auto& tensor) { return tensor == nullptr; });
  // One row of held weights is read faster than it is compared.
  if (options.cache == nullptr || (held && layers.size() == 1)) return make();
  return options.cache->find_or_make<TokenAttention>(ShadingSource{std::move(tensors), trace.lazy(), question}, make);
}

std::vector<bool> left_out_tokens(const Trace& trace, const TokenShading& shading, const std::string& which) {
  if (which == "none") return {};
  const Axis& axis = shading.shaded_axis();
  std::vector<bool> left_out(static_cast<std::size_t>(axis.size), false);
  if (which == "first") {
    left_out.front() = true;
    return left_out;
  }
  const std::vector<TextPiece> pieces =
      running_text(trace, shading.of.weights->name, axis, 0, axis.size, shading.question.item);
  for (std::size_t i = 0; i < pieces.size(); ++i) left_out[i] = pieces[i].special;
  return left_out;
}

std::string heads_text(Index heads) { return grouped_text(heads) + (heads == 1 ? " head" : " heads"); }

Index heads_of(const TokenShading& shading) { return heads_in(shading.of.weights->axes); }

/// "layer 2, head 3": which weights they are.
std::vector<std::string> shading_details(const Trace& trace, const TokenShading& shading) {
  const SelectedAttention& of = shading.of;
  const HeadCombination heads = shading.question.heads;
  std::vector<std::string> details;
  const bool has_layers = layer_count(trace) > 1;
  if (heads == HeadCombination::rollout) {
    const auto layers = std::ssize(rollout_layers(trace, shading.question.weights));
    details.push_back(has_layers ? "rollout up to " + of.title : "rollout");
    if (layers == 1 && has_layers) details.back() = "rollout of " + of.title;
  } else {
    if (has_layers && !of.cross) details.push_back(of.title);
    if (of.has_cross) details.emplace_back(of.cross ? "cross-attention" : "self-attention");
    if (heads == HeadCombination::mean) details.push_back("mean of " + heads_text(heads_of(shading)));
    if (heads == HeadCombination::maximum) details.push_back("maximum of " + heads_text(heads_of(shading)));
    if (heads == HeadCombination::one && of.has_heads) {
      const Index head = shading.question.head;
      details.push_back(with_head_state(head_title(trace.experiment(), of.weights->name, head), trace.experiment(),
                                        of.weights->name, head));
    }
  }
  if (item_count(trace) > 1) details.push_back("item " + std::to_string(shading.question.item + 1));
  return details;
}

}  // namespace

bool TokenShading::has_two_texts() const { return queries != keys || of.cross || of.layer.ends_with("cross_"); }

double TokenShading::most() const {
  float most = 0;
  for (std::size_t i = 0; i < attention->weights.size(); ++i) {
    const float weight = attention->weights[i];
    if (!is_left_out(static_cast<Index>(i)) && std::isfinite(weight)) most = std::max(most, weight);
  }
  return static_cast<double>(most);
}

HeadCombination head_combination(const ParameterValues& options) {
  const auto& name = std::get<std::string>(options.find("heads")->second);
  if (name == "mean") return HeadCombination::mean;
  if (name == "maximum") return HeadCombination::maximum;
  return name == "rollout" ? HeadCombination::rollout : HeadCombination::one;
}

TokenShading token_shading(const Trace& trace, const ViewOptions& options) {
  TokenShading shading;
  shading.of = selected_attention(trace, options.values);
  shading.queries = shading.query_axis().size;
  shading.keys = shading.key_axis().size;
  const Slice slice = selected_slice(trace, options.values);
  TokenQuestion& question = shading.question;
  question.weights = static_cast<int>(shading.of.weights - trace.steps().data());
  question.item = slice.item;
  question.heads = head_combination(options.values);
  question.head = question.heads == HeadCombination::one ? slice.head : 0;
  question.from = options.choice("direction") == "from";
  const Index tokens = shading.chosen_axis().size;
  const Index position = options.integer("position");
  question.token = (position == 0 ? tokens : std::min(position, tokens)) - 1;
  shading.left_out = left_out_tokens(trace, shading, options.choice("leave_out"));
  shading.attention = attention_of(trace, question, options);
  return shading;
}

ShadingTitle shading_title(const Trace& trace, const TokenShading& shading) {
  const std::optional<std::string> label =
      label_of(trace, shading.of.weights->name, shading.chosen_axis(), shading.question.token, shading.question.item);
  const std::string token = label ? "“" + *label + "”" : "token " + position_number(shading.question.token);
  return {shading.question.from ? "What " + token + " attends to" : "What attends to " + token,
          join(shading_details(trace, shading), ", ")};
}

std::string shading_quantity(const TokenShading& shading) {
  switch (shading.question.heads) {
    case HeadCombination::one: break;
    case HeadCombination::mean: return "mean weight";
    case HeadCombination::maximum: return "largest weight";
    case HeadCombination::rollout: return "rollout";
  }
  return "attention weight";
}

std::optional<TensorCell> shading_cell(const TokenShading& shading, Index token) {
  const TokenQuestion& question = shading.question;
  const bool maximum = question.heads == HeadCombination::maximum;
  if (question.heads != HeadCombination::one && !maximum) return std::nullopt;
  const Index head = maximum ? shading.attention->largest_head[static_cast<std::size_t>(token)] : question.head;
  std::vector<Index> index = leading_index(shading.of.weights->axes, 2, head, question.item);
  index.push_back(question.from ? question.token : token);
  index.push_back(question.from ? token : question.token);
  return TensorCell{question.weights, std::move(index)};
}

std::string left_out_text(const TokenShading& shading, const std::string& what) {
  double sum = 0;
  double most = 0;
  Index count = 0;
  for (std::size_t i = 0; i < shading.left_out.size(); ++i) {
    if (!shading.left_out[i]) continue;
    const auto weight = static_cast<double>(shading.attention->weights[i]);
    sum += weight;
    most = std::max(most, weight);
    ++count;
  }
  if (count == 0) return "";
  const std::string tokens =
      what == "first" ? "the first token" : grouped_text(count) + (count == 1 ? " special token" : " special tokens");
  // Maxima of several heads do not add up to anything.
  const bool together = count > 1 && shading.question.heads != HeadCombination::maximum;
  return "Left out: " + tokens +
         (count == 1 ? ", with "
          : together ? ", together with "
                     : ", with at most ") +
         number_text(count == 1 || together ? sum : most) + ".";
}

}  // namespace attnscope
