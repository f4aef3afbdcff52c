#include "io/figures/animation_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "io/base/program.h"
#include "support/background_thread.h"
#include "support/disk.h"
#include "support/png_bytes.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names(const std::string& path, std::size_t count) {
  const auto made = series_names(path, count);
  if (!made) return {made.error().message};
  std::vector<std::string> texts;
  for (const fs::path& each : *made) texts.push_back(each.string());
  return texts;
}

TEST(AnimationFile, TheEndingSaysWhatItIs) {
  EXPECT_EQ(animation_format("a.PNG").value(), AnimationFormat::png);
  EXPECT_EQ(animation_format("x/b.gif").value(), AnimationFormat::gif);
  EXPECT_EQ(animation_format("c.Mp4").value(), AnimationFormat::mp4);
  for (const char* name : {"a.svg", "a", "a.gif/", "", ".mp4x"}) {
    const auto format = animation_format(name);
    ASSERT_FALSE(format) << name;
    EXPECT_EQ(format.error().kind, Error::Kind::usage);
    EXPECT_NE(format.error().message.find("must end in .gif, .mp4 or .png (one file per frame)"), std::string::npos);
  }
}

TEST(AnimationFile, SeriesAreNumberedWhereTheNameSaysSo) {
  using List = std::vector<std::string>;
  EXPECT_EQ(names("a-%04d.png", 2), (List{"a-0001.png", "a-0002.png"}));
  EXPECT_EQ(names("x/%dth.png", 2), (List{"x/1th.png", "x/2th.png"}));
  EXPECT_EQ(names("%02d.png", 101).back(), "101.png");
  EXPECT_EQ(names("a.png", 2), (List{"a-0001.png", "a-0002.png"}));
  EXPECT_EQ(names("a.b.png", 1), (List{"a.b-0001.png"}));
  EXPECT_EQ(names("50%% of %d.png", 1), (List{"50% of 1.png"}));
  EXPECT_EQ(names("50%%.png", 1), (List{"50%-0001.png"}));
  EXPECT_EQ(names("100%s/a%d.png", 1), (List{"100%s/a1.png"})) << "folders have the names that they have";
}

TEST(AnimationFile, NoOtherPatternIsTaken) {
  for (const char* name : {"%s.png", "%n.png", "%.png", "%4d.png", "%00d.png", "%010d.png", "%-4d.png", "%ld.png",
                           "%x.png", "%*d.png", "%d%d.png", "a%", "%0", "%04", "%d-%s.png"}) {
    const auto made = series_names(name, 1);
    ASSERT_FALSE(made) << name << " became " << made->front();
    EXPECT_EQ(made.error().kind, Error::Kind::usage);
    EXPECT_TRUE(is_one_line(made.error().message));
    EXPECT_NE(made.error().message.find("%d or %01d to %09d"), std::string::npos);
  }
}

TEST(Program, EndsAsItEnds) {
  EXPECT_EQ(run_to_end({{"true"}}).value(), ProgramEnd::done);
  EXPECT_EQ(run_to_end({{"false"}}).value(), ProgramEnd::failed);
  EXPECT_EQ(run_to_end({{"attnscope-there-is-no-such-program"}}).value(), ProgramEnd::missing);
  EXPECT_EQ(run_to_end({{"sh", "-c", "kill -9 $$"}}).value(), ProgramEnd::failed);
}

TEST(Program, RunsWhereAndWithWhatItIsTold) {
  const TemporaryFolder folder;
  folder.file("in", "what it reads");
  EXPECT_EQ(
      run_to_end({{"sh", "-c", "cat > got; echo trouble >&2"}, folder / "in", folder.path(), folder / "said"}).value(),
      ProgramEnd::done);
  EXPECT_EQ(bytes_of(folder / "got"), "what it reads");
  EXPECT_EQ(bytes_of(folder / "said"), "trouble\n");
}

TEST(Program, IsStopped) {
  StopSource source;
  const auto start = std::chrono::steady_clock::now();
  const BackgroundThread stopping([&source](const StopToken&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    source.request_stop();
  });
  EXPECT_EQ(run_to_end({{"sleep", "60"}}, source.token()).value(), ProgramEnd::stopped);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(run_to_end({{"sleep", "60"}}, source.token()).value(), ProgramEnd::stopped) << "it does not begin";
}

