// What animations are written as: a series of PNG files, or one GIF or MP4 file, which ffmpeg makes.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "figure/style/palette.h"
#include "io/base/file.h"

namespace attnscope {

enum class AnimationFormat { gif, mp4, png };

/// A line of the table of formats.
struct AnimationFormatEntry {
  AnimationFormat format;
  const char* name;
  std::string_view extension;
  const char* note;  ///< what messages add to the extension
};
inline constexpr std::array kAnimationFormats = {
    AnimationFormatEntry{AnimationFormat::gif, "GIF", ".gif", ""},
    AnimationFormatEntry{AnimationFormat::mp4, "MP4", ".mp4", ""},
    AnimationFormatEntry{AnimationFormat::png, "PNG", ".png", " (a file for each frame)"},
};

/// Frames to the second that are allowed.
inline constexpr double kSlowestFrames = 0.1;
inline constexpr double kFastestFrames = 60;

/// The format that the name of a file asks for by its ending, in capitals or not; a usage error names those there are.
Result<AnimationFormat> animation_format(const std::filesystem::path& path);

/// The names of a series of `count` PNG files, numbered from 1. Where the number goes says %d, or %04d with zeros in
/// front, once in the name of the file; %% is a percent sign. Without either "-0001" stands before the ending. Any
/// other % is a usage error.
Result<std::vector<std::filesystem::path>> series_names(const std::filesystem::path& path, std::size_t count);

/// All files that an animation of `count` frames is written as under that name.
Result<std::vector<std::filesystem::path>> animation_files(const std::filesystem::path& path, std::size_t count);

/// Whether the program ffmpeg is there.
bool has_ffmpeg();

/// The same, without which no GIF and no MP4 can be written; otherwise says so of `path`.
Result<void> check_ffmpeg(const std::filesystem::path& path);

/// Frames on their way to a file: staged one after the other, then put together.
class StagedFrames {
 public:
  /// Beside `path`, where the file or the first one of the series is going to be.
  static Result<StagedFrames> create_beside(const std::filesystem::path& path);

  /// The next frame, a PNG file; it is shown for so many of the animation's frames.
  Result<void> add(std::string_view png, int times = 1);
  [[nodiscard]] std::size_t count() const { return times_.size(); }

  /// Makes a GIF or MP4 file of them, `rate` of them to the second, and returns where it is: to be moved to `path` as
  /// long as the frames are there. The same frames give the same file with the same ffmpeg. `comment` stands in an MP4
  /// file. Both sides of an MP4 are even numbers of pixels: an odd one gets one more, of `background`.
  Result<std::filesystem::path> make_video(double rate, const std::filesystem::path& path, Rgb background,
                                           const std::string& comment, const StopToken& stop);

  /// Puts the frames in their places, which are as many as there are frames. The last thing done with them.
  Result<void> move_to(const std::vector<std::filesystem::path>& paths) const;

 private:
  explicit StagedFrames(StagingFolder folder) : folder_(std::move(folder)) {}
  [[nodiscard]] Result<void> repeat() const;

  StagingFolder folder_;
  std::vector<int> times_;
  int videos_ = 0;
};

/// What every step says that was stopped before its end.
Error stopped_error();

}  // namespace attnscope
