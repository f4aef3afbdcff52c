// What hostile files and mistakes must not do: run code, overwrite inputs.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "refusal.h"
#include "support/tiny_model.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = ATTNSCOPE_SOURCE_DIR "/tests/support/python";

bool has_python() { return shell("python3 --version >/dev/null 2>&1") == 0; }

/// An npz archive with members of these names, each [2, 3].
void make_archive(const TemporaryFolder& folder, const fs::path& archive, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += name + '\n';
  const fs::path file = folder.file("names", list);
  ASSERT_EQ(shell("python3 '" + std::string(kPython) + "/make_archive.py' '" + archive.string() + "' '" +
                  file.string() + "'"),
            0);
}

/// The output of the script for these tensors, run in `folder` without PyTorch.
std::string run_script(const TemporaryFolder& folder, const Arguments& experiment) {
  Arguments arguments = {"script"};
  arguments.insert(arguments.end(), experiment.begin(), experiment.end());
  arguments.insert(arguments.end(), {"-o", (folder / "script.py").string()});
  const Outcome written = run_program(arguments);
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(shell("cd '" + folder.path().string() + "' && PYTHONPATH='" + kPython +
                  "/stubs' PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8 python3 script.py >printed 2>&1"),
            0)
      << bytes_of(folder / "printed") << bytes_of(folder / "script.py");
  return bytes_of(folder / "printed");
}

TEST(CliScripts, NamesOfTensorsDoNotRun) {
  if (!has_python()) GTEST_SKIP() << "no Python";
  const TemporaryFolder folder;
  const std::vector<std::string> names = {R"("+str(__import__("os").system("touch pwned"))+")",
                                          R"("]+[__import__("os").system("touch pwned")][0:0]+[")",
                                          "\\",
                                          "a\"\"\"b",
                                          "plain",
                                          "Zürich",
                                          std::string(300, 'n')};
  make_archive(folder, folder / "own.npz", names);
  const std::string printed = run_script(folder, {(folder / "own.npz").string(), "--set", "use=tensors"});
  for (const std::string& name : names)
    EXPECT_NE(printed.find("given." + name + " "), std::string::npos) << name << " is not in\n" << printed;
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), std::ssize(names) + 1) << printed;
  EXPECT_FALSE(fs::exists(folder / "pwned"));
}

TEST(CliScripts, FindTheFileWhateverItIsCalled) {
  if (!has_python()) GTEST_SKIP() << "no Python";
  const TemporaryFolder folder;
  for (const std::string& name :
       {std::string(120, 'x') + "/" + std::string(100, 'y') + ".npz", std::string("quote\" and \\ and '\n.npz"),
        std::string("not utf-8 \xff.npz"), std::string("Zürich 猫.NPZ")}) {
    fs::create_directories((folder / name).parent_path());
    make_archive(folder, folder / "made", {"attention"});
    fs::rename(folder / "made", folder / name);
    EXPECT_NE(run_script(folder, {(folder / name).string()}).find("weights  [2, 3]"), std::string::npos) << name;
  }
}

TEST(CliScripts, FindTheFileBehindALinkToAFolder) {
  if (!has_python()) GTEST_SKIP() << "no Python";
  const TemporaryFolder folder;
  fs::create_directories(folder / "away/there");
  fs::create_directory_symlink(folder / "away/there", folder / "link");
  make_archive(folder, folder / "away/own.npz", {"attention"});
  folder.file("own.npz", "another file");
  EXPECT_NE(run_script(folder, {(folder / "link/../own.npz").string()}).find("weights  [2, 3]"), std::string::npos);
}

