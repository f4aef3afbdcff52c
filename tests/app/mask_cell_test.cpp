#include "app/session/mask_cell.h"

#include <gtest/gtest.h>

#include "core/trace/run.h"

namespace attnscope::test {
namespace {

using Place = std::vector<Index>;

TEST(MaskCell, IsThatOfScoresAndWeightsTheMaskAppliesTo) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["mask"] = *parse_mask("causal");
  experiment.parameters["dropout"] = 0.5;
  const std::shared_ptr<const Trace> trace = *run(experiment);
  for (const char* tensor : {"scores", "masked_scores", "weights", "dropped_weights"})
    EXPECT_EQ(mask_cell(*trace, tensor, Place{2, 1, 4}), (MaskCell{0, 2, 1, 4})) << tensor;
  EXPECT_EQ(mask_cell(*trace, "single.weights", Place{1, 4}), (MaskCell{0, 0, 1, 4}));
  for (const char* tensor : {"q", "cross_scores", "cross_weights", "head_outputs", "no such tensor"})
    EXPECT_FALSE(mask_cell(*trace, tensor, Place{0, 1, 2})) << tensor;
  EXPECT_FALSE(mask_cell(*trace, "weights", Place{1, 2}));
  EXPECT_EQ(is_kept(experiment, {0, 0, 4, 1}), true);
  EXPECT_EQ(is_kept(experiment, {0, 0, 1, 4}), false);
}

TEST(MaskCell, KnowsItemsOfTheBatchAndLayers) {
  Experiment experiment = *default_experiment("packed-multihead");
  experiment.parameters["height"] = experiment.parameters["width"] = Index{2};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  EXPECT_EQ(mask_cell(*trace, "weights", Place{1, 0, 3, 2}), (MaskCell{1, 0, 3, 2}));
  const std::shared_ptr<const Trace> layers = *run(*default_experiment("hand-made-heads"));
  EXPECT_EQ(mask_cell(*layers, "layer2.weights", Place{0, 7, 2}), (MaskCell{0, 0, 7, 2}));
}

}  // namespace
}  // namespace attnscope::test
