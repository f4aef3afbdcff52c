// Experiments and other files, as the window opens, saves, exports and reads them again.
#include <chrono>
#include <thread>

#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class Files : public Interface {
 protected:
  [[nodiscard]] ui::Dialog dialog() { return screen().state().dialog.open; }

  TemporaryFolder folder_;
};

TEST_F(Files, SaveAsksForAPathOnceAndThenKnowsIt) {
  change_tokens();
  EXPECT_TRUE(screen().workbench().session().modified());
  screen().key_with_control('S');
  EXPECT_EQ(dialog(), ui::Dialog::save);
  const std::filesystem::path path = folder_ / "lesson.json";
  confirm(path);
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_EQ(bytes_of(path), experiment_json(screen().experiment()));
  EXPECT_FALSE(screen().workbench().session().modified());
  EXPECT_EQ(screen().workbench().window_title(), "lesson.json — attnscope");

  undo();
  EXPECT_TRUE(screen().workbench().session().modified());
  screen().key_with_control('S');
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_EQ(bytes_of(path), experiment_json(screen().experiment()));

  screen().key_with_control('S', true);
  EXPECT_EQ(dialog(), ui::Dialog::save);
  confirm(folder_ / "copy.json");
  EXPECT_EQ(bytes_of(folder_ / "copy.json"), bytes_of(path));
}

TEST_F(Files, OpenReplacesTheDocument) {
  Experiment other = *default_experiment("worked-example");
  other.seed = 7;
  other.parameters["heads"] = Index{2};
  other.view.name = "heads";
  const std::filesystem::path path = folder_.file("other.json", experiment_json(other));
  change_tokens();
  const Experiment changed = screen().experiment();
  screen().key_with_control('O');
  EXPECT_EQ(dialog(), ui::Dialog::open);
  confirm(path);
  EXPECT_EQ(dialog(), ui::Dialog::unsaved) << "what is edited is asked about first";
  EXPECT_EQ(screen().experiment(), changed);
  screen().click_item("Unsaved edits", {std::string("Don’t save")});
  screen().settle();
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_EQ(screen().experiment(), other);
  EXPECT_EQ(screen().trace().experiment(), other);
  EXPECT_FALSE(screen().workbench().session().modified());
  // Whoever thinks better of it has it back.
  undo();
  EXPECT_EQ(screen().experiment(), changed);
  EXPECT_TRUE(screen().workbench().session().modified());
  EXPECT_EQ(screen().workbench().session().file(), "");
}