TEST(CliOutputs, NeverGoOverAnInput) {
  const TemporaryFolder folder;
  const std::string trace = (folder / "own.safetensors").string();
  ASSERT_EQ(run_program({"trace", "worked-example", "-o", trace}).code, 0);
  fs::create_directory_symlink(folder.path(), folder / "link");
  fs::create_symlink(trace, folder / "soft.npz");
  fs::create_hard_link(trace, folder / "hard.json");
  const std::string before = bytes_of(trace);
  for (const std::string& output : {trace, (folder / "link/own.safetensors").string(), (folder / "soft.npz").string(),
                                    (folder / "hard.json").string(),
                                    (folder / "link/../" / folder.path().filename() / "own.safetensors").string()}) {
    expect_refused({"trace", trace, "-o", output}, 1, {": this command reads it as the experiment"});
    EXPECT_EQ(bytes_of(trace), before) << output;
  }
  // Also from standard input.
  expect_refused({"trace", "-", "-o", trace}, 1, {"reads it as the experiment"}, {{}, "", trace});
  expect_refused({"script", trace, "-o", trace}, 1, {"reads it as the experiment"});
  // A file that is not an input may be overwritten.
  EXPECT_EQ(run_program({"trace", trace, "-o", (folder / "other.npz").string()}).code, 0);
  EXPECT_EQ(run_program({"trace", trace, "-o", (folder / "other.npz").string()}).code, 0);
  EXPECT_EQ(run_program({"script", "worked-example", "-o", "/dev/null"}).code, 1) << "a device, no input";
}

TEST(CliOutputs, NeverGoOverWhatAnExperimentNames) {
  const TemporaryFolder folder;
  const std::string trace = (folder / "own.safetensors").string();
  ASSERT_EQ(run_program({"trace", "worked-example", "-o", trace}).code, 0);
  std::string bytes = bytes_of(trace);
  bytes.replace(bytes.find("attnscope-trace/1"), 17, "somebody-elses/01");
  folder.file("own.safetensors", bytes);
  const std::string own = folder
                              .file("own.json", R"({"format": "attnscope-experiment/1", "system": "own-tensors",
"params": {"use": "tensors"}, "tensors": "own.safetensors"})")
                              .string();
  expect_refused({"trace", own, "-o", trace}, 1,
                 {"own.safetensors: this command reads it as the experiment's tensors"});
  expect_refused({"script", own, "-o", trace}, 1, {"as the experiment's tensors"});

  const std::string labels = folder.file("labels.json", R"(["a", "b"])").string();
  expect_refused({"trace", "worked-example", "--labels", labels, "-o", labels}, 1, {"reads it as --labels"});
  const std::string figure = (folder / "figure.png").string();
  ASSERT_EQ(run_program({"figure", "worked-example", "-o", figure}).code, 0);
  const std::string picture = bytes_of(figure);
  expect_refused({"figure", figure, "-o", figure}, 1, {"as the experiment"});
  expect_refused(
      {"figure", "image-self-attention", "--picture", figure, "-o", (folder / "a.svg").string(), "-o", figure}, 1,
      {"as --picture"});
  EXPECT_FALSE(fs::exists(folder / "a.svg"));
  expect_refused({"figure", "worked-example", "--view", "compare", "--pinned", figure, "-o", figure}, 1,
                 {"as --pinned"});
  // One file of a series.
  fs::copy(figure, folder / "frames-0002.png");
  expect_refused({"animate", (folder / "frames-0002.png").string(), "--sweep", "tokens=2:4", "-o",
                  (folder / "frames.png").string()},
                 1, {"frames-0002.png: this command reads it"});
  // A file that a lesson names.
  fs::copy(trace, folder / "own-0001.png");
  const fs::path lesson = folder.file("lesson.json", R"({"format": "attnscope-lesson/1", "title": "t", "source": "s",
"summary": "u", "steps": [{"title": "a", "text": "b", "look": "c", "experiment": {"format": "attnscope-experiment/1",
"system": "own-tensors", "params": {"use": "tensors"}, "view": {"name": "tensor"}, "tensors": "own-0001.png"}}]})");
  expect_refused({"animate", "--lesson", lesson.string(), "-o", (folder / "own.png").string()}, 1,
                 {"own-0001.png: this command reads it as the experiment's tensors"});
  EXPECT_EQ(bytes_of(figure), picture);
  EXPECT_EQ(bytes_of(folder / "frames-0002.png"), picture);
  EXPECT_FALSE(fs::exists(folder / "frames-0001.png"));
}

