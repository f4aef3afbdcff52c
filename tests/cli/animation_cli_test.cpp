// Animations on the command line.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "refusal.h"
#include "support/png_bytes.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

/// Small sizes keep the tests fast.
const Arguments kSmallFrames = {"--view", "heads", "--dpi", "30"};

Arguments animate(const Arguments& more, const std::string& output, bool small = true) {
  Arguments all = {"animate"};
  all.insert(all.end(), more.begin(), more.end());
  if (small) all.insert(all.end(), kSmallFrames.begin(), kSmallFrames.end());
  all.insert(all.end(), {"-o", output});
  return all;
}

void expect_written(const Arguments& arguments, const Surroundings& surroundings = {}) {
  const Outcome outcome = run_program(arguments, surroundings);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err + outcome.out, "");
}

Surroundings with_path() {
  const char* path = std::getenv("PATH");
  return {{{"PATH", path != nullptr ? path : "/usr/bin:/bin"}}, "", "/dev/null"};
}

bool has_ffmpeg() { return shell("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") == 0; }

/// Width and height of a PNG file.
std::string size_of(const fs::path& png) { return bytes_of(png).substr(16, 8); }

/// The experiment in a frame, as the program reads it.
nlohmann::json experiment_of(const fs::path& frame) {
  const TemporaryFolder folder;
  const std::string trace = (folder / "x.json").string();
  EXPECT_EQ(run_program({"trace", frame.string(), "-o", trace}).code, 0);
  return nlohmann::json::parse(bytes_of(trace))["experiment"];
}

std::string probed(const fs::path& file, const std::string& entries) {
  const TemporaryFolder folder;
  shell("ffprobe -v error -count_frames -show_entries " + entries + " -of csv=p=0 '" + file.string() + "' > '" +
        (folder / "said").string() + "'");
  const std::string text = bytes_of(folder / "said");
  return text.substr(0, text.find_last_not_of("\n,") + 1);
}

TEST(CliAnimation, FramesAreFilesThatOpenAsTheirExperiments) {
  const TemporaryFolder folder;
  expect_written(animate({"worked-example", "--sweep", "tokens=2:4"}, (folder / "a-%02d.png").string()));
  EXPECT_EQ(folder.size(), 3);
  for (int i = 0; i < 3; ++i) {
    const fs::path frame = folder / ("a-0" + std::to_string(i + 1) + ".png");
    EXPECT_EQ(experiment_of(frame)["params"]["tokens"], i + 2);
    EXPECT_EQ(size_of(frame), size_of(folder / "a-01.png")) << "however many tokens there are";
  }
  EXPECT_NE(bytes_of(folder / "a-01.png"), bytes_of(folder / "a-02.png"));
}