TEST_F(Files, WhatOthersWriteIntoTheOpenFileIsReadAgain) {
  const auto path = folder_.file("open.json", experiment_json(*default_experiment("worked-example")));
  screen().workbench().open_files({path.string()});
  screen().settle();
  Experiment other = *default_experiment("worked-example");
  other.seed = 77;
  const auto write_and_wait = [&] {
    screen().state().message.text.clear();
    std::filesystem::rename(folder_.file("new.json", experiment_json(other)), path);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (screen().state().message.text.empty() && std::chrono::steady_clock::now() < end) {
      screen().frame(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    screen().settle();
  };
  write_and_wait();
  EXPECT_EQ(screen().experiment(), other);
  EXPECT_EQ(screen().state().message.text, "reloaded " + path.string() + ", which another program changed");
  // Saving it from here is no such change.
  change_tokens();
  screen().key_with_control('S');
  screen().settle();
  const Experiment saved = screen().experiment();
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  screen().frame(2);
  EXPECT_EQ(screen().state().message.text, "wrote " + path.string());
  EXPECT_EQ(screen().experiment(), saved);
  // What is not saved is not replaced before the user says so.
  undo();
  const Experiment unsaved = screen().experiment();
  other.seed = 78;
  write_and_wait();
  EXPECT_EQ(screen().experiment(), unsaved);
  EXPECT_EQ(screen().state().message.text, "another program changed " + path.string() + "; F5 reloads it");
  screen().workbench().press({platform::KeyPress::kF5});
  screen().frame(2);
  screen().settle();
  EXPECT_EQ(screen().experiment(), other);
  undo();
  EXPECT_EQ(screen().experiment(), unsaved);
}

TEST_F(Files, QuittingAsksWhatBecomesOfEdits) {
  const std::string before = experiment_json(*default_experiment("worked-example"));
  const auto path = folder_.file("open.json", before);
  screen().workbench().open_files({path.string()});
  screen().settle();
  change_tokens();
  screen().key_with_control('Q');
  screen().frame(2);
  EXPECT_TRUE(screen().is_open("Unsaved edits"));
  screen().key(kEscape);
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_FALSE(screen().workbench().wants_to_quit());
  // Nor does it end when it cannot save.
  std::filesystem::remove_all(folder_.path());
  screen().key_with_control('Q');
  screen().frame(2);
  screen().key(kEnter);
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::save) << "where it can be said";
  EXPECT_TRUE(is_one_line(screen().state().dialog.error));
  EXPECT_FALSE(screen().workbench().wants_to_quit());
  std::filesystem::create_directory(folder_.path());
  screen().key(kEnter);
  screen().frame(2);
  EXPECT_EQ(bytes_of(path), experiment_json(screen().experiment()));
  EXPECT_NE(bytes_of(path), before);
  EXPECT_TRUE(screen().workbench().wants_to_quit());
}

TEST_F(Files, ChangesAreLeftBehindOnRequest) {
  const std::string before = experiment_json(*default_experiment("worked-example"));
  const auto path = folder_.file("open.json", before);
  screen().workbench().open_files({path.string()});
  screen().settle();
  change_tokens();
  screen().workbench().ask_to_quit();
  screen().frame(2);
  screen().click_item("Unsaved edits", {std::string("Don’t save")});
  EXPECT_TRUE(screen().workbench().wants_to_quit());
  EXPECT_EQ(bytes_of(path), before);
}

TEST_F(Files, AskedWhatBecomesOfANewDocumentSavesItUnderAName) {
  change_tokens();
  screen().key_with_control('Q');
  screen().frame(2);
  EXPECT_FALSE(screen().workbench().wants_to_quit()) << "it is in no file at all";
  screen().click_item("Unsaved edits", {std::string("Save")});
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::save);
  const Experiment edited = screen().experiment();
  confirm(folder_ / "new.json");
  EXPECT_EQ(bytes_of(folder_ / "new.json"), experiment_json(edited));
  EXPECT_TRUE(screen().workbench().wants_to_quit());
}

TEST_F(Files, AQuestionThatIsClosedLeavesEverything) {
  change_tokens();
  screen().key_with_control('Q');
  screen().frame(2);
  screen().click_item("Unsaved edits", {std::string("Save")});
  screen().frame(2);
  screen().click_item("Save the experiment", {std::string("Cancel")});
  screen().frame(2);
  // Saving later is saving, and no end.
  screen().key_with_control('S');
  confirm(folder_ / "later.json");
  EXPECT_FALSE(screen().workbench().wants_to_quit());
}

TEST_F(Files, WhatExistsIsReplacedOnlyOnRequest) {
  const auto path = folder_.file("kept.json", "somebody's");
  change_tokens();
  screen().key_with_control('S');
  confirm(path);
  EXPECT_EQ(dialog(), ui::Dialog::save);
  EXPECT_EQ(screen().state().dialog.question, "kept.json already exists. Replace it?");
  EXPECT_EQ(bytes_of(path), "somebody's");
  // Another name is another question.
  screen().click_item("Save the experiment", {std::string("##path")});
  confirm(folder_ / "free.json");
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_EQ(bytes_of(path), "somebody's");
  screen().key_with_control('S', true);
  confirm(path);
  EXPECT_EQ(bytes_of(path), "somebody's");
  screen().key(kEnter);
  screen().settle();
  EXPECT_EQ(bytes_of(path), experiment_json(screen().experiment())) << "pressing Enter once more is an answer";
  EXPECT_EQ(screen().workbench().session().file(), path.string());
}

