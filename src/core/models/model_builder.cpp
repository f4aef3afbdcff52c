#include "core/models/model_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/models/models.h"
#include "core/operations/import.h"
#include "core/operations/intervene.h"

namespace attnscope {

std::string weight_name(std::string_view name, std::string_view letter) {
  const std::size_t dot = name.rfind('.');
  const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
  return std::string(name.substr(0, begin)) + std::string(letter) + "_" + std::string(name.substr(begin));
}

std::vector<Index> counted_from(Index first, Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

ModelBuilder::ModelBuilder(const Experiment& experiment, PlanBuilder& plan)
    : ConfigReader(*experiment.model), experiment_(experiment), plan_(plan) {
  const std::span<const ImportedTensor> tensors = model().weights()->tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) entries_.emplace(tensors[i].name, i);
}

ModelBuilder::ModelBuilder(const Experiment& experiment, const ModelBuilder& first)
    : ConfigReader(*experiment.model),
      experiment_(experiment),
      plan_(first.plan_),
      entries_(first.entries_),
      used_(first.used_) {
  const std::vector<PlannedStep>& steps = plan_.plan().steps;
  const auto recorded = static_cast<int>(steps.size());
  const std::size_t prefix = std::string_view(kPatchPrefix).size();
  for (int i = 0; i < recorded; ++i) {
    const std::string& name = steps[static_cast<std::size_t>(i)].name;
    if (name.starts_with(kPatchPrefix)) patched_.emplace(name.substr(prefix), Value{i});
  }
  for (const auto& [name, value] : first.weights_) {
    if (value.step < recorded) weights_.emplace(name, value);
  }
}

std::string ModelBuilder::prefix_of(std::initializer_list<std::string> prefixes, std::string_view stored) const {
  for (const std::string& prefix : prefixes) {
    if (has(prefix + std::string(stored))) return prefix;
  }
  return *prefixes.begin();
}

Index ModelBuilder::rows_in_file(const std::string& stored) const {
  const std::vector<Index>& shape = model().weights()->tensors()[entries_.at(stored)].shape;
  return shape.empty() ? 1 : shape[0];
}

std::optional<std::size_t> ModelBuilder::entry(const std::string& stored, const std::vector<Index>& shape) {
  const auto found = entries_.find(stored);
  // Only what fails is worth the text: a keystroke asks for hundreds of weights.
  const auto refuse = [&](const std::string& why) {
    fail("the tensor " + quoted_text(stored) + why);
    return std::nullopt;
  };
  if (found == entries_.end()) return refuse(" is missing; expected: " + index_text(shape));
  const ImportedTensor& tensor = model().weights()->tensors()[found->second];
  if (!tensor.trouble.empty()) return refuse(": " + tensor.trouble);
  if (tensor.shape != shape)
    return refuse(" has the shape " + index_text(tensor.shape) + "; expected: " + index_text(shape));
  used_.insert(found->second);
  return found->second;
}

Value ModelBuilder::weight(std::string name, const std::string& stored, Axes axes) {
  if (const auto known = weights_.find(name); known != weights_.end()) return known->second;
  std::vector<Index> shape;
  shape.reserve(axes.size());
  for (const Axis& axis : axes) shape.push_back(axis.size);
  const std::optional<std::size_t> found = entry(stored, shape);
  if (!found) return constant(plan_, std::move(name), std::move(axes), 0);
  ImportOperation import;
  import.from = model().weights();
  import.which = *found;
  import.at.assign(axes.size(), 0);
  import.is_weight = true;
  for (std::size_t i = 0; i < axes.size(); ++i) import.axes.push_back(static_cast<int>(i));
  const Value recorded = plan_.record({name, std::move(import), {}, std::move(axes), 0});
  weights_.emplace(std::move(name), recorded);
  return recorded;
}

Value ModelBuilder::rows_of(std::string name, const std::string& stored, Index table_rows, Index features,
                            std::vector<Index> rows, double factor) {
  Axes axes = {{"token", std::ssize(rows)}, {"feature", features}};
  const std::optional<std::size_t> found = entry(stored, {table_rows, features});
  if (found && std::all_of(rows.begin(), rows.end(), [&](Index row) { return row >= 0 && row < table_rows; })) {
    return look_up(plan_, std::move(name), {model().weights(), *found, std::move(rows), factor}, std::move(axes));
  }
  if (found) {
    fail("the tensor " + quoted_text(stored) + " has " + grouped_text(table_rows) +
         " rows; needed: " + grouped_text(*std::max_element(rows.begin(), rows.end()) + 1));
  }
  return constant(plan_, std::move(name), std::move(axes), 0);
}

const std::vector<Index>& ModelBuilder::tokens(const ModelText& text, std::string_view field, Index vocabulary,
                                               Index most, std::string_view limit_reason) {
  const std::string what(field);
  if (text.ids.empty()) fail(what + ": " + std::string(kNoTokens));
  if (std::ssize(text.ids) > most)
    fail(what + ": " + grouped_text(std::ssize(text.ids)) + std::string(kTooManyTokens) + grouped_text(most) + " (" +
         std::string(limit_reason) + ")");
  for (const Index id : text.ids) {
    if (id >= 0 && id < vocabulary) continue;
    fail(what + ": the token id " + std::to_string(id) + " is not allowed; allowed: 0 to " +
         std::to_string(vocabulary - 1));
    break;
  }
  return text.ids;
}

void ModelBuilder::token_ids(const std::string& name, const ModelText& text) {
  Axes axes = {{"token", std::ssize(text.ids)}};
  plan_.record({name, TokenIdsOperation{text.ids, text.pieces}, {}, std::move(axes), 0});
}

Value ModelBuilder::changed(Value value) {
  if (experiment_.interventions.empty()) return value;
  const std::string name = plan_.step(value).name;
  if (!can_intervene(name)) return value;
  InterveneOperation operation;
  bool patches = false;
  for (const Intervention& each : experiment_.interventions) {
    if (each.tensor != name) continue;
    check_part(each, plan_.axes(value));
    operation.changes.push_back({each.head.value_or(-1), each.position.value_or(-1), each.kind});
    patches = patches || each.kind == Intervention::Kind::patched;
  }
  if (operation.changes.empty()) return value;
  std::vector<int> inputs = {value.step};
  if (patches) {
    const auto from = patched_.find(name);
    if (from == patched_.end()) return value;  // `record_patches` has failed
    inputs.push_back(from->second.step);
  }
  Axes axes = plan_.axes(value);
  const auto flops = static_cast<double>(element_count(axes));
  return plan_.record({changed_name(name), std::move(operation), std::move(inputs), std::move(axes), flops});
}

void ModelBuilder::check_part(const Intervention& intervention, const Axes& axes) {
  const auto check = [&](const char* what, const std::optional<Index>& number, Index count) {
    if (!number || (*number >= 0 && *number < count)) return;
    fail("interventions: " + part_name(intervention) + ": there is no " + what + " " + std::to_string(*number + 1) +
         "; allowed: 1 to " + std::to_string(count));
  };
  check("head", intervention.head, axes.front().size);
  check(intervention.key ? "query" : "position", intervention.position, axes[axes.size() - 2].size);
  check("key", intervention.key, axes.back().size);
}

Mask ModelBuilder::changed_mask(Mask mask, Value scores, const std::string& name) {
  for (const Intervention& each : experiment_.interventions) {
    if (each.tensor != name) continue;
    check_part(each, plan_.axes(scores));
    mask.pairs.push_back({each.head.value_or(0), each.position.value_or(-1), each.key.value_or(0)});
  }
  return mask;
}

Value ModelBuilder::linear(const std::string& name, Value input, const Linear& layer, const std::string& out_axis) {
  const Axis in = {"in", plan_.axes(input).back().size};
  const Axis out = {"out", layer.out};
  const bool out_first = layer.order == Order::out_in;
  const Value w = weight(weight_name(name, "w"), layer.stored + ".weight", out_first ? Axes{out, in} : Axes{in, out});
  ContractOptions options;
  if (layer.bias) {
    options.bias = weight(weight_name(name, "b"), layer.stored + ".bias", {out});
    options.bias_pattern = out_axis;
  }
  const std::string of_weight = out_first ? out_axis + " in" : "in " + out_axis;
  return contract(plan_, name, "token in, " + of_weight + " -> token " + out_axis, input, w, options);
}

Value ModelBuilder::layer_norm(const std::string& name, Value input, const std::string& stored, double epsilon) {
  const Axes feature = {plan_.axes(input).back()};
  const bool old_names = !has(stored + ".weight") && has(stored + ".gamma");
  const Value scale = weight(weight_name(name, "scale"), stored + (old_names ? ".gamma" : ".weight"), feature);
  const Value bias = weight(weight_name(name, "b"), stored + (old_names ? ".beta" : ".bias"), feature);
  return changed(attnscope::layer_norm(plan_, name, input, scale, bias, epsilon));
}

Value ModelBuilder::rms_norm(const std::string& name, Value input, const std::string& stored, double epsilon) {
  const Value scale = weight(weight_name(name, "scale"), stored + ".weight", {plan_.axes(input).back()});
  return attnscope::rms_norm(plan_, name, input, scale, epsilon);
}

Value ModelBuilder::residual(const std::string& name, Value a, Value b) {
  return changed(add(plan_, name, "token feature, token feature -> token feature", a, b));
}

Value ModelBuilder::split_heads(const std::string& name, Value projected, Index heads, const std::string& position) {
  return rearrange(plan_, name, position + " (head dim) -> head " + position + " dim", projected, {{"head", heads}});
}

Value ModelBuilder::attend(const Attention& attention) {
  const std::string& prefix = attention.prefix;
  Value k = attention.k;
  Value v = attention.v;
  const Index heads = plan_.axes(attention.q)[0].size;
  if (const Index shared = plan_.axes(k)[0].size; shared != heads) {
    k = repeat_heads(plan_, prefix + "repeated_k", k, heads / shared);
    v = repeat_heads(plan_, prefix + "repeated_v", v, heads / shared);
  }
  Value scores = contract(plan_, prefix + "scores", "head query dim, head key dim -> head query key", attention.q, k,
                          {attention.divisor, attention.divisor_text, {}, {}});
  if (attention.bias.step >= 0)
    scores = add(plan_, prefix + "biased_scores", "head query key, head query key -> head query key", scores,
                 attention.bias);
  Mask mask = changed_mask(attention.mask, scores, prefix + "scores");
  if (mask.kind != Mask::Kind::none || !mask.pairs.empty()) {
    const MaskSizes sizes = {1, heads, plan_.axes(scores)[1].size, plan_.axes(scores)[2].size};
    scores = apply_mask(plan_, prefix + "masked_scores", scores, MaskField(std::move(mask), sizes),
                        -std::numeric_limits<double>::infinity());
  }
  const Value weights = softmax(plan_, prefix + "weights", scores);
  const Value outputs =
      changed(contract(plan_, prefix + "head_outputs", "head query key, head key dim -> head query dim", weights, v));
  return rearrange(plan_, prefix + "merged", "head token dim -> token (head dim)", outputs);
}

void ModelBuilder::set_root_divisor(Attention& attention) const {
  const Index dim = plan_.axes(attention.q).back().size;
  attention.divisor = std::sqrt(static_cast<double>(dim));
  attention.divisor_text = "√" + std::to_string(dim);
}

void ModelBuilder::answer(Value features, const Answer& answer, const ContractOptions& tied_options) {
  const bool tied = flag("tie_word_embeddings", answer.tied_by_default);
  if (!tied && !has(answer.untied)) return;
  ContractOptions options = tied ? tied_options : ContractOptions{};
  const Axis vocabulary = {"vocabulary", answer.vocabulary};
  const Value w = weight("w_logits", tied ? answer.tied : answer.untied, {vocabulary, plan_.axes(features).back()});
  if (!answer.bias.empty() && has(answer.bias)) {
    options.bias = weight("b_logits", answer.bias, answer.bias_axes.empty() ? Axes{vocabulary} : answer.bias_axes);
    if (!answer.bias_axes.empty())
      options.bias = rearrange(plan_, "b_logits_row", "one vocabulary -> vocabulary", options.bias, {}, {{"one", 0}});
    options.bias_pattern = "vocabulary";
  }
  const Value logits =
      contract(plan_, "logits", "token feature, vocabulary feature -> token vocabulary", features, w, options);
  softmax(plan_, "probabilities", logits);
}

Value ModelBuilder::mlp(Value input, const Mlp& mlp) {
  const Value hidden = linear(mlp.prefix + "mlp_hidden", input, mlp.into, "hidden");
  const Value activated = activate(plan_, mlp.prefix + "mlp_activated", hidden, mlp.activation);
  return changed(linear(mlp.prefix + "mlp_out", activated, mlp.back, "feature"));
}

Value ModelBuilder::gated_mlp(Value input, const GatedMlp& mlp) {
  const Value gate = linear(mlp.prefix + "mlp_gate", input, mlp.gate, "hidden");
  const Value hidden = linear(mlp.prefix + "mlp_hidden", input, mlp.into, "hidden");
  const Value opened = activate(plan_, mlp.prefix + "mlp_gate_activated", gate, mlp.activation);
  const Value activated = multiply(plan_, mlp.prefix + "mlp_activated", opened, hidden);
  return changed(linear(mlp.prefix + "mlp_out", activated, mlp.back, "feature"));
}

}  // namespace attnscope