TEST(CliAnimation, SaysWhereTypeIsSmallerThanAsked) {
  const TemporaryFolder folder;
  const auto said = [&](const Arguments& more) {
    Arguments arguments = {"animate", "worked-example", "--sweep", "heads=1,3", "--view",
                           "metrics", "--dpi",          "20",      "-o",        (folder / "a.png").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome ran = run_program(arguments);
    EXPECT_EQ(ran.code, 0);
    return ran.err;
  };
  EXPECT_EQ(said({}), "") << "nobody asked for a size";
  const std::string note = said({"--font-size", "12"});
  EXPECT_TRUE(note.starts_with("attnscope: warning: --font-size: text is ")) << note;
  EXPECT_EQ(said({"--font-size", "12", "--width", roomy_page(note)}), "");
  const std::string metric = said({"--font-size", "12", "--width", "17cm", "--height", "8cm", "--no-note"});
  EXPECT_TRUE(roomy_page(metric).ends_with(" cm")) << metric;
}

TEST(CliAnimation, EverythingThatIsNamedGoesThroughItsValues) {
  const TemporaryFolder folder;
  const auto swept = [&](const std::string& system, const std::string& sweep, const std::string& view) {
    expect_written(
        {"animate", system, "--sweep", sweep, "--view", view, "--dpi", "20", "-o", (folder / "a.png").string()});
    std::vector<nlohmann::json> experiments;
    for (int i = 1;; ++i) {
      const fs::path frame = folder / ("a-000" + std::to_string(i) + ".png");
      if (!fs::exists(frame)) return experiments;
      experiments.push_back(experiment_of(frame));
      fs::remove(frame);
    }
  };
  auto all = swept("worked-example", "seed=7:9", "heads");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2]["seed"], 9);
  all = swept("worked-example", "discard=5,0", "heads");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["discard"], 5);
  all = swept("worked-example", "temperature=0.1:0.3:0.1", "heads");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2]["params"]["temperature"], 0.3);
  all = swept("worked-example", "scale", "heads");
  ASSERT_EQ(all.size(), 2U) << "both choices";
  EXPECT_EQ(all[1]["params"]["scale"], "sqrt_head_dim");
  all = swept("worked-example", "mask=none,window:1", "heads");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1]["params"]["mask"], "window:1");
  all = swept("projected-multihead", "heads=1:8", "heads");
  ASSERT_EQ(all.size(), 4U) << "1, 2, 4 and 8 divide 32";
  EXPECT_EQ(all[3]["params"]["heads"], 8);
  all = swept("worked-example", "head=1:2", "head");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1]["view"]["options"]["head"], 2);
  all = swept("worked-example", "view.heads", "lines");
  ASSERT_EQ(all.size(), 2U) << "that of the view, not the number of heads";
  EXPECT_EQ(all[1]["view"]["options"]["heads"], "all");
}

TEST(CliAnimation, WhatIsPaintedFollowsAsUnderASlider) {
  const TemporaryFolder folder;
  expect_written(animate(
      {"worked-example", "--set", "mask=[[true,false],[true,true]]", "--set", "tokens=2", "--sweep", "tokens=2:3"},
      (folder / "a.png").string()));
  EXPECT_EQ(experiment_of(folder / "a-0002.png")["params"]["mask"][0][1], false);
}

TEST(CliAnimation, NeedsNoFfmpegForFrames) {
  const TemporaryFolder folder;
  const Surroundings nothing = {{{"PATH", folder.path().string()}}, "", "/dev/null"};
  expect_written(animate({"worked-example", "--sweep", "seed=1:2"}, (folder / "a.png").string()), nothing);
  EXPECT_EQ(folder.size(), 2);
  for (const char* name : {"b.gif", "b.mp4"}) {
    expect_refused(animate({"worked-example", "--sweep", "seed=1:2"}, (folder / name).string()), 1,
                   {std::string(name) + ": GIF and MP4 files need the program ffmpeg, which is not installed; a series "
                                        "of PNG files (.png) does not"},
                   nothing);
  }
  EXPECT_EQ(folder.size(), 2) << "nothing is left";
}

TEST(CliAnimation, FailuresOfFfmpegAreSaidAndLeaveTheOldFile) {
  const TemporaryFolder folder;
  const TemporaryFolder programs;
  folder.file("a.gif", "old");
  const Surroundings surroundings = {{{"PATH", programs.path().string() + ":/usr/bin:/bin"}}, "", "/dev/null"};
  // On a full disk it ends with 0 as well.
  for (const char* code : {"1", "0"}) {
    const fs::path program = programs.file(
        "ffmpeg", "#!/bin/sh\necho '[out#0/gif @ 0x1234] [error] no luck' >&2\n: > video-1\nexit " + std::string(code));
    fs::permissions(program, fs::perms::owner_all);
    expect_refused(animate({"worked-example", "--sweep", "seed=1:2"}, (folder / "a.gif").string()), 1,
                   {(folder / "a.gif").string() + ": ffmpeg could not write it: no luck"}, surroundings);
    EXPECT_EQ(bytes_of(folder / "a.gif"), "old");
    EXPECT_EQ(folder.size(), 1);
  }
}

TEST(CliAnimation, AFileBeyondTheLimitOfTheShellIsAnError) {
  const TemporaryFolder folder;
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Outcome outcome = run_program(animate({"worked-example", "--sweep", "seed=1:2"}, (folder / "a.png").string()));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "attnscope: " + (folder / "a-0001.png").string() + ": File too large\n");
  EXPECT_EQ(folder.size(), 0);
}

