#include "figure/slices/studied_training.h"

#include <algorithm>
#include <vector>

#include "figure/slices/found_heads.h"

namespace attnscope {
namespace {

/// What a study of a text depends on. The cache keeps no model in memory that nobody else uses.
struct StudiedFrom {
  std::vector<std::pair<std::string, std::int64_t>>
      states;                        ///< folders, and how they were; the same for all checkpoints
  std::weak_ptr<const Model> model;  ///< where they have no folders
  std::vector<Index> ids;
  std::vector<Index> ids2;
  std::vector<Index> patch_ids;
  std::vector<Intervention> interventions;
  std::vector<CellEdit> edits;

  friend bool operator==(const StudiedFrom& a, const StudiedFrom& b) {
    return a.states == b.states && !a.model.owner_before(b.model) && !b.model.owner_before(a.model) && a.ids == b.ids &&
           a.ids2 == b.ids2 && a.patch_ids == b.patch_ids && a.interventions == b.interventions && a.edits == b.edits;
  }
};

StudiedFrom studied_states(const std::shared_ptr<const Model>& model) {
  StudiedFrom from;
  for (const Checkpoint& each : model->checkpoints()) {
    if (each.folder.empty()) from.model = model;
    from.states.emplace_back(each.folder, each.changed);
  }
  return from;
}

using StudyResult = Result<TrainingStudy>;

}  // namespace

Parameter studied_measure_option() {
  std::vector<std::string> names;
  std::vector<std::string> labels;
  for (const Measure& measure : measures()) {
    if (measure.name == "effective_rank") continue;  // takes too long
    names.emplace_back(measure.name);
    labels.emplace_back(measure.title);
  }
  Parameter parameter =
      choice_parameter("measure", "Measure", "What is measured of every head.", std::move(names), std::move(labels));
  parameter.default_value = std::string("induction");
  return parameter;
}

std::string studied_text(const Trace& trace, TrainingText text) {
  if (text == TrainingText::random) return "reading random tokens, repeated" + tested_with(trace);
  constexpr std::size_t kMostParts = 3;
  const std::vector<Intervention>& all = trace.experiment().interventions;
  return "reading this text" + (all.empty() ? "" : "; with " + parts_text(all, kMostParts)) +
         edits_text(trace.experiment().edits);
}

std::shared_ptr<const Result<TrainingStudy>> studied_training(const Trace& trace, const ViewOptions& options,
                                                              TrainingText text) {
  const Experiment& experiment = trace.experiment();
  // What failed is tried again: the file may be whole the next time.
  std::shared_ptr<const StudyResult> failed;
  const auto make = [&]() -> std::shared_ptr<const StudyResult> {
    auto study = std::make_shared<const StudyResult>(
        study_training(experiment, {.text = text,
                                    .memory_budget = trace.resident_bytes() + trace.bytes_left(),
                                    .stop = options.stop,
                                    .progress = options.progress}));
    if (options.stop.stop_requested()) return nullptr;
    if (*study) return study;
    failed = study;
    return nullptr;
  };
  const auto found = [&]() -> std::shared_ptr<const StudyResult> {
    if (options.cache == nullptr) return make();
    StudiedFrom from = studied_states(experiment.model);
    from.edits = experiment.edits;
    if (text == TrainingText::random) {
      from.interventions = on_any_text(experiment.interventions);
      return options.cache->find_or_keep<StudyResult>(from, make);
    }
    from.ids = experiment.text.ids;
    from.ids2 = experiment.text2.ids;
    from.patch_ids = experiment.patch_text.ids;
    from.interventions = experiment.interventions;
    return options.cache->find_or_make<StudyResult>(from, make);
  }();
  return found != nullptr ? found : failed;
}

void open_state(TargetMark& target, const Model& model, const std::string& checkpoint,
                const std::optional<OpenView>& view) {
  const auto known = std::ranges::find(model.checkpoints(), checkpoint, &Checkpoint::name);
  if (checkpoint != model.name() && known != model.checkpoints().end() && !known->folder.empty()) {
    target.about += view ? "\nClick to open this head as it was then" : "\nClick to open the model as it was then";
    target.click = OpenCheckpoint{known->folder, view};
  } else if (view) {
    target.about += "\nClick to open it in the model that is open";
    target.click = *view;
  }
}

}  // namespace attnscope
