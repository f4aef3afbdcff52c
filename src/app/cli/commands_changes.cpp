#include "app/cli/commands_changes.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/experiment/intervention.h"
#include "core/explain/explain.h"
#include "core/plan/validate.h"

namespace attnscope {

void add_change_options(CLI::App& command, ExperimentOptions& options) {
  const auto add = [&](const char* name, std::vector<std::string>& parts, const char* kind, const char* help) {
    command.add_option(name, parts, help)->type_name(kind)->allow_extra_args(false);
  };
  add("--off", options.off, "PART",
      "Switch off a part of a model, layer2.head3 or layer2.mlp, counted from 1, or only at one position: "
      "layer2.head3@5; without a model, a head of the first layer: layer1.head2; repeatable");
  add("--mean", options.mean, "PART", "Replace a part by its mean over the text; repeatable");
  add("--patched", options.patched, "PART", "Replace a part by what the model makes of --patch-text; repeatable");
  add("--masked", options.masked, "PART",
      "Mask a key of a head for one query or for all: layer2.head3@5:2, layer2.head3@*:2; repeatable");
  CLI::Option* const text =
      command.add_option("--patch-text", options.patch_text, "The text that --patched takes parts from");
  text->type_name("TEXT");
  command.add_option("--patch-tokens", options.patch_tokens, "The ids of its tokens, instead of --patch-text")
      ->type_name("ID,…")
      ->excludes(text);
  add("--edit", options.edits, "CELL=VALUE",
      "Edit a number of an input or a weight, w_q[0,1]=2.5, counted from 0; repeatable");
}

namespace {

using Kind = Intervention::Kind;

Result<void> usage_failure(const std::string& option, const std::string& message) {
  return fail(option + ": " + message, Error::Kind::usage);
}

/// Without a model, heads of the first layer can be switched off; all else is refused.
Result<void> switch_head_off(Experiment& experiment, const std::string& option, const Intervention& part,
                             const std::string& given) {
  if (part.kind != Kind::off) return usage_failure(option, "allowed only with a model");
  // What else is wrong, the validation that follows says.
  if (!validate(experiment, kUnlimitedMemory)) return {};
  const Index heads = switchable_heads(experiment);
  if (heads == 0) return usage_failure(option, "no heads can be switched off here; allowed with a model");
  if (part.tensor != "layer1.head_outputs" || part.position || *part.head >= heads)
    return usage_failure(option, given + " is not allowed; allowed without a model: layer1.head1 to layer1.head" +
                                     std::to_string(heads));
  std::vector<Index>& off = experiment.heads_off;
  const auto at = std::lower_bound(off.begin(), off.end(), *part.head);
  if (at == off.end() || *at != *part.head) off.insert(at, *part.head);
  return {};
}

Result<void> apply_interventions(Experiment& experiment, const ExperimentOptions& options) {
  std::vector<Intervention> named;
  for (const auto& [option, parts, kind] : {std::tuple("--off", &options.off, Kind::off),
                                            {"--mean", &options.mean, Kind::mean},
                                            {"--patched", &options.patched, Kind::patched},
                                            {"--masked", &options.masked, Kind::masked}}) {
    for (const std::string& part : *parts) {
      Result<Intervention> made = intervention_on(part);
      if (!made) return usage_failure(option, made.error().message);
      if (made->key.has_value() != (kind == Kind::masked))
        return usage_failure(option,
                             part + " is not allowed; allowed: " +
                                 (made->key ? "a part without a key, such as layer2.head3; keys are for --masked"
                                            : "a key of one query or of all: layer2.head3@5:2, layer2.head3@*:2"));
      made->kind = kind;
      if (const Intervention* other = same_part(named, *made))
        return usage_failure(option, part + " is " + std::string(kind_name(other->kind)) +
                                         " already; allowed: one intervention on each part");
      named.push_back(*made);
      if (experiment.model == nullptr) {
        if (Result<void> off = switch_head_off(experiment, option, *made, part); !off) return off;
        continue;
      }
      if (const Intervention* other = same_part(experiment.interventions, *made))
        experiment.interventions.erase(experiment.interventions.begin() + (other - experiment.interventions.data()));
      experiment.interventions.push_back(std::move(*made));
    }
  }
  return {};
}

Result<CellEdit> parse_edit(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::optional<double> value =
      equals == std::string::npos ? std::nullopt : parse_real(std::string_view(text).substr(equals + 1));
  if (equals == 0 || !value || !std::isfinite(static_cast<float>(*value)))
    return fail(quoted_text(text) + " is not allowed; allowed: a cell and a finite number, w_q[0,1]=2.5",
                Error::Kind::usage);
  Result<CellName> cell = parse_cell_name(std::string_view(text).substr(0, equals));
  if (!cell) return tl::unexpected(cell.error());
  return CellEdit{std::string(cell->tensor), std::move(cell->index), *value};
}

Result<void> apply_edits(Experiment& experiment, const std::vector<std::string>& edits) {
  std::vector<CellEdit> named;
  for (const std::string& text : edits) {
    Result<CellEdit> edit = parse_edit(text);
    if (!edit) return usage_failure("--edit", edit.error().message);
    const auto is_same = [&](const CellEdit& each) { return each.tensor == edit->tensor && each.index == edit->index; };
    if (std::any_of(named.begin(), named.end(), is_same))
      return usage_failure("--edit", quoted_text(text) + " is edited already; allowed: one value for each cell");
    std::erase_if(experiment.edits, is_same);
    named.push_back(*edit);
    experiment.edits.push_back(std::move(*edit));
  }
  return {};
}

}  // namespace

Result<void> apply_changes(Experiment& experiment, const ExperimentOptions& options) {
  if (Result<void> parts = apply_interventions(experiment, options); !parts) return parts;
  if (Result<void> edits = apply_edits(experiment, options.edits); !edits) return edits;
  const Result<GivenText> given = given_text("--patch-tokens", options.patch_text, options.patch_tokens);
  if (!given) return tl::unexpected(given.error());
  if (given->empty()) return {};
  if (experiment.model == nullptr) return usage_failure("--patch-text", "allowed only with a model");
  return set_patch_text(experiment, *given);
}

Result<GivenText> given_text(const char* option, const std::optional<std::string>& text,
                             const std::optional<std::string>& tokens) {
  GivenText given = {text, std::nullopt};
  if (!tokens) return given;
  given.ids.emplace();
  for (const std::string& each : split(*tokens, ',')) {
    const std::optional<Index> id = parse_integer(each);
    if (!id || *id < 0) {
      return fail(std::string(option) + ": " + quoted_text(each) + " is not allowed; allowed: token ids like 1,2,3",
                  Error::Kind::usage);
    }
    given.ids->push_back(*id);
  }
  return given;
}

}  // namespace attnscope