TEST(CliAnimation, VideosHaveEveryFrameInOneSize) {
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  const TemporaryFolder folder;
  Arguments arguments = animate({"worked-example", "--sweep", "tokens=2:5", "--fps", "4", "--height", "2.5"},
                                (folder / "a.gif").string());
  arguments.insert(arguments.end(), {"-o", (folder / "a.mp4").string(), "-o", (folder / "a.png").string()});
  expect_written(arguments, with_path());
  EXPECT_EQ(folder.size(), 6) << "two videos and four frames";
  EXPECT_EQ(probed(folder / "a.gif", "stream=width,height,r_frame_rate,nb_read_frames"), "210,75,4/1,4");
  EXPECT_EQ(probed(folder / "a.mp4", "stream=width,height,r_frame_rate,nb_read_frames"), "210,76,4/1,4");
  EXPECT_EQ(probed(folder / "a.mp4", "format_tags=comment").find("worked-example: tokens = 2; seed 42; view heads"),
            0U);
}

TEST(CliAnimation, ALessonIsAnAnimationToo) {
  const TemporaryFolder folder;
  expect_written({"animate", "--lesson", "convolution", "--dpi", "20", "-o", (folder / "a.png").string()});
  EXPECT_EQ(folder.size(), 7);
  EXPECT_EQ(experiment_of(folder / "a-0001.png")["system"], "conv-attention");
  EXPECT_EQ(size_of(folder / "a-0001.png"), size_of(folder / "a-0007.png"));
  if (!has_ffmpeg()) GTEST_SKIP() << "ffmpeg is not installed";
  const fs::path lesson = fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/lessons/17-convolution.json";
  expect_written({"animate", "--lesson", lesson.string(), "--dpi", "20", "-o", (folder / "a.gif").string()},
                 with_path());
  EXPECT_GT(std::stod(probed(folder / "a.gif", "format=duration")), 7 * 8) << "there are words to be read";
  expect_written(
      {"animate", "--lesson", "17-convolution", "--fps", "2", "--dpi", "20", "-o", (folder / "b.gif").string()},
      with_path());
  EXPECT_EQ(probed(folder / "b.gif", "format=duration"), "3.500000");
}

TEST(CliAnimation, PlaysTheComputationOfOneQueryMomentByMoment) {
  const TemporaryFolder folder;
  const Arguments small = {"--set", "tokens=2", "--set", "features=3", "--set", "head_dim=2", "--set", "heads=1"};
  const auto played = [&](const std::string& view, const std::string& name) {
    Arguments arguments = {"animate", "worked-example", "--play", "--view", view, "--option", "query=2"};
    arguments.insert(arguments.end(), small.begin(), small.end());
    arguments.insert(arguments.end(), {"--dpi", "20", "-o", (folder / name).string()});
    expect_written(arguments);
  };
  played("dot", "dot-%02d.png");
  // Two products, the score, that of the other key, the powers and the weights.
  EXPECT_EQ(folder.size(), 6);
  EXPECT_EQ(experiment_of(folder / "dot-03.png")["view"]["options"]["moment"], 3);
  EXPECT_EQ(experiment_of(folder / "dot-03.png")["view"]["options"]["query"], 2);
  EXPECT_EQ(size_of(folder / "dot-01.png"), size_of(folder / "dot-06.png"));
  EXPECT_NE(bytes_of(folder / "dot-01.png"), bytes_of(folder / "dot-02.png"));
  played("flow", "flow-%02d.png");
  // The same, two weighted values, the heads side by side and the output.
  EXPECT_EQ(experiment_of(folder / "flow-10.png")["view"]["options"]["moment"], 10);
  EXPECT_EQ(folder.size(), 6 + 10);
  expect_refused({"animate", "worked-example", "--play", "--view", "heads", "-o", (folder / "a.png").string()}, 2,
                 {"--play: the view heads has nothing to play; allowed: --view flow, dot"});
  expect_refused({"animate", "worked-example", "--play", "--sweep", "heads=1:2", "-o", (folder / "a.png").string()}, 2,
                 {"--play: it goes through the moments of one experiment; allowed: without --sweep"});
  expect_refused(
      {"animate", "projected-multihead", "--play", "--set", "score=additive", "-o", (folder / "a.png").string()}, 1,
      {"--play: Additive scores are not dot products."});
  expect_refused({"figure", "worked-example", "--option", "moment=99", "-o", (folder / "a.svg").string()}, 1,
                 {"view option moment: 99 is not allowed; the view has 0 to "});
}

