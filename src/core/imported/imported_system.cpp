// Attention computed by another program: its weights, or the scores, queries and keys that they come from.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/imported/imported_labels.h"
#include "core/imported/imported_layers.h"
#include "core/imported/script_imported.h"
#include "core/operations/ops.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"

namespace attnscope {
namespace {

ImportedSelection choice_of(const Experiment& e) {
  return {e.choice("use"), e.integer("group"), e.choice("axes"), e.choice("output")};
}

/// The layers of a checked experiment.
std::vector<ImportedLayer> layers_of(const Experiment& e) {
  if (e.tensors == nullptr) return {};
  const Result<std::vector<ImportedLayer>> layers = imported_layers(e.tensors, choice_of(e));
  return layers ? *layers : std::vector<ImportedLayer>();
}

Result<void> check(const Experiment& e) {
  if (e.tensors == nullptr) return fail("own-tensors: no file given; open a tensor file");
  const Result<std::vector<ImportedLayer>> layers = imported_layers(e.tensors, choice_of(e));
  if (!layers) return tl::unexpected(layers.error());
  return {};
}

/// Mask sizes for scores with these axes; 1 for missing axes.
MaskSizes score_sizes(const Axes& axes) {
  const Axis* const batch = find_axis(axes, "batch");
  const Axis* const head = find_axis(axes, "head");
  return {batch != nullptr ? batch->size : 1, head != nullptr ? head->size : 1, axes[axes.size() - 2].size,
          axes.back().size};
}

/// The axes of the scores, imported or computed.
Axes score_axes(const ImportedLayer& layer) {
  if (layer.weights) return layer.weights->axes;
  if (layer.scores) return layer.scores->axes;
  Axes axes = layer.q->axes;
  axes.back() = layer.k->axes[layer.k->axes.size() - 2];
  return axes;
}

MaskSizes mask_sizes(const Experiment& e) {
  const std::vector<ImportedLayer> layers = layers_of(e);
  return layers.empty() ? MaskSizes{} : score_sizes(score_axes(layers.front()));
}

/// That there are other labels than queries and keys; nothing if they fit.
std::optional<std::string> labels_notice(const Experiment& e) {
  if (layers_of(e).empty()) return std::nullopt;
  const MaskSizes sizes = mask_sizes(e);
  const LabelledSizes tokens = {sizes.batch, sizes.queries, sizes.keys};
  // The experiment's own labels replace those of the file.
  if (e.labels.empty()) return misfit_labels_notice(*e.tensors, tokens);
  const Index labels = std::ssize(e.labels);
  if (labels == sizes.queries || labels == sizes.keys) return std::nullopt;
  return "labels: " + grouped_text(labels) + (labels == 1 ? " label" : " labels") + " for " +
         tokens_text({1, sizes.queries, sizes.keys});
}

/// Warnings about the file, and the reasons why tensors with names of attention cannot be shown as attention.
std::vector<std::string> warnings(const Experiment& e) {
  std::vector<std::string> all;
  if (e.tensors == nullptr) return all;
  all.assign(e.tensors->warnings().begin(), e.tensors->warnings().end());
  if (e.choice("use") != kUseTensors) {
    if (std::optional<std::string> notice = axes_notice(*e.tensors, choice_of(e))) all.push_back(std::move(*notice));
    for (std::string& notice : output_notices(e.tensors, choice_of(e))) all.push_back(std::move(notice));
    if (std::optional<std::string> notice = labels_notice(e)) all.push_back(std::move(*notice));
    return all;
  }
  if (std::optional<std::string> notice = model_notice(*e.tensors)) all.push_back(std::move(*notice));
  for (const std::string& use : possible_uses(*e.tensors)) {
    if (const Result<std::vector<ImportedLayer>> layers = imported_layers(e.tensors, {use}); !layers)
      all.push_back("no attention: " + layers.error().message);
  }
  return all;
}

/// "layer,head,q,k", short enough for the panel.
std::string short_order(std::string order) {
  for (const auto& [word, letter] : {std::pair("query", "q"), std::pair("key", "k")}) {
    if (const std::size_t at = order.find(word); at != std::string::npos) order.replace(at, std::strlen(word), letter);
  }
  std::replace(order.begin(), order.end(), ' ', ',');
  return order;
}

std::vector<std::pair<std::string, std::string>> choices(const Experiment& e, std::string_view parameter) {
  std::vector<std::pair<std::string, std::string>> words;
  if (e.tensors == nullptr) return words;
  if (parameter == "use") {
    for (const std::string& use : possible_uses(*e.tensors))
      words.emplace_back(use, use == kUseQueries ? "queries, keys" : use == kUseTensors ? "as is" : use);
  }
  if (parameter == "group") {
    // Keeps the list short; sets with the most layers come first.
    constexpr Index kMaxListed = 1000;
    const std::vector<std::string> groups = tensor_groups(*e.tensors, e.choice("use"), kMaxListed);
    for (std::size_t i = 0; i < groups.size(); ++i) words.emplace_back(std::to_string(i + 1), groups[i]);
  }
  if (parameter == "output" && !has_output_named(*e.tensors, choice_of(e))) words.emplace_back(kGuessedOutput, "none");
  if (parameter == "axes") {
    const std::vector<std::string> orders = possible_axes(*e.tensors, choice_of(e));
    if (!orders.empty()) words.emplace_back("guess", short_order(orders.front()) + "?");
    for (const std::string& order : orders) words.emplace_back(order, short_order(order));
  }
  return words;
}

// Keeps imported names apart from attnscope's own.
const std::string kImportedPrefix = "given.";

Value record(PlanBuilder& r, std::string name, const LayerTensor& tensor) {
  return r.record({std::move(name), tensor.numbers, {}, tensor.axes, 0});
}

/// The names of all axes: "feature head·dim".
std::string names_of_axes(const Axes& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return join(names, " ");
}

/// "batch head ": the axes before the last two.
std::string leading_labels(const Axes& axes) {
  std::string text;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) text += axes[i].name + " ";
  return text;
}

/// The output projection, and what each head adds to it: `merged`, `w_o`, `out`, `head_parts` and their norms.
void run_output(const Experiment& e, PlanBuilder& r, const std::string& prefix, const ImportedLayer& layer,
                Value outputs) {
  const Axes axes = r.axes(outputs);
  const Axis* const head = find_axis(axes, "head");
  const std::string batch = find_axis(axes, "batch") != nullptr ? "batch " : "";
  // Switched off are heads of the first layer, as in all systems.
  const Value kept = prefix.empty() ? keep_heads(r, e, outputs) : outputs;
  const Value merged = head == nullptr ? kept
                                       : rearrange(r, prefix + "merged",
                                                   batch + "head query dim -> " + batch + "query (head dim)", kept);
  const Value w_o = record(r, prefix + "w_o", *layer.w_o);
  const bool by_head = find_axis(layer.w_o->axes, "head") != nullptr;
  const Value rows = by_head ? rearrange(r, prefix + "w_o_rows", "head dim feature -> (head dim) feature", w_o) : w_o;
  ContractOptions options;
  if (layer.b_o) {
    options.bias = record(r, prefix + "b_o", *layer.b_o);
    options.bias_pattern = "feature";
  }
  contract(r, prefix + "out",
           names_of_axes(r.axes(merged)) + ", " + names_of_axes(r.axes(rows)) + " -> " + batch + "query feature",
           merged, rows, options);
  // No step needs it, but measures of the heads do.
  if (layer.w_v) record(r, prefix + "w_v", *layer.w_v);
  if (head == nullptr) return;
  const bool out_first = r.axes(w_o).front().name == "feature";
  const Value by_heads =
      by_head ? w_o
              : rearrange(r, prefix + "w_o_heads",
                          std::string(out_first ? "feature (head dim)" : "(head dim) feature") + " -> head dim feature",
                          w_o, {{"head", head->size}});
  const Value parts =
      contract(r, prefix + "head_parts", batch + "head query dim, head dim feature -> " + batch + "head query feature",
               kept, by_heads);
  row_norm(r, prefix + "head_norms", parts);
}

void run_layer(const Experiment& e, PlanBuilder& r, const std::string& prefix, const ImportedLayer& layer) {
  if (layer.weights) {
    record(r, prefix + "weights", *layer.weights);
    return;
  }
  Value scores;
  if (layer.scores) {
    scores = record(r, prefix + "scores", *layer.scores);
  } else {
    const std::string leading = leading_labels(layer.q->axes);
    const Value q = record(r, prefix + "q", *layer.q);
    const Value k = record(r, prefix + "k", *layer.k);
    const Index dim = layer.q->axes.back().size;
    scores = contract(r, prefix + "scores", leading + "query dim, " + leading + "key dim -> " + leading + "query key",
                      q, k, e.choice("scale") == "none" ? ContractOptions{} : divided_by_root(dim));
  }
  const Axes axes = r.axes(scores);
  const Value weights = attention_weights(r, e, prefix, scores, e.mask(), score_sizes(axes));
  if (!layer.v) return;
  const std::string leading = leading_labels(axes);
  const Value v = record(r, prefix + "v", *layer.v);
  const Value outputs = contract(r, prefix + "head_outputs",
                                 leading + "query key, " + leading + "key dim -> " + leading + "query dim", weights, v);
  if (layer.w_o) run_output(e, r, prefix, layer, outputs);
}

void run_system(const Experiment& e, PlanBuilder& r) {
  if (e.choice("use") == kUseTensors && e.tensors != nullptr) {
    for (const PlainTensor& each : plain_tensors(e.tensors)) record(r, kImportedPrefix + each.name, each.tensor);
    return;
  }
  const std::vector<ImportedLayer> layers = layers_of(e);
  for (std::size_t i = 0; i < layers.size(); ++i) run_layer(e, r, layer_prefix(static_cast<Index>(i) + 1), layers[i]);
}

void write_output(Script& s, const std::string& prefix, const ImportedLayer& layer) {
  const Experiment& e = s.experiment();
  const auto named = [&](const char* name) { return prefix + name; };
  const Axes& axes = layer.v->axes;
  const Axis* const head = find_axis(axes, "head");
  std::string kept = named("head_outputs");
  if (prefix.empty()) {
    s.code(heads_code(e, kept, head == nullptr ? 0 : static_cast<int>(head - axes.data())));
    kept = heads_name(e);
  }
  if (head != nullptr) s.code(named("merged") + " = " + kept + ".transpose(-3, -2).flatten(-2)");
  s.code(named("w_o") + " = " + imported_code(*layer.w_o));
  const bool by_head = layer.w_o->axes.front().name == "head";
  const bool out_first = layer.w_o->axes.front().name == "feature";
  if (by_head) s.code(named("w_o_rows") + " = " + named("w_o") + ".flatten(0, 1)");
  if (layer.b_o) s.code(named("b_o") + " = " + imported_code(*layer.b_o));
  s.code(named("out") + " = " + (head == nullptr ? kept : named("merged")) + " @ " +
         named(by_head ? "w_o_rows" : "w_o") + (out_first ? ".T" : "") + (layer.b_o ? " + " + named("b_o") : ""));
  if (layer.w_v) s.code(named("w_v") + " = " + imported_code(*layer.w_v));
  if (head == nullptr) return;
  if (!by_head)
    s.code(named("w_o_heads") + " = " + named("w_o") + (out_first ? ".T" : "") + ".unflatten(0, (" +
           std::to_string(head->size) + ", -1))");
  s.code(named("head_parts") + " = " + kept + " @ " + named(by_head ? "w_o" : "w_o_heads"));
  s.code(named("head_norms") + " = torch.linalg.vector_norm(" + named("head_parts") + ", dim=-1)");
}

void write_layer(Script& s, const std::string& prefix, const ImportedLayer& layer) {
  const Experiment& e = s.experiment();
  if (layer.weights) {
    s.code(prefix + "weights = " + imported_code(*layer.weights));
    return;
  }
  if (layer.scores) {
    s.code(prefix + "scores = " + imported_code(*layer.scores));
  } else {
    s.code(prefix + "q = " + imported_code(*layer.q));
    s.code(prefix + "k = " + imported_code(*layer.k));
    s.code(prefix + "scores = " + prefix + "q @ " + prefix + "k.transpose(-2, -1)" +
           (e.choice("scale") == "none" ? "" : " / math.sqrt(" + std::to_string(layer.q->axes.back().size) + ")"));
  }
  s.code(weights_code(e, prefix));
  if (!layer.v) return;
  s.code(prefix + "v = " + imported_code(*layer.v));
  s.code(prefix + "head_outputs = " + weights_name(e, prefix) + " @ " + prefix + "v");
  if (layer.w_o) write_output(s, prefix, layer);
}

/// The indices of the tensors that the script uses.
std::set<std::size_t> used_tensors(const Experiment& e, const std::vector<ImportedLayer>& layers) {
  std::set<std::size_t> used;
  for (const ImportedLayer& layer : layers) {
    for (const auto* each :
         {&layer.weights, &layer.scores, &layer.q, &layer.k, &layer.v, &layer.w_o, &layer.b_o, &layer.w_v}) {
      if (*each) used.insert((*each)->numbers.which);
    }
  }
  if (!layers.empty()) return used;
  for (const PlainTensor& each : plain_tensors(e.tensors)) used.insert(each.tensor.numbers.which);
  return used;
}

void write_script(Script& s) {
  const Experiment& e = s.experiment();
  const std::vector<ImportedLayer> layers = layers_of(e);
  write_imported(s, used_tensors(e, layers));
  if (layers.empty()) {
    for (const PlainTensor& each : plain_tensors(e.tensors)) {
      s.save(kImportedPrefix + each.name, imported_code(each.tensor));
    }
    return;
  }
  if (!layers.front().weights) {
    const MaskSizes sizes = mask_sizes(e);
    ScoreAxes axes = {{}, std::to_string(sizes.queries), std::to_string(sizes.keys)};
    for (const Axis& axis : score_axes(layers.front())) {
      if (axis.name == "batch" || axis.name == "head") axes.leading.push_back(axis.name);
    }
    s.section(mask_code(e, axes));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string name = layer_prefix(static_cast<Index>(i) + 1);
    const std::string variable = name.empty() ? "" : name.substr(0, name.size() - 1) + "_";
    if (!variable.empty()) {
      for (const std::string& tensor : s.tensors()) {
        if (tensor.starts_with(name)) s.save(tensor, variable + tensor.substr(name.size()));
      }
    }
    s.empty_line();
    write_layer(s, variable, layers[i]);
  }
}

}  // namespace

