// Figures on the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "refusal.h"
#include "support/png_bytes.h"

namespace attnscope::test {
namespace {

/// Writes a figure with these arguments; returns the output.
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
  // Another view has no baseline.
  EXPECT_EQ(write_a_figure({file, "--view", "heads", "--caption"}, folder / "c.svg").find("compared"),
            std::string::npos);
}

TEST(CliFigure, TheCaptionIsPrintedOnRequest) {
  const TemporaryFolder folder;
  const std::string sentence =
      "Attention weights of all 4 heads, self-attention and cross-attention, for 6 tokens and 3 queries of a second "
      "sequence: rows are queries, columns keys; a causal mask hides later keys. Colours: attention weight from violet "
      "(0) to yellow (1).";
  const std::string caption =
      sentence + " worked-example: mask = causal; seed 42; view heads; attnscope " ATTNSCOPE_TEST_VERSION "\n";
  const Arguments causal = {"worked-example", "--set", "mask=causal", "--view", "heads"};
  Arguments with = causal;
  with.emplace_back("--caption");
  EXPECT_EQ(write_a_figure(with, folder / "a.svg"), caption);
  const auto is_below = [&](const char* file) {
    const std::string svg = bytes_of(folder / file);
    return svg.find(">Attention weights of all 4 heads", svg.find("</desc>")) != std::string::npos;
  };
  EXPECT_TRUE(is_below("a.svg"));
  write_a_figure(causal, folder / "b.svg");
  EXPECT_FALSE(is_below("b.svg"));
  EXPECT_NE(bytes_of(folder / "b.svg").find("<desc>" + sentence), std::string::npos) << "in every file";
  Arguments only = {"figure", "--caption-only"};
  only.insert(only.end(), causal.begin(), causal.end());
  EXPECT_EQ(run_program(only).out, caption);
  only.erase(only.begin() + 1);
  expect_refused(only, 2, {"-o is missing"});
}

TEST(CliFigure, HasTheSizeAndTheTypeThatAreAskedFor) {
  const TemporaryFolder folder;
  const std::string svg = (folder / "a.svg").string();
  const auto written = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), {"worked-example", "--view", "heads"});
    write_a_figure(arguments, svg);
    return bytes_of(svg);
  };
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(contains(written({"--width", "12.7cm", "--height", "4"}), "width=\"5in\" height=\"4in\""));
  // 13 px at 96 dpi are 9.75 pt: twice the points, twice the pixels.
  EXPECT_TRUE(contains(written({}), "font-size=\"13\""));
  EXPECT_TRUE(contains(written({"--font-size", "19.5", "--width", "14"}), "font-size=\"26\""));
}

TEST(CliFigure, AFigureThatOnlySaysWhyIsNone) {
  const TemporaryFolder folder;
  const std::filesystem::path svg = folder / "a.svg";
  expect_refused({"figure", "worked-example", "--view", "compare", "--option", "against=pinned", "-o", svg.string()}, 1,
                 {"view compare: No baseline yet: "});
  EXPECT_FALSE(std::filesystem::exists(svg));
}

