// Studies of several texts with models of every family, among them those that read two texts.
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/models/models.h"
#include "core/plan/validate.h"
#include "golden_models.h"
#include "support/plain_text_study.h"

namespace attnscope::test {
namespace {

TEST(TextStudyOfFamilies, HasTheAveragesOfTheTextsAlone) {
  int studied = 0;
  for (const std::string& name : golden_folders()) {
    const Experiment experiment = golden_experiment(kGoldenModels / name);
    const ModelFamily& family = **family_of(*experiment.model);
    if (family.input == ModelInput::picture) continue;
    SCOPED_TRACE(name);
    ++studied;
    // A text is the number of tokens that it has.
    const ReadText read = [&](const std::string& text) -> Result<Experiment> {
      Experiment shorter = experiment;
      shorter.text.ids.resize(static_cast<std::size_t>(*parse_integer(text)));
      if (const Result<void> valid = validate(shorter); !valid) return tl::unexpected(valid.error());
      return shorter;
    };
    const Index tokens = std::ssize(experiment.text.ids);
    const std::vector<StudyText> texts = {
        {"line 1", std::to_string(tokens)}, {"line 2", "1"}, {"line 3", std::to_string(tokens - 1)}};
    const CheckedTexts checked = check_texts(texts, read).value();
    EXPECT_EQ(checked.fewest_tokens, 1);
    EXPECT_EQ(checked.most_tokens, tokens);
    EXPECT_FALSE(checked.attentions.empty());
    expect_averages(texts, read);
  }
  EXPECT_GE(studied, 10);
}

}  // namespace
}  // namespace attnscope::test