TEST_F(Files, NamesThatAreProposedAreFree) {
  const auto path = folder_.file("open.json", experiment_json(*default_experiment("worked-example")));
  screen().workbench().open_files({path.string()});
  screen().settle();
  folder_.file("open-flow.pdf", "");
  folder_.file("open.safetensors", "");
  const auto proposed = [&](int key, bool shift) {
    screen().key_with_control(key, shift);
    screen().frame(2);
    const std::string name = screen().state().dialog.path;
    screen().state().dialog.open = ui::Dialog::none;
    screen().frame(2);
    return name;
  };
  EXPECT_EQ(proposed('S', true), (folder_ / "open-2.json").string());
  EXPECT_EQ(proposed('E', false), (folder_ / "open-flow-2.pdf").string());
  EXPECT_EQ(proposed('E', true), (folder_ / "open-2.safetensors").string());
}

TEST_F(Files, TheSecondWindowOnADocumentAsksBeforeItSaves) {
  const auto path = folder_.file("open.json", experiment_json(*default_experiment("worked-example")));
  screen().workbench().open_files({path.string()});
  screen().settle();
  change_tokens();
  Experiment other = *default_experiment("worked-example");
  other.seed = 99;
  folder_.file("open.json", experiment_json(other));
  screen().key_with_control('S');
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::save);
  EXPECT_EQ(screen().state().dialog.question,
            "open.json was changed by another program since it was opened here. Replace it?");
  EXPECT_EQ(bytes_of(path), experiment_json(other));
  screen().click_item("Save the experiment", {std::string("Replace")});
  screen().settle();
  EXPECT_EQ(bytes_of(path), experiment_json(screen().experiment()));
}

TEST_F(Files, ALessonIsNotSavedOverTheOpenFile) {
  const std::string before = experiment_json(*default_experiment("worked-example"));
  const auto path = folder_.file("open.json", before);
  screen().workbench().open_files({path.string()});
  screen().settle();
  Lesson lesson;
  lesson.title = "A lesson";
  lesson.steps.resize(1);
  lesson.steps[0].experiment = *default_experiment("scaled-dot-product");
  Session& session = screen().workbench().workspace().session();
  ASSERT_TRUE(session.apply({OpenLesson{std::make_shared<const Lesson>(lesson)}, 0}));
  ASSERT_TRUE(session.apply({SetSeed{5}, 0}));
  screen().settle();
  EXPECT_EQ(screen().workbench().window_title(), "A lesson (edited) — attnscope");
  screen().key_with_control('S');
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::save) << "it has no file";
  EXPECT_NE(screen().state().dialog.path, path.string());
  screen().state().dialog.open = ui::Dialog::none;
  screen().frame(2);
  screen().key_with_control('Q');
  screen().frame(2);
  screen().click_item("Unsaved edits", {std::string("Don’t save")});
  EXPECT_TRUE(screen().workbench().wants_to_quit());
  EXPECT_EQ(bytes_of(path), before);
}

TEST_F(Files, QuittingAsksNothingWhereNothingIsEdited) {
  screen().workbench().open_files(
      {folder_.file("open.json", experiment_json(*default_experiment("worked-example"))).string()});
  screen().settle();
  screen().key_with_control('Q');
  EXPECT_TRUE(screen().workbench().wants_to_quit()) << "nothing is changed";
}

TEST_F(Files, CancelAndEscapeLeaveEverything) {
  const Experiment before = screen().experiment();
  screen().key_with_control('O');
  screen().frame(2);
  screen().click_item("Open an experiment", {std::string("Cancel")});
  EXPECT_EQ(dialog(), ui::Dialog::none);
  screen().key_with_control('O');
  screen().frame(2);
  screen().type("nonsense");
  screen().key(kEscape);
  screen().frame(2);
  if (dialog() != ui::Dialog::none) screen().key(kEscape);  // the first one may end the typing
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_FALSE(screen().is_open("Open an experiment"));
}

struct Unreadable {
  const char* name;
  const char* text;  ///< null: there is no such file
};

void PrintTo(const Unreadable& file, std::ostream* out) { *out << file.name; }

class UnreadableFile : public Files, public ::testing::WithParamInterface<Unreadable> {};

