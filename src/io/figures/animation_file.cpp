#include "io/figures/animation_file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/base/program.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualDigits = 4;
constexpr int kMaxDigits = 9;
constexpr std::uint64_t kMaxComplaints = 1'000'000;

/// In the staging folder: the frames, and the same with repeated ones as often as they are shown.
constexpr std::string_view kFrames = "frame-";
constexpr std::string_view kShown = "shown-";
constexpr const char* kProgram = "ffmpeg";
constexpr const char* kPalette = "palette.png";
constexpr const char* kComplaints = "complaints";

std::string numbered(std::size_t number, int digits) {
  std::string text = std::to_string(number);
  if (std::ssize(text) < digits) text.insert(0, static_cast<std::size_t>(digits) - text.size(), '0');
  return text;
}

std::string staged_name(std::string_view kind, std::size_t number) {
  return std::string(kind) + numbered(number, kMaxDigits) + ".png";
}

/// The same as ffmpeg's pattern; it counts from 1.
std::string staged_pattern(std::string_view kind) {
  return std::string(kind) + "%0" + std::to_string(kMaxDigits) + "d.png";
}

/// A name before and after the number of the frame, and the least number of digits.
struct SeriesName {
  std::string before;
  std::string behind;
  int digits = 1;
};

/// The digits of the placeholder after a % at the beginning of `text`, "d" or "04d", and its length.
std::optional<std::pair<int, std::size_t>> read_number_place(std::string_view text) {
  if (text.starts_with('d')) return std::pair{1, std::size_t{1}};
  const bool padded = text.size() >= 3 && text[0] == '0' && text[1] >= '1' && text[1] <= '0' + kMaxDigits;
  if (padded && text[2] == 'd') return std::pair{text[1] - '0', std::size_t{3}};
  return std::nullopt;
}

Result<SeriesName> parse_series_name(const fs::path& path) {
  const std::string name = path.filename().string();
  SeriesName series;
  bool numbered_already = false;
  for (std::size_t at = 0; at < name.size(); ++at) {
    std::string& part = numbered_already ? series.behind : series.before;
    if (name[at] != '%') {
      part += name[at];
      continue;
    }
    const std::string_view rest = std::string_view(name).substr(at + 1);
    if (rest.starts_with('%')) {
      part += '%';
      ++at;
      continue;
    }
    const auto place = read_number_place(rest);
    if (!place || numbered_already) {
      return fail(path_text(path) + ": the name of a series may have one %d or %01d to %09d, and %% for a percent sign",
                  Error::Kind::usage);
    }
    series.digits = place->first;
    at += place->second;
    numbered_already = true;
  }
  if (numbered_already) return series;
  const fs::path plain = series.before;
  return SeriesName{plain.stem().string() + "-", plain.extension().string(), kUsualDigits};
}

/// The first thing that ffmpeg said, on one line, without the names and addresses of the parts that said it; empty if it
/// said nothing.
std::string first_complaint(const fs::path& file) {
  const Result<std::string> said = read_file(file, kMaxComplaints);
  if (!said) return {};
  for (std::string line : split(*said, '\n')) {
    // The loader's complaint about LD_PRELOAD, which every program repeats.
    if (line.starts_with("ERROR: ld.so: ")) continue;
    while (line.starts_with('[') && line.find("] ") != std::string::npos) line.erase(0, line.find("] ") + 2);
    if (!line.empty()) return ": " + line;
  }
  return {};
}

std::string color_word(Rgb color) {
  std::array<char, 12> word{};
  std::snprintf(word.data(), word.size(), "0x%02x%02x%02x", color.red, color.green, color.blue);
  return word.data();
}

/// The arguments between the input's and the output's name.
std::vector<std::string> encoding(AnimationFormat format, Rgb background, const std::string& comment) {
  if (format == AnimationFormat::gif)
    return {"-i", kPalette, "-lavfi", "paletteuse=dither=none:diff_mode=rectangle", "-loop", "0", "-f", "gif"};
  const std::string filters = "pad=ceil(iw/2)*2:ceil(ih/2)*2:0:0:" + color_word(background) +
                              ",scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int,"
                              "format=yuv420p";
  // The colours are those that players assume, and the thin lines lose little.
  return {"-vf",
          filters,
          "-c:v",
          "libx264",
          "-preset",
          "medium",
          "-crf",
          "16",
          "-colorspace",
          "bt709",
          "-color_primaries",
          "bt709",
          "-color_trc",
          "bt709",
          "-movflags",
          "+faststart",
          "-map_metadata",
          "-1",
          "-metadata",
          "comment=" + comment,
          "-f",
          "mp4"};
}

Result<void> run_ffmpeg(const fs::path& folder, const fs::path& path, std::vector<std::string> arguments,
                        const StopToken& stop) {
  const fs::path complaints = folder / kComplaints;
  ProgramCall call;
  // Without -xerror, it takes a file whose end does not fit on the disk for written.
  call.words = {kProgram, "-v", "error", "-xerror", "-nostdin", "-y"};
  call.words.insert(call.words.end(), std::make_move_iterator(arguments.begin()),
                    std::make_move_iterator(arguments.end()));
  call.folder = folder;
  call.complaints = complaints;
  const Result<ProgramEnd> end = run_to_end(call, stop);
  if (!end) return tl::unexpected(end.error());
  const std::string complaint = first_complaint(complaints);
  switch (*end) {
    case ProgramEnd::done:
      if (complaint.empty()) return {};
      break;
    case ProgramEnd::missing: return check_ffmpeg(path);
    case ProgramEnd::stopped: return tl::unexpected(stopped_error());
    case ProgramEnd::failed: break;
  }
  return fail(path_text(path) + ": ffmpeg could not write it" + complaint);
}

}  // namespace

