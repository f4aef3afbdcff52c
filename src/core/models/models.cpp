#include "core/models/models.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/models/model_builder.h"

namespace attnscope {

#define ATTNSCOPE_FAMILY(make) ModelFamily make();
#include "core/models/families.inc"
#undef ATTNSCOPE_FAMILY

const std::vector<ModelFamily>& model_families() {
  static const std::vector<ModelFamily> all = {
#define ATTNSCOPE_FAMILY(make) make(),
#include "core/models/families.inc"
#undef ATTNSCOPE_FAMILY
  };
  return all;
}

Result<const ModelFamily*> family_of(const Model& model) {
  const auto field = model.config().find("model_type");
  const bool is_given = field != model.config().end();
  const auto* const name = is_given ? std::get_if<std::string>(&field->second) : nullptr;
  std::vector<std::string> names;
  for (const ModelFamily& family : model_families()) {
    if (name != nullptr && family.name == *name) return &family;
    names.emplace_back(family.name);
  }
  return fail(model.folder() + ": config.json: model_type" +
              (is_given ? ": " + shown_value(field->second) + " is not a known family" : " is missing") +
              "; allowed: " + join(names, ", "));
}

bool takes_picture(const Experiment& experiment) {
  if (experiment.model == nullptr) return experiment.parameters.contains("picture");
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  return family && (*family)->fit_picture != nullptr;
}

namespace {

tl::unexpected<Error> reads_text(const ModelFamily& family) {
  return fail("picture: " + std::string(family.name) + " reads text; allowed with vit");
}

Result<ColorPicture> fit_picture(const Experiment& experiment, const ColorPicture& picture) {
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return tl::unexpected(family.error());
  if ((*family)->fit_picture == nullptr) return reads_text(**family);
  return (*family)->fit_picture(*experiment.model, picture);
}

bool patches(const Experiment& experiment) {
  return std::ranges::any_of(experiment.interventions,
                             [](const Intervention& each) { return each.kind == Intervention::Kind::patched; });
}

/// The model reading the other text.
Experiment patch_experiment(const Experiment& experiment) {
  Experiment other = experiment;
  other.interventions.clear();
  other.text = experiment.patch_text;
  return other;
}

/// Records what the model makes of the other text, up to the last tensor that is needed of it.
Result<void> record_patches(const Experiment& experiment, const ModelFamily& family, ModelBuilder& builder) {
  PlanBuilder& plan = builder.plan();
  plan.set_prefix(kPatchPrefix);
  family.build(builder);
  plan.set_prefix({});
  if (builder.error()) {
    std::string error = *builder.error();
    const std::string about_text = experiment.model->folder() + ": text: ";
    if (error.starts_with(about_text)) error.insert(about_text.size() - 6, "patch_");
    return fail(std::move(error));
  }
  std::set<std::string> wanted;
  for (const Intervention& each : experiment.interventions) {
    if (each.kind == Intervention::Kind::patched) wanted.insert(kPatchPrefix + each.tensor);
  }
  const std::vector<PlannedStep>& steps = plan.plan().steps;
  const auto last =
      std::find_if(steps.rbegin(), steps.rend(), [&](const PlannedStep& each) { return wanted.contains(each.name); });
  // A tensor that does not exist is told of when the model itself is recorded.
  if (last != steps.rend()) plan.drop_after({static_cast<int>(steps.rend() - last) - 1});
  return {};
}

/// Fails if the model lacks what an intervention replaces.
Result<void> check_parts(const Experiment& experiment, const Plan& plan) {
  if (experiment.interventions.empty()) return {};
  std::set<std::string_view> recorded;
  for (const PlannedStep& step : plan.steps) recorded.insert(step.name);
  for (const Intervention& each : experiment.interventions) {
    if (!recorded.contains(each.key ? each.tensor : changed_name(each.tensor)))
      return fail("interventions: this model has no " + part_name(each) + "; allowed: heads and MLPs of its layers");
  }
  return {};
}

/// Records the model; the error, if any, is the first that the builder found.
Result<void> record_model(const Experiment& experiment, PlanBuilder& plan) {
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return tl::unexpected(family.error());
  if (!experiment.picture.empty() && (*family)->fit_picture == nullptr) return reads_text(**family);
  std::optional<ModelBuilder> builder;
  if (patches(experiment)) {
    if ((*family)->input == ModelInput::picture)
      return fail("interventions: patched is not allowed with " + std::string((*family)->name) +
                  ", which sees a picture; allowed: off, mean");
    const Experiment other = patch_experiment(experiment);
    ModelBuilder first(other, plan);
    if (Result<void> recorded = record_patches(experiment, **family, first); !recorded) return recorded;
    builder.emplace(experiment, first);
  } else {
    builder.emplace(experiment, plan);
  }
  (*family)->build(*builder);
  if (builder->error()) return fail(*builder->error());
  return check_parts(experiment, plan.plan());
}

Result<void> check_experiment(const Experiment& experiment) {
  PlanBuilder plan;
  return record_model(experiment, plan);
}

void run_model(const Experiment& experiment, PlanBuilder& plan) {
  // `check` has accepted it; what is asked for before that, such as a cost, gets no steps.
  PlanBuilder recorded;
  if (experiment.model != nullptr && record_model(experiment, recorded)) plan = std::move(recorded);
}

/// The model with one token to read, and one for its decoder.
Experiment smallest_experiment(const std::shared_ptr<const Model>& model) {
  Experiment experiment = experiment_on_model(model);
  experiment.text.ids = {0};
  experiment.text2.ids = {0};
  return experiment;
}

MaskSizes no_mask(const Experiment& /*experiment*/) { return {}; }

}  // namespace

Result<void> check_model(const std::shared_ptr<const Model>& model) {
  const Result<const ModelFamily*> family = family_of(*model);
  if (!family) return tl::unexpected(family.error());
  return check_experiment(smallest_experiment(model));
}

std::vector<std::size_t> weights_of(const std::shared_ptr<const Model>& model) {
  const Result<const ModelFamily*> family = family_of(*model);
  if (!family) return {};
  const Experiment experiment = smallest_experiment(model);
  PlanBuilder plan;
  ModelBuilder builder(experiment, plan);
  (*family)->build(builder);
  return {builder.used_.begin(), builder.used_.end()};
}

System transformer_system() {
  System system;
  system.name = "transformer";
  system.title = "Trained model";
  system.summary = "A trained transformer reads a text or a picture: every layer, every head, every number.";
  system.source = "the model's own folder";
  system.mask_sizes = no_mask;
  system.fit_picture = fit_picture;
  system.uses_seed = false;
  system.check = check_experiment;
  system.run = run_model;
  system.script = write_model_script;
  return system;
}

}  // namespace attnscope
