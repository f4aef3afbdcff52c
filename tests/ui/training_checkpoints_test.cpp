// From a point of the view of a training to the model as it was at that step.
#include <algorithm>

#include "figure/views/view.h"
#include "interface_test.h"
#include "io/models/model_texts.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

const std::filesystem::path kInduction = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/induction";

class TrainingCheckpoints : public Interface {
 protected:
  void SetUp() override { open(kInduction); }

  void open(const std::filesystem::path& folder) {
    InterfaceOptions options;
    options.width = 1600;
    options.height = 1000;
    options.experiment = experiment_of_model(folder).value();
    options.experiment->view = {"training", {}};
    start(options);
    screen().settle();
  }

  [[nodiscard]] const Model& model() { return *screen().experiment().model; }

  void click_target(const std::string& id) {
    const auto& targets = screen().workbench().shown_figure().figure().targets;
    const auto target = std::ranges::find(targets, id, &TargetMark::id);
    ASSERT_NE(target, targets.end()) << id;
    screen().click(screen().on_screen(target->box.center()));
    screen().settle();
  }
};

TEST_F(TrainingCheckpoints, AClickOnALossOpensTheModelAsItWasThen) {
  const std::vector<Index> ids = screen().experiment().text.ids;
  const Checkpoint early = model().checkpoints()[1];
  click_target("loss." + early.name);
  EXPECT_EQ(model().name(), early.name);
  EXPECT_EQ(model().folder(), early.folder);
  EXPECT_EQ(screen().experiment().text.ids, ids) << "it reads the same";
  EXPECT_EQ(screen().experiment().view.name, "training");
  EXPECT_EQ(screen().trace().experiment().model->folder(), early.folder);
  EXPECT_TRUE(screen().workbench().session().modified());
  // The others are still to be found from there.
  const Checkpoint late = model().checkpoints().back();
  click_target("loss." + late.name);
  EXPECT_EQ(model().name(), late.name);
  undo();
  EXPECT_EQ(model().name(), early.name);
  undo();
  EXPECT_EQ(model().name(), "induction");
  EXPECT_FALSE(screen().workbench().session().modified());
}

TEST_F(TrainingCheckpoints, AClickOnAHeadOpensItAsItWasThen) {
  const Checkpoint early = model().checkpoints()[2];
  // Of points that lie on one another the last one is clicked.
  const auto& targets = screen().workbench().shown_figure().figure().targets;
  const auto last = std::find_if(targets.rbegin(), targets.rend(), [&](const TargetMark& target) {
    return target.id.starts_with("measure.") && target.id.ends_with("." + early.name);
  });
  ASSERT_NE(last, targets.rend());
  const auto wanted = std::get<OpenCheckpoint>(last->click);
  click_target(last->id);
  EXPECT_EQ(model().name(), early.name);
  EXPECT_EQ(screen().experiment().view.name, "head");
  for (const auto& [name, value] : wanted.view->values)
    EXPECT_EQ(view_options(screen().experiment().view)->values.at(name), value) << name;
  undo();
  EXPECT_EQ(model().name(), "induction");
  EXPECT_EQ(screen().experiment().view.name, "training") << "one step for Undo";
}

TEST_F(TrainingCheckpoints, OneThatIsGoneIsNamedAndTheModelStays) {
  const TemporaryFolder folder;
  const std::filesystem::path copy = folder / "induction";
  std::filesystem::copy(kInduction, copy, std::filesystem::copy_options::recursive);
  open(copy);
  const Checkpoint early = model().checkpoints()[1];
  std::filesystem::remove(std::filesystem::path(early.folder) / "model.safetensors");
  const auto& targets = screen().workbench().shown_figure().figure().targets;
  const auto head = std::find_if(targets.rbegin(), targets.rend(), [&](const TargetMark& target) {
    return target.id.starts_with("measure.") && target.id.ends_with("." + early.name);
  });
  ASSERT_NE(head, targets.rend());
  for (const std::string& id : {"loss." + early.name, std::string(head->id)}) {
    click_target(id);
    EXPECT_TRUE(screen().state().message.is_error);
    EXPECT_NE(screen().state().message.text.find(early.name), std::string::npos) << screen().state().message.text;
    EXPECT_EQ(model().folder(), copy.string());
    EXPECT_EQ(screen().experiment().view.name, "training");
  }
}

}  // namespace
}  // namespace attnscope::test