TEST(CliAnimation, ALessonIsThereInOtherLanguages) {
  const TemporaryFolder folder;
  const auto picture = [&](const std::string& name, const Arguments& language) {
    Arguments arguments = {"animate", "--lesson", "convolution", "--dpi", "20", "-o", (folder / name).string()};
    arguments.insert(arguments.end(), language.begin(), language.end());
    expect_written(arguments);
    return bytes_of(folder / (name.substr(0, 1) + "-0001.png"));
  };
  const std::string english = picture("a.png", {});
  EXPECT_EQ(picture("b.png", {"--language", "en"}), english);
  EXPECT_NE(picture("c.png", {"--language", "de"}), english);
  EXPECT_EQ(experiment_of(folder / "c-0001.png"), experiment_of(folder / "a-0001.png"));
}

TEST(CliAnimation, WhatIsWrongIsSaidBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const auto refused = [&](const Arguments& more, int code, const std::string& says,
                           const std::string& name = "a.png") {
    expect_refused(animate(more, (folder / name).string(), false), code, {says});
    EXPECT_EQ(folder.size(), 0) << says;
  };
  const auto sweep_refused = [&](const std::string& sweep, const std::string& says) {
    refused({"worked-example", "--sweep", sweep}, 2, "--sweep " + says);
  };
  sweep_refused("hedas=1:2", "parameter \"hedas\" is unknown to worked-example and its view flow; did you mean heads?");
  sweep_refused("heads", "heads: its values are missing; write heads=FROM:TO, heads=FROM:TO:STEP or heads=A,B,C");
  sweep_refused("heads=0:3", "heads: 0 is not allowed; allowed: whole numbers from 1 to 2147483647");
  sweep_refused("heads=1:3:0", "heads: a step of \"0\" is not allowed; allowed: whole numbers other than 0");
  sweep_refused("heads=1:3:-1", "heads: \"1:3:-1\" never reaches its end; allowed: a step above 0");
  sweep_refused("heads=a:3", "heads: \"a\" is not allowed");
  sweep_refused("seed=1:20000", "seed: \"1:20000\" has too many values; allowed: at most 10,000");
  sweep_refused("scale=sqrt", "scale: \"sqrt\" is not allowed; allowed: none or sqrt_head_dim");
  refused({"projected-multihead", "--sweep", "heads=1:4:1"}, 2,
          "--sweep heads: 3 does not divide hidden 32; allowed: 1, 2, 4, 8, 16, 32");
  refused({"worked-example"}, 2, "animate: --sweep, --play or --lesson is missing");
  refused({"--sweep", "heads=1:2"}, 2, "animate: EXPERIMENT is missing");
  refused({"--lesson", "by-exmaple"}, 2, "--lesson: \"by-exmaple\" is not a lesson or a file");
  refused({"--lesson", "nowhere.json"}, 1, "nowhere.json: No such file or directory");
  refused({"--lesson", "by-example", "--language", "xx"}, 2,
          "--language: the lesson is not there in \"xx\"; allowed: en, de");
  refused({"worked-example", "--sweep", "heads=1:2", "--language", "de"}, 2,
          "--language: only a lesson has languages; allowed with --lesson");
  refused({"worked-example", "--lesson", "by-example"}, 2, "--lesson: a lesson has its own experiments and views");
  for (const Arguments& other :
       {Arguments{"--text", "a"}, Arguments{"--edit", "w_q[0,1]=2"}, Arguments{"--off", "head1"},
        Arguments{"--option", "head=2"}, Arguments{"--play"}, Arguments{"--sweep", "seed=1:2"}}) {
    Arguments both = {"--lesson", "by-example"};
    both.insert(both.end(), other.begin(), other.end());
    refused(both, 2, "--lesson: a lesson has its own experiments and views, without " + other[0] + ";");
  }
  refused({"worked-example", "--sweep", "heads=1:2", "--fps", "0"}, 2,
          "--fps: \"0\" is not allowed; allowed: numbers from 0.1 to 60");
  refused({"worked-example", "--sweep", "heads=1:2", "--fps", "60"}, 2,
          "60 frames per second are not allowed in a GIF file; allowed: at most 50", "a.gif");
  refused({"worked-example", "--sweep", "heads=1:2"}, 2, "must end in .gif, .mp4 or .png (one file per frame)",
          "a.avi");
  refused({"worked-example", "--sweep", "heads=1:2"}, 2, "may have one %d or %01d to %09d", "a%s.png");
  refused({"worked-example", "--sweep", "heads=1:2"}, 1, "No such file or directory", "missing/a.png");
  refused({"worked-example", "--sweep", "heads=1:2", "-o", (folder / "b.png").string()}, 2,
          "only one series of PNG files is allowed");
  refused({"worked-example", "--sweep", "heads=1:2", "--width", "100", "--dpi", "2400"}, 1,
          "a.png: a picture 240,000 pixels wide is too large: at most 32,767 along a side and 400 million");
  refused({"worked-example", "--sweep", "heads=1:2", "--height", "0.7"}, 2, "for the note below the figure");
  refused({"worked-example", "--view", "head", "--sweep", "head=3:6"}, 1,
          "view option head: 5 is not allowed; the experiment has 1 to 4");
  refused({"worked-example", "--set", "tokens=4", "--sweep", "query=1:6"}, 1,
          "view option query: 5 is not allowed; the experiment has 1 to 4");
}