/// Frames with one colour each.
Result<void> add_frames(StagedFrames& frames, int count, int times = 1) {
  for (int i = 0; i < count; ++i) {
    const std::string pixel = {static_cast<char>(40 * i), '\x20', '\x40'};
    std::string pixels;
    for (int j = 0; j < 15; ++j) pixels += pixel;
    if (Result<void> added = frames.add(png_bytes_of(5, 3, pixels), times); !added) return added;
  }
  return {};
}

TEST(StagedFrames, LeaveNothingButWhatIsPutInPlace) {
  const TemporaryFolder folder;
  {
    auto frames = StagedFrames::create_beside(folder / "a.png");
    ASSERT_TRUE(frames);
    ASSERT_TRUE(add_frames(*frames, 2));
    EXPECT_EQ(folder.size(), 1) << "the staging folder";
    ASSERT_TRUE(frames->move_to({folder / "a.png", folder / "b.png"}));
  }
  EXPECT_EQ(folder.size(), 2);
  EXPECT_TRUE(bytes_of(folder / "a.png").starts_with("\x89PNG"));
  EXPECT_NE(bytes_of(folder / "a.png"), bytes_of(folder / "b.png"));
}

TEST(StagedFrames, ReplaceAllOrNone) {
  const TemporaryFolder folder;
  folder.file("a.png", "old");
  fs::create_directory(folder / "b.png");
  auto frames = StagedFrames::create_beside(folder / "a.png");
  ASSERT_TRUE(frames);
  ASSERT_TRUE(add_frames(*frames, 2));
  const Result<void> moved = frames->move_to({folder / "a.png", folder / "b.png"});
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().message, (folder / "b.png").string() + ": is a folder, not a file");
  EXPECT_EQ(bytes_of(folder / "a.png"), "old");
}

TEST(StagedFrames, KeepLinksAndPermissions) {
  const TemporaryFolder folder;
  const fs::path real = folder.file("real.png", "old");
  fs::permissions(real, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real.png", folder / "a.png");
  {
    auto frames = StagedFrames::create_beside(folder / "a.png");
    ASSERT_TRUE(frames);
    ASSERT_TRUE(add_frames(*frames, 1));
    ASSERT_TRUE(frames->move_to({folder / "a.png"}));
  }
  EXPECT_TRUE(fs::is_symlink(folder / "a.png"));
  EXPECT_TRUE(bytes_of(real).starts_with("\x89PNG"));
  EXPECT_EQ(fs::status(real).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(StagedFrames, NeedAFolder) {
  const TemporaryFolder folder;
  const auto frames = StagedFrames::create_beside(folder / "missing/a.png");
  ASSERT_FALSE(frames);
  EXPECT_EQ(frames.error().message, (folder / "missing/a.png").string() + ": No such file or directory");
}

/// The properties of the first stream from ffprobe, separated by commas.
std::string probed(const fs::path& file, const std::string& entries) {
  const fs::path said = file.parent_path() / "probed";
  EXPECT_EQ(shell("ffprobe -v error -count_frames -show_entries " + entries + " -of csv=p=0 '" + file.string() +
                  "' > '" + said.string() + "'"),
            0);
  const std::string text = bytes_of(said);
  return text.substr(0, text.find_last_not_of("\n,") + 1);
}

class Videos : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!check_ffmpeg("x.gif") || run_to_end({{"ffprobe", "-version"}}) != ProgramEnd::done)
      GTEST_SKIP() << "ffmpeg is not installed";
  }

  /// A video of that many frames, each shown so many times, alone in a folder.
  std::string make(const std::string& name, int count, int times, double rate) const {
    const fs::path path = folder_ / name;
    auto frames = StagedFrames::create_beside(path);
    EXPECT_TRUE(frames);
    EXPECT_TRUE(add_frames(*frames, count, times));
    const auto made = frames->make_video(rate, path, {255, 255, 255}, "what it shows", {});
    EXPECT_TRUE(made) << made.error().message;
    EXPECT_TRUE(made && move_into_place(*made, path));
    return bytes_of(path);
  }

  TemporaryFolder folder_;
};

