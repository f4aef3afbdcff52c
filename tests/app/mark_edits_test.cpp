#include "app/session/mark_edits.h"

#include <gtest/gtest.h>

#include "core/trace/run.h"

namespace attnscope::test {
namespace {

TEST(MarkEdits, SetEveryOptionOfAClick) {
  const Experiment experiment = *default_experiment("worked-example");
  EXPECT_TRUE(edits_for({}, experiment).empty());
  const std::vector<Edit> edits =
      edits_for(SetOptions{{{"head", Index{2}}, {"heads", std::string("one")}}}, experiment);
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(std::get<SetViewOption>(edits[0]).name, "head");
  EXPECT_EQ(std::get<SetViewOption>(edits[0]).value, ParameterValue(Index{2}));
  EXPECT_EQ(std::get<SetViewOption>(edits[1]).name, "heads");
}

TEST(MarkEdits, OpenAViewBeforeItsOptionsAreSet) {
  const Experiment experiment = *default_experiment("worked-example");
  const std::vector<Edit> edits = edits_for(OpenView{"head", {{"head", Index{2}}}}, experiment);
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(std::get<SetView>(edits[0]).name, "head");
  EXPECT_EQ(std::get<SetViewOption>(edits[1]).value, ParameterValue(Index{2}));
}

TEST(MarkEdits, ToggleAHead) {
  Experiment experiment = *default_experiment("worked-example");
  const auto turned_on = [&] {
    const std::vector<Edit> edits = edits_for(ToggleHead{1}, experiment);
    EXPECT_EQ(edits.size(), 1U);
    EXPECT_EQ(std::get<SwitchHead>(edits[0]).head, 1);
    return std::get<SwitchHead>(edits[0]).on;
  };
  EXPECT_FALSE(turned_on());
  experiment.heads_off = {0, 1};
  EXPECT_TRUE(turned_on());
}

TEST(MarkEdits, SwapTokensInTheOrderThatIsShown) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.view = {"permutation", {{"order", std::string("3 1")}}};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const SetViewOption edit = swap_edit(*trace, {"order", 0}, {"order", 2});
  EXPECT_EQ(edit.name, "order");
  EXPECT_EQ(edit.value, ParameterValue(std::string("2")));
}

}  // namespace
}  // namespace attnscope::test
