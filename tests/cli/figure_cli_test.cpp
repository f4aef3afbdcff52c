// Figures on the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"
#include "support/png_bytes.h"

namespace attnscope::test {
namespace {

/// Writes a figure that way; returns what was printed.
std::string write_a_figure(Arguments arguments, const std::filesystem::path& to) {
  arguments.insert(arguments.begin(), "figure");
  arguments.insert(arguments.end(), {"-o", to.string()});
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(CliFigure, IsAnExperimentToEveryCommand) {
  const TemporaryFolder folder;
  for (const char* name : {"figure.png", "figure.svg", "figure.pdf"}) {
    const std::string file = (folder / name).string();
    EXPECT_EQ(write_a_figure({"worked-example", "--set", "heads=2", "--set", "seed=7", "--view", "heads"}, file), "");
    write_a_figure({file}, folder / (std::string("again-") + name));
    EXPECT_EQ(bytes_of(folder / (std::string("again-") + name)), bytes_of(file)) << "with the view, as it was";
    EXPECT_NE(run_program({"script", file}).out.find("torch.manual_seed(7)"), std::string::npos);
    EXPECT_EQ(run_program({"explain", file, "weights[1,0,0]"}).code, 0);
    EXPECT_EQ(run_program({"explain", file, "weights[2,0,0]"}).code, 2) << "there are two heads";
    EXPECT_EQ(run_program({"metrics", file}).code, 0);
    EXPECT_EQ(run_program({"trace", file, "--set", "seed=8", "-o", (folder / "x.json").string()}).code, 0);
    EXPECT_EQ(nlohmann::json::parse(bytes_of(folder / "x.json"))["experiment"]["seed"], 8);
  }
}

TEST(CliFigure, KeepsWhatItComparesWith) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a.svg").string();
  write_a_figure({"worked-example", "--set", "seed=7", "--view", "compare", "--pinned", "worked-example"}, file);
  write_a_figure({file}, folder / "b.svg");
  EXPECT_EQ(bytes_of(folder / "b.svg"), bytes_of(file));
  // Another view of the same compares nothing.
  EXPECT_EQ(write_a_figure({file, "--view", "heads", "--caption"}, folder / "c.svg").find("compared"),
            std::string::npos);
}

TEST(CliFigure, TheCaptionIsPrintedOnRequest) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      write_a_figure({"worked-example", "--set", "mask=causal", "--view", "heads", "--caption"}, folder / "a.svg"),
      "worked-example: mask = causal; seed 42; view heads; attnscope " ATTNSCOPE_TEST_VERSION "\n");
}

TEST(CliFigure, PicturesWithoutAnExperimentAreRefused) {
  const TemporaryFolder folder;
  const std::string png = folder.file("photo.png", png_bytes_of(1, 1, "abc")).string();
  const std::string svg = folder.file("drawing.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").string();
  const std::string pdf = folder.file("paper.pdf", "%PDF-1.4\n").string();
  for (const std::string& file : {png, svg, pdf}) {
    const std::string says = file + ": holds no experiment; figures that attnscope writes do";
    expect_refused({"script", file}, 1, {says});
    expect_refused({"figure", file, "-o", (folder / "x.pdf").string()}, 1, {says});
    expect_refused({file}, 1, {says});
  }
  EXPECT_EQ(folder.size(), 3);
}

}  // namespace
}  // namespace attnscope::test