TEST_F(Videos, HaveEveryFrame) {
  make("a.gif", 4, 1, 10);
  EXPECT_EQ(probed(folder_ / "a.gif", "stream=width,height,r_frame_rate,nb_read_frames"), "5,3,10/1,4");
  make("a.mp4", 4, 1, 0.5);
  EXPECT_EQ(probed(folder_ / "a.mp4", "stream=width,height,r_frame_rate,nb_read_frames"), "6,4,1/2,4")
      << "sides of H.264 are even";
  EXPECT_EQ(probed(folder_ / "a.mp4", "stream=codec_name,pix_fmt,color_space"), "h264,yuv420p,bt709");
  EXPECT_EQ(probed(folder_ / "a.mp4", "format_tags=comment"), "what it shows");
}

TEST_F(Videos, HoldFramesAsLongAsTheyAreToBeSeen) {
  make("a.gif", 2, 3, 2);
  EXPECT_EQ(probed(folder_ / "a.gif", "stream=nb_read_frames"), "6");
  EXPECT_EQ(probed(folder_ / "a.gif", "format=duration"), "3.000000");
}

TEST_F(Videos, AreTheSameForTheSameFrames) {
  for (const char* name : {"a.gif", "a.mp4"}) EXPECT_EQ(make(name, 3, 2, 5), make(name, 3, 2, 5)) << name;
}

TEST_F(Videos, PercentSignsInFoldersMeanNothing) {
  fs::create_directory(folder_ / "a%d -i b");
  make("a%d -i b/-v.gif", 2, 1, 5);
  EXPECT_EQ(probed(folder_ / "a%d -i b/-v.gif", "stream=nb_read_frames"), "2");
}

/// Noise, which does not become small.
std::string noise() {
  std::string pixels;
  for (std::uint32_t i = 0, state = 1; i < 3 * 64 * 64; ++i) {
    state = state * 1664525U + 1013904223U;
    pixels += static_cast<char>(state >> 24U);
  }
  return png_bytes_of(64, 64, pixels);
}

/// The size of a video of one frame, made while the disk has room for that many pages more; nothing if that failed.
std::optional<std::uintmax_t> size_on_disk(const fs::path& path, std::optional<std::uintmax_t> pages) {
  const fs::path disk = path.parent_path();
  auto frames = StagedFrames::create_beside(path);
  if (!frames || !frames->add(noise())) return std::nullopt;
  if (pages) {
    fill_disk(disk);
    fs::resize_file(disk / "filler", fs::file_size(disk / "filler") - *pages * 4096);
  }
  const auto made = frames->make_video(10, path, {}, {}, {});
  const auto size = made ? std::optional(fs::file_size(*made)) : std::nullopt;
  fs::remove(disk / "filler");
  return size;
}

TEST_F(Videos, AreWholeOrAnErrorOnAFullDisk) {
  fs::create_directory(folder_ / "disk");
  const auto faults = in_own_process([&]() -> std::optional<std::string> {
    if (!mount_small_disk(folder_ / "disk", 1 << 18)) return std::nullopt;
    std::string found;
    for (const char* name : {"a.mp4", "a.gif"}) {
      const auto whole = size_on_disk(folder_ / "disk" / name, std::nullopt);
      if (!whole) found += std::string(name) + " cannot be written at all\n";
      for (const std::uintmax_t pages : {1U, 2U}) {
        if (const auto size = size_on_disk(folder_ / "disk" / name, pages); size && size != whole)
          found += std::string(name) + " is cut off on " + std::to_string(pages) + " pages\n";
      }
    }
    return found;
  });
  if (!faults) GTEST_SKIP() << "this system lets nobody mount a disk of their own";
  EXPECT_EQ(*faults, "");
}

TEST_F(Videos, WhatFfmpegSaysIsOneLine) {
  const fs::path path = folder_ / "a.mp4";
  auto frames = StagedFrames::create_beside(path);
  ASSERT_TRUE(frames && frames->add("this is no picture"));
  const auto made = frames->make_video(10, path, {}, {}, {});
  ASSERT_FALSE(made);
  EXPECT_TRUE(is_one_line(made.error().message));
  EXPECT_TRUE(made.error().message.starts_with(path.string() + ": ffmpeg could not write it: "))
      << made.error().message;
  EXPECT_EQ(made.error().message.find(" @ 0x"), std::string::npos) << "no addresses: " << made.error().message;
}

}  // namespace
}  // namespace attnscope::test
