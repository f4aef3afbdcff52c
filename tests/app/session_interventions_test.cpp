// What becomes of interventions when a model reads something else.
#include <filesystem>

#include "io/models/model_texts.h"
#include "session_support.h"

namespace attnscope::test {
namespace {

using Kind = Intervention::Kind;

Experiment reading(const char* model) {
  return experiment_of_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models" / model).value();
}

void add(Session& session, const Intervention& intervention) {
  const Result<void> done = session.apply({SetIntervention{intervention, intervention.kind}, 0});
  ASSERT_TRUE(done) << done.error().message;
}

TEST(SessionInterventions, GoWithThePositionsThatAShorterTextLacks) {
  const std::vector<Intervention> some = {{"encoder.layer1.scores", 0, 0, Kind::masked, 1},
                                          {"encoder.layer1.scores", 0, 5, Kind::masked, 0},
                                          {"decoder.layer1.scores", 0, {}, Kind::masked, 3},
                                          {"decoder.layer1.cross_scores", 0, {}, Kind::masked, 4},
                                          {"decoder.layer1.cross_head_outputs", 0, 3, Kind::off}};
  Session session(reading("dates"));
  for (const Intervention& each : some) add(session, each);
  ASSERT_EQ(session.experiment().interventions, some);
  ASSERT_TRUE(session.apply({SetText{1, "3 m"}, 0}));
  EXPECT_EQ(session.experiment().interventions, (std::vector<Intervention>{some[0], some[2], some[4]}));
  ASSERT_TRUE(session.apply({SetText{2, "1"}, 0}));
  EXPECT_EQ(session.experiment().interventions, (std::vector<Intervention>{some[0]}));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().interventions, some);
}

TEST(SessionInterventions, OfAPairReachToTheEndOfTheSecondText) {
  Experiment experiment =
      experiment_of_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models/data/bert-1").value();
  ASSERT_TRUE(set_texts(experiment, {{}, std::vector<Index>{1, 2, 3, 4}}, {{}, std::vector<Index>{5, 6, 7}}));
  const Index last = std::ssize(experiment.text.ids) + std::ssize(experiment.text2.ids) - 1;
  Session session(experiment);
  const Intervention off = {"layer1.head_outputs", 0, last, Kind::off};
  add(session, off);
  EXPECT_EQ(session.experiment().interventions, std::vector<Intervention>{off});
  // Another text of as many tokens.
  const Result<void> typed = session.apply({SetText{1, "4,3,2,1"}, 0});
  ASSERT_TRUE(typed) << typed.error().message;
  EXPECT_EQ(session.experiment().interventions, std::vector<Intervention>{off});
}

TEST(SessionInterventions, StayWhereAModelSeesAnotherPicture) {
  Session session(reading("digits"));
  const Intervention masked = {"layer1.scores", 0, 9, Kind::masked, 0};
  add(session, masked);
  ASSERT_TRUE(session.apply({SetPicture{{4, 4, std::vector<std::uint8_t>(48, 255)}}, 0}));
  EXPECT_EQ(session.experiment().interventions, (std::vector<Intervention>{masked}));
}

}  // namespace
}  // namespace attnscope::test
