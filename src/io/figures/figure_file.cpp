#include "io/figures/figure_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "core/base/text.h"
#include "figure/model/figure_note.h"
#include "io/base/file.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/canvas/font_files.h"

namespace attnscope {
namespace {

constexpr double kSmallestWidth = 0.5;
constexpr double kMaxWidth = 100;
constexpr double kMaxHeight = 200;  // what PDF allows, 14,400 points
constexpr double kMinPoints = 3;
constexpr double kMaxPoints = 48;
constexpr int kMinDpi = 10;
constexpr int kMaxDpi = 2400;
constexpr int kMostPages = 6;  // that are tried

Result<FigurePage> make_page(const Figure& figure, const FigureFileOptions& options, const ExperimentSource* source,
                             const std::filesystem::path& folder) {
  if (const Result<void> checked = check_figure_options(options); !checked) return tl::unexpected(checked.error());
  const double width = options.width_inches;
  const bool sized = std::isfinite(figure.width) && std::isfinite(figure.height);
  if (!sized || figure.width <= 0 || figure.height <= 0) return fail("the figure is empty");
  const double free_height = width * figure.height / figure.width;
  const double height = options.height_inches > 0 ? options.height_inches : free_height;
  if (height > kMaxHeight) {
    return fail("the figure would be " + short_text(height) + " inches high at a width of " + short_text(width) +
                "; at most 200");
  }
  return FigurePage{figure, palette(options.theme), width, height, options.height_inches > 0, source, folder};
}

/// How much of its size a figure has on a page, by its width and by its height.
struct Shares {
  double across;
  double down;