System imported_tensors_system() {
  System system;
  system.name = "own-tensors";
  system.title = "Imported tensors";
  system.summary =
      "Attention computed by another program: its weights, its scores, or its queries, keys, values and output "
      "projection.";
  system.source = "your own file";
  std::vector<std::string> orders = axis_orders();
  orders.insert(orders.begin(), "guess");
  Parameter scale = choice_parameter("scale", "Scaling", "What the scores are divided by before the softmax.",
                                     {"sqrt_head_dim", "none"}, {"√d_k", "none"});
  scale.only_with = {"use", {kUseQueries}};
  Parameter group = integer_parameter("group", "Tensors",
                                      "Which set of tensors, if the file has several: those with the most layers come "
                                      "first. A number past the last set selects the last.",
                                      1, 1, 16);
  group.only_with = {"use", {kUseWeights, kUseScores, kUseQueries}};
  Parameter axes = choice_parameter(
      "axes", "Axes", "Axes of the tensor, first to last; a question mark: guessed from the name and shape.", orders,
      orders);
  axes.only_with = group.only_with;
  Parameter output = choice_parameter(
      "output", "Output projection",
      "How the file stores the output projection: [head·dim, feature], or [feature, head·dim] as torch.nn.Linear does.",
      {kGuessedOutput, kOutputInOut, kOutputOutIn, kNoOutput}, {"guess", "in, out", "out, in", "none"});
  output.only_with = scale.only_with;
  system.parameters = {
      choice_parameter("use", "Use", "What to show: weights, scores, or queries and keys; or every tensor as it is.",
                       {kUseWeights, kUseScores, kUseQueries, kUseTensors},
                       {"weights", "scores", "queries, keys", "as is"}),
      group,
      axes,
      scale,
      output,
  };
  system.mask_sizes = mask_sizes;
  system.choices = choices;
  system.uses_seed = false;
  system.warnings = warnings;
  system.check = check;
  system.run = run_system;
  system.script = write_script;
  return system;
}

std::string best_use(const std::shared_ptr<const ImportedTensors>& tensors) {
  const std::vector<std::string> uses = possible_uses(*tensors);
  const auto can_be = [&](const std::string& use) { return imported_layers(tensors, {use}).has_value(); };
  const auto use = std::find_if(uses.begin(), uses.end(), can_be);
  return use != uses.end() ? *use : kUseWeights;
}

std::string view_of_use(const std::string& use) { return use == kUseTensors ? "tensor" : "heads"; }

Result<Experiment> experiment_on(std::shared_ptr<const ImportedTensors> tensors) {
  Experiment experiment = *default_experiment(imported_tensors_system().name);
  const std::string use = best_use(tensors);
  experiment.parameters["use"] = use;
  experiment.view.name = view_of_use(use);
  experiment.tensors = std::move(tensors);
  if (const Result<void> valid = validate(experiment, kUnlimitedMemory); !valid) return tl::unexpected(valid.error());
  return experiment;
}

}  // namespace attnscope