TEST(CliOutputs, NeverGoOverAPartOfAModel) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  for (const char* name : {"own.model", "added_tokens.json", "config.json"}) {
    const std::string output = (folder / name).string();
    if (!fs::exists(output)) folder.file(name, "{}");
    const std::string before = bytes_of(output);
    expect_refused({"script", folder.path().string(), "-o", output}, 1,
                   {std::string(name) + ": this command reads it as a part of the model"});
    EXPECT_EQ(bytes_of(output), before) << name;
  }
}

TEST(CliHostile, AnUnknownViewIsNamedWithItsFile) {
  const TemporaryFolder folder;
  const std::string file =
      folder
          .file("e.json",
                R"({"format": "attnscope-experiment/1", "system": "worked-example", "view": {"name": "hedas"}})")
          .string();
  expect_refused({"figure", file, "-o", (folder / "f.png").string()}, 1, {"e.json: ", "\"hedas\"", "heads"});
  expect_refused({"animate", file, "--sweep", "tokens=2:3", "-o", (folder / "f.gif").string()}, 1,
                 {"e.json: ", "\"hedas\""});
  expect_refused({file}, 1, {"e.json: ", "\"hedas\""});
}

TEST(CliHostile, StandardInputThatIsNone) {
  for (const char* command : {"metrics", "script"})
    expect_refused({command, "-"}, 1, {"standard input: is a folder"}, {{}, "", "/tmp"});
  expect_refused({"-"}, 1, {"standard input: is a folder"}, {{}, "", "/tmp"});
  EXPECT_EQ(shell(ATTNSCOPE_PROGRAM " metrics - <&- 2>&1 | grep -q 'standard input: Bad file descriptor'"), 0);
}

TEST(CliHostile, InstructionsThatThereAreNot) {
  const auto with = [](const char* value) { return Surroundings{{{"ATTNSCOPE_KERNELS", value}}, ""}; };
  for (const Arguments& arguments :
       {Arguments{"metrics", "worked-example"}, {"systems"}, {"worked-example"}, Arguments{}}) {
    expect_refused(arguments, 2, {"ATTNSCOPE_KERNELS: \"garbage\" is not allowed; allowed: baseline"}, with("garbage"));
  }
  EXPECT_EQ(run_program({"metrics", "worked-example"}, with("")).code, 0);
  EXPECT_EQ(run_program({"metrics", "worked-example"}, with("baseline")).code, 0);
  const Outcome bare = run_program({"metrics", "worked-example"}, with("avx512"));
  if (bare.code == 0) return;
  EXPECT_EQ(bare.code, 2);
  EXPECT_NE(bare.err.find("not supported by this processor"), std::string::npos) << bare.err;
}

TEST(CliHostile, AMistypedCommandIsTheWordThatIsWrong) {
  expect_refused({"figrue", "worked-example", "-o", "x.png"}, 2, {"unknown command \"figrue\"; did you mean figure?"});
  expect_refused({"--themee", "dark"}, 2, {"option \"--themee\" is unknown; did you mean --theme?"});
  expect_refused({"figrue", "worked-example"}, 2, {"unknown command \"figrue\"; did you mean figure?"});
  expect_refused({"nothing-like-it", "worked-example"}, 2,
                 {"unknown command \"nothing-like-it\"; the commands are trace, figure, animate"});
  expect_refused({"worked-example", "worked-example"}, 2, {"\"worked-example\": unexpected argument"});
}

TEST(CliHostile, WithoutADisplayEveryCommandIsNamed) {
  const Outcome outcome = run_program({});
  EXPECT_EQ(outcome.code, 1);
  for (const char* command :
       {"trace", "figure", "animate", "explain", "metrics", "script", "systems", "views", "bench need no display"})
    EXPECT_NE(outcome.err.find(command), std::string::npos) << command << " is not in " << outcome.err;
}

}  // namespace
}  // namespace attnscope::test