TEST_P(UnreadableFile, KeepsTheDocumentAndSaysSo) {
  change_tokens();
  const Experiment before = screen().experiment();
  const std::filesystem::path path = folder_ / GetParam().name;
  if (GetParam().text != nullptr) folder_.file(GetParam().name, GetParam().text);
  screen().key_with_control('O');
  confirm(path);
  EXPECT_EQ(dialog(), ui::Dialog::open) << "to correct the path";
  EXPECT_TRUE(is_one_line(screen().state().dialog.error));
  EXPECT_NE(screen().state().dialog.error.find(GetParam().name), std::string::npos) << screen().state().dialog.error;
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_TRUE(screen().workbench().session().can_undo());
  screen().click_item("Open an experiment", {std::string("Cancel")});

  // Dropped on the window.
  screen().workbench().open_files({path.string()});
  screen().settle();
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_EQ(dialog(), ui::Dialog::none);
}

INSTANTIATE_TEST_SUITE_P(
    All, UnreadableFile,
    ::testing::Values(
        Unreadable{"missing.json", nullptr}, Unreadable{"empty.json", ""}, Unreadable{"no-json.json", "hello"},
        Unreadable{"half.json", R"({"format": "attnscope-exp)"},
        Unreadable{"system.json", R"({"format": "attnscope-experiment/1", "system": "nope"})"},
        Unreadable{"value.json",
                   R"({"format": "attnscope-experiment/1", "system": "worked-example", "params": {"tokens": 0}})"},
        Unreadable{
            "memory.json",
            R"({"format": "attnscope-experiment/1", "system": "worked-example", "params": {"tokens": 200000000}})"},
        Unreadable{"view.json",
                   R"({"format": "attnscope-experiment/1", "system": "worked-example", "view": {"name": "nope"}})"},
        Unreadable{
            "option.json",
            R"({"format": "attnscope-experiment/1", "system": "worked-example", "view": {"name": "flow", "options": {"head": 0}}})"}));

TEST_F(Files, ADirectoryIsNoExperiment) {
  screen().workbench().open_files({folder_.path().string()});
  screen().settle();
  EXPECT_TRUE(screen().state().message.is_error);
}

TEST_F(Files, ADroppedFileIsOpened) {
  Experiment other = *default_experiment("worked-example");
  other.parameters["tokens"] = Index{3};
  screen().workbench().open_files({folder_.file("dropped.json", experiment_json(other)).string()});
  screen().settle();
  EXPECT_EQ(screen().experiment(), other);
  EXPECT_FALSE(screen().state().message.is_error);
}

TEST_F(Files, FiguresAreExported) {
  struct Kind {
    const char* name;
    const char* start;
  };
  for (const Kind kind : {Kind{"figure.pdf", "%PDF-"}, Kind{"figure.png", "\x89PNG"}, Kind{"figure.svg", "<?xml"}}) {
    screen().key_with_control('E');
    EXPECT_EQ(dialog(), ui::Dialog::export_figure);
    confirm(folder_ / kind.name);
    EXPECT_EQ(dialog(), ui::Dialog::none) << screen().state().dialog.error;
    EXPECT_TRUE(bytes_of(folder_ / kind.name).starts_with(kind.start)) << kind.name;
    EXPECT_NE(screen().state().message.text.find(kind.name), std::string::npos);
  }
  EXPECT_EQ(screen().experiment(), *default_experiment("worked-example"));
}

TEST_F(Files, TensorsAreExported) {
  screen().key_with_control('E', true);
  EXPECT_EQ(dialog(), ui::Dialog::export_trace);
  confirm(folder_ / "tensors.npz");
  EXPECT_EQ(dialog(), ui::Dialog::none) << screen().state().dialog.error;
  EXPECT_TRUE(bytes_of(folder_ / "tensors.npz").starts_with("PK"));
}

TEST_F(Files, WhatCannotBeWrittenIsSaid) {
  for (const char* name : {"figure.bmp", "nowhere/figure.pdf"}) {
    screen().key_with_control('E');
    confirm(folder_ / name);
    EXPECT_EQ(dialog(), ui::Dialog::export_figure);
    EXPECT_TRUE(is_one_line(screen().state().dialog.error));
    screen().click_item("Export the view as a figure", {std::string("Cancel")});
  }
  EXPECT_EQ(folder_.size(), 0);
}

}  // namespace
}  // namespace attnscope::test