/// Begins an animation that takes minutes, and waits until it is working; nohup ignores SIGHUP.
::pid_t begin_long_animation(const TemporaryFolder& folder, bool nohup) {
  const std::string output = (folder / "a.png").string();
  const auto files = folder.size();
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::close(2);
    // Tests that run in the background of a shell ignore interruptions.
    ::signal(SIGINT, SIG_DFL);
    if (nohup) ::signal(SIGHUP, SIG_IGN);
    ::execl(ATTNSCOPE_PROGRAM, ATTNSCOPE_PROGRAM, "animate", "worked-example", "--sweep", "seed=1:9000", "-o",
            output.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 2000 && folder.size() == files; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(folder.size(), files + 1);
  return child;
}

TEST(CliAnimation, GoesOnBehindATerminalThatWasClosed) {
  const TemporaryFolder folder;
  const ::pid_t child = begin_long_animation(folder, true);
  ::kill(child, SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0) << status;
  ::kill(child, SIGTERM);
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_EQ(folder.size(), 0);
}

TEST(CliAnimation, ASeriesFindsItsTensorsWhereverOtherFilesAre) {
  const TemporaryFolder folder;
  for (const char* const each : {"given", "other", "deep/series"}) std::filesystem::create_directories(folder / each);
  const std::string tensors = (folder / "given/w.npz").string();
  ASSERT_EQ(run_program({"trace", "scaled-dot-product", "-o", tensors}).code, 0);
  ASSERT_EQ(run_program({"animate", tensors, "--sweep", "item=1:1", "--view", "heads", "-o",
                         (folder / "other/a.gif").string(), "-o", (folder / "deep/series/b.png").string()})
                .code,
            0);
  const Outcome again =
      run_program({"figure", (folder / "deep/series/b-0001.png").string(), "-o", (folder / "again.svg").string()});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err.find("no longer exists"), std::string::npos) << again.err;
}

TEST(CliAnimation, AnInterruptionLeavesNothing) {
  const TemporaryFolder folder;
  folder.file("a-0001.png", "old");
  const ::pid_t child = begin_long_animation(folder, false);
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_EQ(folder.size(), 1);
  EXPECT_EQ(bytes_of(folder / "a-0001.png"), "old");
}

}  // namespace
}  // namespace attnscope::test
