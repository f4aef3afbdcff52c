// The files of animations: a series of PNG files, or one GIF or MP4 file, which ffmpeg makes.
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
    AnimationFormatEntry{AnimationFormat::png, "PNG", ".png", " (one file per frame)"},
};

/// Frames per second that are allowed.
inline constexpr double kSlowestFrames = 0.1;
inline constexpr double kFastestFrames = 60;

/// The format for the extension of `path`, in capitals or not; a usage error names those that there are.
Result<AnimationFormat> animation_format(const std::filesystem::path& path);

/// The names of a series of `count` PNG files, numbered from 1. The file's name has %d where the number goes, or %04d
/// for a number with zeros in front; %% is a percent sign. Without either, "-0001" goes before the extension. Any other
/// % is a usage error.
Result<std::vector<std::filesystem::path>> series_names(const std::filesystem::path& path, std::size_t count);

/// All files of an animation of `count` frames under that name.
Result<std::vector<std::filesystem::path>> animation_files(const std::filesystem::path& path, std::size_t count);

/// Whether the program ffmpeg exists.
bool has_ffmpeg();

/// Fails, naming `path`, without ffmpeg, which GIF and MP4 need.
Result<void> check_ffmpeg(const std::filesystem::path& path);

/// The frames of an animation: staged one after the other, then combined.
class StagedFrames {
 public:
  /// Stages next to `path`, the place of the file or of the first one of the series.
  static Result<StagedFrames> create_beside(const std::filesystem::path& path);

  /// Adds a frame, a PNG file, which is shown `times` times.
  Result<void> add(std::string_view png, int times = 1);
  [[nodiscard]] std::size_t count() const { return times_.size(); }

  /// Makes a GIF or MP4 file from them, `rate` frames per second, and returns its place: it must be moved to `path`
  /// while this object exists. The same frames give the same file with the same ffmpeg. An MP4 file has `comment` in
  /// its metadata. Both sides of an MP4 have an even number of pixels: an odd one gets one more in `background`.
  Result<std::filesystem::path> make_video(double rate, const std::filesystem::path& path, Rgb background,
                                           const std::string& comment, const StopToken& stop);

  /// Moves the frames to `paths`, which are as many as there are frames. Nothing may follow.
  Result<void> move_to(const std::vector<std::filesystem::path>& paths) const;

 private:
  explicit StagedFrames(StagingFolder folder) : folder_(std::move(folder)) {}
  /// Errors name `path`.
  [[nodiscard]] Result<void> repeat(const std::filesystem::path& path) const;

  StagingFolder folder_;
  std::vector<int> times_;
  int videos_ = 0;
};

/// The error of every step that was stopped before its end.
Error stopped_error();

}  // namespace attnscope
