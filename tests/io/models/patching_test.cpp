// What parts carry over from another text, against runs with one of them patched.
#include "core/residual/patching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

using Kind = Intervention::Kind;

class PatchingModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    experiment_ = golden_experiment(kGoldenModels / GetParam());
    if (experiment_.text.ids.empty()) return;  // sees a picture
    experiment_.patch_text = experiment_.text;
    std::ranges::reverse(experiment_.patch_text.ids);
    experiment_.patch_text.ids.front() = (experiment_.patch_text.ids.front() + 1) % 5;
  }

  [[nodiscard]] static double difference(const Trace& trace, const PatchingChoice& choice) {
    const Tensor& logits = trace.tensor("logits");
    return static_cast<double>(logits.at(std::vector<Index>{choice.position, choice.answer})) -
           static_cast<double>(logits.at(std::vector<Index>{choice.position, choice.other}));
  }

  /// How far one patch moves the difference.
  [[nodiscard]] double share(const Patching& all, const Intervention& patch, const PatchingChoice& choice) const {
    Experiment changed = experiment_;
    changed.interventions.push_back(patch);
    return (difference(*run(changed).value(), choice) - all.here) / (all.there - all.here);
  }

  Experiment experiment_;
};

TEST_P(PatchingModel, IsWhatARunWithThePatchSays) {
  const auto plain = run(experiment_).value();
  const std::optional<ResidualStream> stream = residual_stream(*plain);
  if (!stream || !experiment_.picture.empty()) return;
  const auto other = other_trace(*plain);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(no_patching(experiment_), "");
  const PatchingChoice choice = {plain->tensor("logits").size(0) - 1, 1, 3};
  const std::optional<Patching> all = patching(*plain, *other, *stream, choice);
  ASSERT_TRUE(all);
  EXPECT_NEAR(all->here, difference(*plain, choice), 1e-9);
  EXPECT_NEAR(all->there, difference(*other, choice), 1e-9);
  const double unit = std::abs(all->there - all->here);
  const double limit = 2e-5 / unit;
  const std::vector<LayerAttention> attentions = layer_attentions(*plain);
  ASSERT_EQ(all->layers.size(), attentions.size());
  for (std::size_t i = 0; i < attentions.size(); ++i) {
    const std::string prefix = prefix_of(*plain, attentions[i]);
    for (Index head = 0; head < std::ssize(all->layers[i].heads); ++head) {
      EXPECT_NEAR(all->layers[i].heads[static_cast<std::size_t>(head)],
                  share(*all, {prefix + "head_outputs", head, {}, Kind::patched}, choice), limit);
    }
    const std::string mlp = prefix.substr(0, prefix.rfind('.') + 1) + "mlp_out";
    if (all->layers[i].mlp) {
      EXPECT_NEAR(*all->layers[i].mlp, share(*all, {mlp, {}, {}, Kind::patched}, choice), limit);
    }
  }
  ASSERT_EQ(all->positions.size(), stream->states.size());
  for (std::size_t state = 1; state < stream->states.size(); ++state) {
    const std::string name = plain->steps()[static_cast<std::size_t>(stream->states[state])].name;
    for (Index position = 0; position < std::ssize(all->positions[state]); ++position) {
      EXPECT_NEAR(all->positions[state][static_cast<std::size_t>(position)],
                  share(*all, {name, {}, position, Kind::patched}, choice), limit)
          << name << " " << position;
    }
  }
  // Behind the last layer, the row of the answer is all that counts.
  if (!GetParam().starts_with("bart") && !GetParam().starts_with("marian") && !GetParam().starts_with("t5")) {
    EXPECT_NEAR(all->positions.back().back(), 1, limit);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, PatchingModel, testing::ValuesIn(golden_folders()), test_name);

TEST(Patching, NeedsTwoTextsOfOneLength) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  EXPECT_EQ(no_patching(experiment), "There is no text to patch from yet.");
  experiment.patch_text.ids = {1};
  EXPECT_EQ(no_patching(experiment), "The text has " + std::to_string(experiment.text.ids.size()) +
                                         " tokens, the one to patch from 1 token: both need equally many, so that "
                                         "positions correspond.");
  EXPECT_EQ(no_patching(golden_experiment(kGoldenModels / "vit-1")),
            "This model sees a picture: there is no other text to patch from.");
}

TEST(Patching, OfALongTextPatchesTheLastPositions) {
  const auto model = open_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/stories");
  Experiment experiment = experiment_on_model(*model);
  for (Index i = 0; i < 90; ++i) experiment.text.ids.push_back(i * 7 % 200);
  experiment.patch_text = experiment.text;
  experiment.patch_text.ids[80] = 11;
  const auto trace = run(experiment).value();
  const auto other = other_trace(*trace);
  const ResidualStream stream = *residual_stream(*trace);
  const PatchingChoice choice = {85, 4, 9};
  const Patching all = *patching(*trace, *other, stream, choice);
  EXPECT_EQ(all.first, 22);
  for (const std::vector<double>& row : all.positions) {
    ASSERT_EQ(std::ssize(row), kMostPatchedPositions);
    for (Index i = 0; i < 80 - all.first; ++i)
      EXPECT_NEAR(row[static_cast<std::size_t>(i)], 0, 1e-4) << "the texts are the same";
  }
  EXPECT_NEAR(all.positions.front()[static_cast<std::size_t>(80 - all.first)], 1, 1e-3);
  EXPECT_NEAR(all.positions.back()[static_cast<std::size_t>(85 - all.first)], 1, 1e-3);
  EXPECT_EQ(patching(*trace, *other, stream, {3, 4, 9})->first, 0);
}

TEST(Patching, IsStopped) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  experiment.patch_text.ids = experiment.text.ids;
  experiment.patch_text.ids[0] = 0;
  const auto trace = run(experiment).value();
  const auto other = other_trace(*trace);
  StopSource source;
  EXPECT_FALSE(
      patching(*trace, *other, *residual_stream(*trace), {}, source.token(), [&](double) { source.request_stop(); }));
}

}  // namespace
}  // namespace attnscope::test