  [[nodiscard]] double least() const { return std::min({across, down, 1.0}); }
  /// As far as a note that counts tenths of a point can tell.
  [[nodiscard]] bool keep_type(const FigureFileOptions& options) const {
    return options.font_points * (1 - least()) < 0.05;
  }
};

Shares shares_of(const Figure& figure, const FigureFileOptions& options) {
  const auto [width, height] = layout_size(options);
  const double across = width / figure.width;
  return {across, height > 0 ? height / figure.height : across};
}

/// That with room for what has `share` of its size in `inches`, in tenths.
double page_length(double inches, double share) { return share >= 1 ? inches : std::ceil(inches / share * 10) / 10; }

}  // namespace

Result<FigureFormat> figure_format(const std::filesystem::path& path) {
  if (const FigureFormatEntry* const entry = find_format(kFigureFormats, path)) return entry->format;
  return fail(path_text(path) + ": a figure's name must end in " + extension_list(kFigureFormats, " or "),
              Error::Kind::usage);
}

Result<void> check_figure_options(const FigureFileOptions& options) {
  const double width = options.width_inches;
  if (!(width >= kSmallestWidth && width <= kMaxWidth)) {
    return fail("width of " + short_text(width) + " inches: must be 0.5 to 100", Error::Kind::usage);
  }
  const double height = options.height_inches;
  if (height != 0 && !(height >= kSmallestWidth && height <= kMaxHeight))
    return fail("height of " + short_text(height) + " inches: must be 0.5 to 200", Error::Kind::usage);
  if (!(options.font_points >= kMinPoints && options.font_points <= kMaxPoints))
    return fail("type of " + short_text(options.font_points) + " points: must be 3 to 48", Error::Kind::usage);
  if (options.dpi < kMinDpi || options.dpi > kMaxDpi) {
    return fail("resolution of " + std::to_string(options.dpi) + " dpi: must be 10 to 2400", Error::Kind::usage);
  }
  return {};
}

Result<void> check_picture_size(const FigureFileOptions& options) {
  return check_bitmap(std::round(options.width_inches * options.dpi), std::round(options.height_inches * options.dpi),
                      png_limit());
}

LayoutSize layout_size(const FigureFileOptions& options) {
  const double pixels = kPixelsPerInch * kUsualPoints / options.font_points;
  return {options.width_inches * pixels, options.height_inches * pixels};
}

namespace {

Figure with_chosen_content(const BuildFigure& build, double width, double height, const FigureContent& content) {
  Figure figure = with_content(build(width, height), content);
  // Omitted parts leave room for the rest.
  const double freed = height - figure.height;
  if (height > 0 && freed >= 1) figure = with_content(build(width, height + freed), content);
  return figure;
}

}  // namespace

Figure figure_for_file(const BuildFigure& build, const FigureFileOptions& options) {
  const FontScope font(options.font);
  const auto [width, height] = layout_size(options);
  Figure figure = with_chosen_content(build, width, height, options.content);
  if (!options.caption || figure.sentence.empty() || !(figure.width > 0)) return figure;
  const FigureNote caption = {"", figure.sentence};
  const double room = note_height(caption, width);
  if (height > 0) {
    const double upper = std::max(1.0, height - room);
    return with_note(with_chosen_content(build, width, upper, options.content), width, upper + room, caption, room);
  }
  // A figure that needs more width is made smaller; the caption is not.
  const double upper = figure.height / std::max(1.0, figure.width / width);
  return with_note(std::move(figure), width, upper + room, caption, room);
}

double type_points(const Figure& figure, const FigureFileOptions& options) {
  return options.font_points * shares_of(figure, options).least();
}

std::optional<SmallerType> smaller_type(const BuildFigure& build, const Figure& figure,
                                        const FigureFileOptions& options) {
  if (!(figure.width > 0 && figure.height > 0)) return std::nullopt;
  Shares has = shares_of(figure, options);
  if (has.keep_type(options)) return std::nullopt;
  SmallerType type = {type_points(figure, options), options.font_points};
  // On a larger page a view may show more, which needs more room again.
  FigureFileOptions page = options;
  for (int tries = 0; tries < kMostPages && !has.keep_type(page); ++tries) {
    page.width_inches = page_length(page.width_inches, has.across);
    if (page.height_inches > 0) page.height_inches = page_length(page.height_inches, has.down);
    if (!check_figure_options(page)) return type;
    const Figure larger = figure_for_file(build, page);
    if (!(larger.width > 0 && larger.height > 0)) return type;  // building was stopped
    has = shares_of(larger, page);
  }
  if (has.keep_type(page)) type.width_inches = page.width_inches, type.height_inches = page.height_inches;
  return type;
}

std::string smaller_type_text(const SmallerType& type, bool centimetres) {
  std::string text = "text is " + short_text(std::round(type.points * 10) / 10) + " pt high on this page instead of " +
                     short_text(type.asked) + " pt";
  if (type.width_inches == 0) return text;
  const auto length = [&](double inches) {
    // Rounded up: a page a little larger has room as well.
    return short_text(std::ceil(inches * (centimetres ? kCentimetresPerInch : 1) * 10 - 1e-6) / 10) +
           (centimetres ? " cm" : " in");
  };
  text += "; a page " + length(type.width_inches) + " wide";
  if (type.height_inches > 0) text += " and " + length(type.height_inches) + " high";
  return text + " has room for that";
}

std::optional<double> parse_length(std::string_view text) {
  struct Unit {
    std::string_view name;
    double inches;
  };
  constexpr std::array<Unit, 3> units = {
      {{"in", 1}, {"cm", 1 / kCentimetresPerInch}, {"mm", 0.1 / kCentimetresPerInch}}};
  double inches = 1;
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    inches = unit.inches;
    break;
  }
  const std::optional<double> number = parse_real(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return *number * inches;
}

std::optional<ColorRange> parse_range(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view second = text.substr(comma + 1);
  while (second.starts_with(' ')) second.remove_prefix(1);
  const std::optional<double> low = parse_real(text.substr(0, comma));
  const std::optional<double> high = parse_real(second);
  if (!low || !high) return std::nullopt;
  // Colours are computed in float.
  constexpr double most = std::numeric_limits<float>::max();
  const bool in_range = std::abs(*low) <= most && std::abs(*high) <= most && *high - *low <= most;
  if (!in_range || !(static_cast<float>(*low) < static_cast<float>(*high))) return std::nullopt;
  return ColorRange{*low, *high};
}

Result<std::string> figure_bytes(const Figure& figure, FigureFormat format, const FigureFileOptions& options,
                                 const ExperimentSource* source, const std::filesystem::path& folder,
                                 const StopToken& stop) {
  const auto* const entry = std::ranges::find(kFigureFormats, format, &FigureFormatEntry::format);
  if (entry->embeds_fonts) {
    if (const Result<void> fonts = check_fonts(); !fonts) return tl::unexpected(fonts.error());
    if (const Result<void> font = check_font(figure.font); !font) return tl::unexpected(font.error());
  }
  Result<FigurePage> page = make_page(figure, options, source, folder);
  if (!page) return tl::unexpected(page.error());
  page->stop = stop;
  try {
    Result<std::string> bytes = entry->write(*page, options.dpi);
    // Only known once everything has been painted.
    if (const std::string failure = failure_of(figure); bytes && !failure.empty()) return fail(failure);
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  }
}

Result<void> write_figure(const Figure& figure, const FigureFileOptions& options, const std::filesystem::path& path,
                          const ExperimentSource* source, const StopToken& stop) {
  const Result<FigureFormat> format = figure_format(path);
  if (!format) return tl::unexpected(format.error());
  const Result<std::string> bytes = figure_bytes(figure, *format, options, source, folder_of(path), stop);
  if (!bytes) return fail(path_text(path) + ": " + bytes.error().message, bytes.error().kind);
  if (stop.stop_requested()) return fail(path_text(path) + ": stopped before it was done");
  return write_file(path, *bytes);
}

}  // namespace attnscope