TEST(CliFigure, SaysWhichOptionsChangeNothing) {
  const auto said = [](const std::string& what, const Arguments& more) {
    Arguments arguments = {"figure", what, "--caption-only"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome ran = run_program(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.err;
  };
  EXPECT_EQ(said("worked-example", {"--view", "head", "--option", "attention=cross", "--option", "head=2"}), "");
  EXPECT_EQ(said("worked-example", {"--set", "cross_queries=0", "--view", "head", "--option", "attention=cross"}),
            "attnscope: warning: --option attention changes nothing here\n");
  const std::string dates = std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/dates";
  EXPECT_EQ(said(dates, {"--text", "3 may 2021", "--text2", "2021", "--view", "head", "--option", "attention=cross"}),
            "attnscope: warning: --option attention changes nothing here; layer chooses the attention, cross-attention "
            "too\n");
}

TEST(CliFigure, SaysWhereTypeIsSmallerThanAsked) {
  const TemporaryFolder folder;
  const std::string svg = (folder / "a.svg").string();
  const auto said = [&](const Arguments& more) {
    Arguments arguments = {"figure", "worked-example", "--view", "metrics", "-o", svg};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome ran = run_program(arguments);
    EXPECT_EQ(ran.code, 0);
    return ran.err;
  };
  const std::string small = said({"--font-size", "12"});
  EXPECT_TRUE(small.starts_with("attnscope: warning: --font-size: text is ")) << small;
  // On the page that it names, the text has its size: 12 pt are 16 px.
  EXPECT_EQ(said({"--font-size", "12", "--width", roomy_page(small)}), "");
  EXPECT_NE(bytes_of(svg).find("font-size=\"16\""), std::string::npos);
  const std::string metric = said({"--font-size", "12", "--width", "17cm"});
  EXPECT_TRUE(roomy_page(metric).ends_with(" cm")) << metric;
  EXPECT_EQ(said({"--font-size", "12", "--width", roomy_page(metric)}), "");
  EXPECT_NE(said({"--font-size", "9.75", "--width", "5"}), "") << "asked for, though it is the usual one";
  EXPECT_EQ(said({}), "") << "nobody asked for a size";
}

TEST(CliFigure, LeavesOutWhatIsNotWanted) {
  const TemporaryFolder folder;
  const std::string svg = (folder / "a.svg").string();
  const auto has = [&](const Arguments& more, const char* part) {
    Arguments arguments = {"worked-example", "--view", "head"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    write_a_figure(arguments, svg);
    return bytes_of(svg).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has({}, ">Head 1, self-attention<") && has({}, ">attention weight<") && has({}, ">0.369<"));
  EXPECT_TRUE(has({}, ">cat<"));
  EXPECT_FALSE(has({"--no-title"}, ">Head 1, self-attention<"));
  EXPECT_FALSE(has({"--no-colorbar"}, ">attention weight<"));
  EXPECT_FALSE(has({"--no-values"}, ">0.369<"));
  EXPECT_FALSE(has({"--no-labels"}, ">cat<"));
  EXPECT_FALSE(has({}, ">0.7<"));
  EXPECT_TRUE(has({"--colormap", "greys", "--range", "0,0.7"}, "id=\"greys\""));
  EXPECT_TRUE(has({"--colormap", "greys", "--range", "0,0.7"}, ">0.7<"));
}

TEST(CliFigure, OptionsOfTheViewAreSet) {
  const TemporaryFolder folder;
  const std::string svg = (folder / "a.svg").string();
  write_a_figure({"worked-example", "--view", "head", "--option", "head=3", "--option", "of=scores"}, svg);
  EXPECT_NE(bytes_of(svg).find(">Head 3, self-attention<"), std::string::npos);
  EXPECT_EQ(bytes_of(svg).find(">attention weight<"), std::string::npos) << "it shows the scores";
  // It is part of the experiment in the figure.
  const std::string again = (folder / "b.svg").string();
  write_a_figure({svg, "--option", "of=weights"}, again);
  EXPECT_NE(bytes_of(again).find(">Head 3, self-attention<"), std::string::npos);
  EXPECT_NE(bytes_of(again).find(">attention weight<"), std::string::npos);
  const auto refused = [&](const char* view, const char* option, const std::vector<std::string>& fragments) {
    expect_refused({"figure", "worked-example", "--view", view, "--option", option, "-o", svg}, 2, fragments);
  };
  refused("head", "head", {"--option \"head\": write NAME=VALUE"});
  refused("head", "head=x", {"--option head: \"x\"", "allowed: whole numbers from 1"});
  refused("head", "of=queries", {"--option of: \"queries\"", "weights or scores"});
  refused("head", "hed=1", {"view option \"hed\" is unknown to head", "allowed: attention"});
  refused("hed", "head=1", {"view: \"hed\" is unknown"});
  expect_refused({"figure", "worked-example", "--view", "head", "--option", "head=9", "-o", svg}, 1,
                 {"view option head: 9", "1 to 4"});
}

TEST(CliFigure, IsWrittenInSeveralFormatsAtOnce) {
  const TemporaryFolder folder;
  write_a_figure({"worked-example", "-o", (folder / "a.svg").string(), "-o", (folder / "a.pdf").string()},
                 folder / "a.png");
  EXPECT_EQ(folder.size(), 3);
  write_a_figure({"worked-example"}, folder / "b.svg");
  EXPECT_EQ(bytes_of(folder / "b.svg"), bytes_of(folder / "a.svg"));
}

TEST(CliFigure, WrongOptionsAreRefused) {
  const TemporaryFolder folder;
  const auto refused = [&](const Arguments& options, const std::string& says) {
    Arguments arguments = {"figure", "worked-example", "-o", (folder / "x.svg").string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    expect_refused(arguments, 2, {says});
  };
  refused({"--width", "wide"}, "--width: \"wide\" is not allowed; allowed: a length such as 5, 5in, 12.7cm or 127mm");
  refused({"--width", "1cm"}, "width of 0.3937 inches: must be 0.5 to 100");
  refused({"--height", "0"}, "--height: \"0\" is not allowed");
  refused({"--height", "201"}, "height of 201 inches: must be 0.5 to 200");
  refused({"--font-size", "2"}, "type of 2 points: must be 3 to 48");
  refused({"--font-size", "big"}, "--font-size");
  refused({"--colormap", "jet"},
          "--colormap: \"jet\" is not allowed; allowed: viridis, magma, red_blue, greys, brightness or blue_brown");
  refused({"--range", "1,0"}, "--range: \"1,0\" is not allowed");
  refused({"-o", (folder / "x.gif").string()}, "must end in .png, .svg or .pdf");
  EXPECT_EQ(folder.size(), 0);
}

TEST(CliFigure, PicturesWithoutAnExperimentAreRefused) {
  const TemporaryFolder folder;
  const std::string png = folder.file("photo.png", png_bytes_of(1, 1, "abc")).string();
  const std::string svg = folder.file("drawing.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").string();
  const std::string pdf = folder.file("paper.pdf", "%PDF-1.4\n").string();
  for (const std::string& file : {png, svg, pdf}) {
    const std::string says = file + ": contains no experiment; figures written by attnscope do";
    expect_refused({"script", file}, 1, {says});
    expect_refused({"figure", file, "-o", (folder / "x.pdf").string()}, 1, {says});
    expect_refused({file}, 1, {says});
  }
  EXPECT_EQ(folder.size(), 3);
}

}  // namespace
}  // namespace attnscope::test
