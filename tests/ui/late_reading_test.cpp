// Files that take a while, while the window goes on.
#include <chrono>

#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class LateReading : public Interface {};

// Reading takes a while, in which another document can be opened.
TEST_F(LateReading, WhatIsReadAgainForOneDocumentDoesNotReplaceAnother) {
  const TemporaryFolder folder;
  Experiment experiment = *default_experiment("worked-example");
  const Index tokens = 500;
  experiment.parameters["tokens"] = tokens;
  Mask mask;
  mask.kind = Mask::Kind::array;
  mask.shape = {tokens, tokens};
  mask.keep.assign(static_cast<std::size_t>(tokens * tokens), true);
  mask.keep.back() = false;
  experiment.parameters["mask"] = mask;
  const auto path = folder.file("open.json", experiment_json(experiment));
  InterfaceOptions options;
  options.patience = std::chrono::milliseconds(0);
  start(options);
  screen().workbench().open_files({path.string()});
  screen().settle();
  ASSERT_EQ(screen().workbench().session().file(), path.string());
  screen().workbench().press({platform::KeyPress::kF5});
  screen().frame(1);
  screen().workbench().workspace().open(*default_experiment("hand-made-heads"), {}, {});
  screen().settle();
  EXPECT_EQ(screen().experiment().system, "hand-made-heads");
}

// A second of numbers, as text; the window does not wait for them.
TEST_F(LateReading, TensorsAreWrittenBesideTheWindow) {
  const TemporaryFolder folder;
  InterfaceOptions options;
  options.patience = std::chrono::milliseconds(0);
  start(options);
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["tokens"] = Index{400};
  screen().workbench().workspace().open(experiment, {}, {});
  screen().settle();
  screen().key_with_control('E', true);
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::export_trace);
  const std::string path = (folder / "tensors.json").string();
  screen().frame(2);
  screen().retype(path);
  screen().key(kEnter);
  screen().frame(1);
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none) << screen().state().dialog.error;
  EXPECT_TRUE(screen().workbench().busy());
  EXPECT_FALSE(std::filesystem::exists(path));
  screen().settle();
  EXPECT_EQ(screen().state().message.text, "wrote " + path);
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace attnscope::test
