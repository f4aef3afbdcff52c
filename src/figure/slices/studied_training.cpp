#include "figure/slices/studied_training.h"

#include <vector>

namespace attnscope {
namespace {

/// What a study of a text depends on. The cache keeps no model in memory that nobody else uses.
struct StudiedFrom {
  std::weak_ptr<const Model> model;
  std::vector<Index> ids;
  std::vector<Index> ids2;
  std::vector<Index> patch_ids;
  std::vector<Intervention> interventions;

  friend bool operator==(const StudiedFrom& a, const StudiedFrom& b) {
    return !a.model.owner_before(b.model) && !b.model.owner_before(a.model) && a.ids == b.ids && a.ids2 == b.ids2 &&
           a.patch_ids == b.patch_ids && a.interventions == b.interventions;
  }
};

using StudyResult = Result<TrainingStudy>;

}  // namespace

std::shared_ptr<const Result<TrainingStudy>> studied_training(const Trace& trace, const ViewOptions& options,
                                                              TrainingText text) {
  const Experiment& experiment = trace.experiment();
  const auto make = [&]() -> std::shared_ptr<const StudyResult> {
    auto study = std::make_shared<const StudyResult>(
        study_training(experiment, {.text = text,
                                    .memory_budget = trace.resident_bytes() + trace.bytes_left(),
                                    .stop = options.stop,
                                    .progress = options.progress}));
    return options.stop.stop_requested() ? nullptr : study;
  };
  if (options.cache == nullptr) return make();
  if (text == TrainingText::random)
    return options.cache->find_or_keep<StudyResult>(StudiedFrom{experiment.model, {}, {}, {}, {}}, make);
  const StudiedFrom from = {experiment.model, experiment.text.ids, experiment.text2.ids, experiment.patch_text.ids,
                            experiment.interventions};
  return options.cache->find_or_make<StudyResult>(from, make);
}

}  // namespace attnscope
