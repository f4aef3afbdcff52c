#include "figure/blocks/change_text.h"

#include <cmath>
#include <memory>
#include <tuple>

#include "core/base/text.h"
#include "core/residual/answer_change.h"
#include "figure/slices/model_answers.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr std::size_t kMaxListed = 4;

/// A model that what is kept does not keep in memory.
struct SameModel {
  std::weak_ptr<const Model> model;

  friend bool operator==(const SameModel& a, const SameModel& b) {
    return !a.model.owner_before(b.model) && !b.model.owner_before(a.model);
  }
};

/// What a change depends on.
using Source = std::tuple<SameModel, ModelText, ModelText, SharedPicture, std::vector<Intervention>,
                          std::vector<CellEdit>, ModelText, Index>;

std::shared_ptr<const AnswerChange> change_at(const Trace& trace, Index position, const ViewOptions& options) {
  const auto make = [&]() -> std::shared_ptr<const AnswerChange> {
    const std::shared_ptr<const Trace> before = without_interventions(trace, options.stop);
    return before ? std::make_shared<const AnswerChange>(answer_change(*before, trace, position)) : nullptr;
  };
  if (options.cache == nullptr) return make();
  const Experiment& e = trace.experiment();
  return options.cache->find_or_keep<AnswerChange>(
      Source{SameModel{e.model}, e.text, e.text2, e.picture, e.interventions, e.edits, e.patch_text, position}, make);
}

std::string signed_text(double number) { return (number < 0 ? "−" : "+") + number_text(std::abs(number)); }

}  // namespace

std::string changes_sentence(const Trace& trace) {
  const std::string changes = changes_text(trace.experiment(), kMaxListed);
  return changes.empty() ? changes : " With " + changes + ".";
}

std::vector<std::string> change_text(const Trace& trace, Index position, const ViewOptions& options) {
  const Experiment& experiment = trace.experiment();
  if (experiment.interventions.empty() && experiment.edits.empty()) return {};
  const std::shared_ptr<const AnswerChange> made = change_at(trace, position, options);
  if (made == nullptr) return {};
  const AnswerChange& change = *made;
  return {capitalized(changes_text(experiment, kMaxListed)),
          "Without the change, “" + answer_name(trace, change.before.number) + "” is the most probable: " +
              number_text(change.before.probability) + ". With it: " + number_text(change.after.probability) +
              ", Δ logit " + signed_text(change.logit) + ", Δ log-probability " + signed_text(change.log_probability) +
              ", KL divergence " + number_text(change.divergence)};
}

}  // namespace attnscope
