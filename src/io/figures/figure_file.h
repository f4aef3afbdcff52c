// Figures as files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "figure/model/figure.h"
#include "figure/model/figure_content.h"
#include "figure/style/palette.h"
#include "io/figures/figure_format.h"
#include "io/figures/figure_preset.h"
#include "io/figures/figure_source.h"

namespace attnscope {

/// The type size of figures in points: 13 logical pixels of 1/96 inch.
inline constexpr double kUsualPoints = 9.75;

inline constexpr double kCentimetresPerInch = 2.54;

/// How a figure becomes a file.
struct FigureFileOptions {
  Theme theme = Theme::paper;
  double width_inches = 7;            ///< 0.5 to 100
  int dpi = 300;                      ///< of a PNG; 10 to 2400
  double height_inches = 0;           ///< 0.5 to 200; 0: as the figure needs
  double font_points = kUsualPoints;  ///< 3 to 48
  FigureContent content = {};
  FigureFont font = FigureFont::inter;
  bool caption = false;               ///< whether the figure's sentence stands below it
  std::optional<Preset> preset = {};  ///< sets the sizes above, see fitted_figure.h

  friend bool operator==(const FigureFileOptions&, const FigureFileOptions&) = default;
};

/// The format for the extension of `path`, in capitals or not; a usage error names those that there are.
Result<FigureFormat> figure_format(const std::filesystem::path& path);

/// Whether the options are in range, checked before anything is computed or drawn; otherwise a usage error.
Result<void> check_figure_options(const FigureFileOptions& options);

/// Whether a PNG of this size may have so many pixels; with a height that is open, whether one so wide may.
Result<void> check_picture_size(const FigureFileOptions& options);

/// In logical pixels; a height of 0 is whatever the figure needs.
struct LayoutSize {
  double width = 0;
  double height = 0;
};

/// The layout that gives page and type the sizes in the options.
LayoutSize layout_size(const FigureFileOptions& options);

/// Builds a view for a width and a height in logical pixels; 0: whatever it needs.
using BuildFigure = std::function<Figure(double width, double height)>;

/// The figure for a file with these options, which are in range: laid out for the size of the page and of the type,
/// with the requested content and caption. A preset is not looked at, see `fitted_figure`. Type is smaller if the view needs more room.
Figure figure_for_file(const BuildFigure& build, const FigureFileOptions& options);

/// The size that the type of `figure` has in a file with these options, points: what they ask for, or less.
double type_points(const Figure& figure, const FigureFileOptions& options);

/// Type that is smaller in the file than the options ask for, because the figure needs more room.
struct SmallerType {
  double points = 0;         ///< that it has
  double asked = 0;          ///< points
  double width_inches = 0;   ///< of a page on which it has the size that is asked for; 0: none was found
  double height_inches = 0;  ///< 0: as high as the figure needs

  friend bool operator==(const SmallerType&, const SmallerType&) = default;
};

/// How much smaller than asked for the type of `figure` is, which `figure_for_file` made of the same; nothing: it has
/// its size. Builds the figure for larger pages, up to six times, to find one that does.
std::optional<SmallerType> smaller_type(const BuildFigure& build, const Figure& figure,
                                        const FigureFileOptions& options);

/// One sentence without its full stop, lengths in inches or in centimetres.
std::string smaller_type_text(const SmallerType& type, bool centimetres);

/// A typed length in inches: "7", "7in", "17.8cm", "178mm".
std::optional<double> parse_length(std::string_view text);

/// "0,0.5" as the ends of a colour scale; nothing if it is not that, or beyond what float can tell apart.
std::optional<ColorRange> parse_range(std::string_view text);

/// The figure as the content of a file. Geometry and type are scaled alike, to make the figure exactly `width_inches`
/// wide: at 7 inches a figure of 672 logical pixels has 96 of them per inch, and 13 px type is 9.75 pt. With a height
/// the page has exactly that height, and the figure is centred on it, as large as fits.
///
/// - PNG: width_inches · dpi pixels across, rounded, 8-bit RGB, with its resolution. At most 400 megapixels and 32,767
///   along a side.
/// - SVG: size in inches, a unit is 1/96 inch.
/// - PDF: one page of exactly that size, fonts embedded, text that can be selected and searched.
///
/// With a `source` the file says what it shows and how it was made; see figure_source.h. `folder` is the file's folder.
///
/// The same figure and options give the same bytes with the same libraries and fonts; no date is written. No display is
/// needed. Options out of range are usage errors; a picture that is too large is a failure, and so is a stop.
Result<std::string> figure_bytes(const Figure& figure, FigureFormat format, const FigureFileOptions& options = {},
                                 const ExperimentSource* source = nullptr, const std::filesystem::path& folder = {},
                                 const StopToken& stop = {});

/// Writes the figure to `path`, in the format of its ending and in one step.
Result<void> write_figure(const Figure& figure, const FigureFileOptions& options, const std::filesystem::path& path,
                          const ExperimentSource* source = nullptr, const StopToken& stop = {});

}  // namespace attnscope