Error stopped_error() { return {"stopped before it was done", Error::Kind::failure}; }

Result<AnimationFormat> animation_format(const fs::path& path) {
  if (const AnimationFormatEntry* const entry = find_format(kAnimationFormats, path)) return entry->format;
  std::vector<std::string> allowed;
  allowed.reserve(kAnimationFormats.size());
  for (const AnimationFormatEntry& entry : kAnimationFormats)
    allowed.push_back(std::string(entry.extension) + entry.note);
  return fail(path_text(path) + ": an animation's name must end in " + listed(allowed, " or "), Error::Kind::usage);
}

Result<std::vector<fs::path>> series_names(const fs::path& path, std::size_t count) {
  const Result<SeriesName> series = parse_series_name(path);
  if (!series) return tl::unexpected(series.error());
  std::vector<fs::path> names;
  names.reserve(count);
  for (std::size_t number = 1; number <= count; ++number)
    names.push_back(path.parent_path() / (series->before + numbered(number, series->digits) + series->behind));
  return names;
}

Result<void> check_ffmpeg(const fs::path& path) {
  if (has_ffmpeg()) return {};
  return fail(
      path_text(path) +
      ": GIF and MP4 files need the program ffmpeg, which is not installed; a series of PNG files (.png) does not");
}

Result<std::vector<std::filesystem::path>> animation_files(const std::filesystem::path& path, std::size_t count) {
  const Result<AnimationFormat> format = animation_format(path);
  if (!format) return tl::unexpected(format.error());
  if (*format == AnimationFormat::png) return series_names(path, count);
  return std::vector<std::filesystem::path>{path};
}

bool has_ffmpeg() { return has_program(kProgram); }

Result<StagedFrames> StagedFrames::create_beside(const fs::path& path) {
  Result<StagingFolder> folder = StagingFolder::create_beside(path);
  if (!folder) return tl::unexpected(folder.error());
  return StagedFrames(std::move(*folder));
}

Result<void> StagedFrames::add(std::string_view png, int times) {
  times_.push_back(times);
  return folder_.write(staged_name(kFrames, times_.size()), png);
}

Result<void> StagedFrames::repeat(const fs::path& path) const {
  std::size_t shown = 0;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const fs::path frame = folder_.path() / staged_name(kFrames, i + 1);
    for (int again = 0; again < times_[i]; ++again) {
      const fs::path copy = folder_.path() / staged_name(kShown, ++shown);
      std::error_code error;
      fs::create_hard_link(frame, copy, error);
      // Some file systems have no links.
      if (error) fs::copy_file(frame, copy, fs::copy_options::skip_existing, error);
      if (error) return fail(path_text(path) + ": " + error.message());
    }
  }
  return {};
}

Result<fs::path> StagedFrames::make_video(double rate, const fs::path& path, Rgb background, const std::string& comment,
                                          const StopToken& stop) {
  const Result<AnimationFormat> format = animation_format(path);
  if (!format) return tl::unexpected(format.error());
  const bool repeats = std::ranges::any_of(times_, [](int times) { return times != 1; });
  if (repeats && !fs::exists(folder_.path() / staged_name(kShown, 1))) {
    if (const Result<void> done = repeat(path); !done) return tl::unexpected(done.error());
  }
  const std::vector<std::string> exact = {"-fflags", "+bitexact", "-flags:v", "+bitexact", "-threads", "1"};
  if (*format == AnimationFormat::gif) {
    // The best 256 colours for all frames together. In one run with the next step, ffmpeg would hold all frames in
    // memory.
    std::vector<std::string> arguments = {"-i", staged_pattern(kFrames), "-vf", "palettegen"};
    arguments.insert(arguments.end(), exact.begin(), exact.end());
    arguments.emplace_back(kPalette);
    if (const Result<void> done = run_ffmpeg(folder_.path(), path, std::move(arguments), stop); !done)
      return tl::unexpected(done.error());
  }
  const std::string output = "video-" + std::to_string(++videos_);
  std::vector<std::string> arguments = {"-framerate", exact_text(rate), "-i",
                                        staged_pattern(repeats ? kShown : kFrames)};
  std::ranges::move(encoding(*format, background, comment), std::back_inserter(arguments));
  arguments.insert(arguments.end(), exact.begin(), exact.end());
  arguments.push_back(output);
  if (const Result<void> done = run_ffmpeg(folder_.path(), path, std::move(arguments), stop); !done)
    return tl::unexpected(done.error());
  return folder_.path() / output;
}

Result<void> StagedFrames::move_to(const std::vector<fs::path>& paths) const {
  // All are checked before the first one is replaced.
  for (const fs::path& path : paths) {
    if (Result<void> possible = check_place(path); !possible) return possible;
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (Result<void> moved = move_into_place(folder_.path() / staged_name(kFrames, i + 1), paths[i]); !moved)
      return moved;
  }
  return {};
}

}  // namespace attnscope
