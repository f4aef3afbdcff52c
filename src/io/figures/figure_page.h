// A figure on a page of a given size, and one writer for each format of files. Private to this folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "figure/model/canvas.h"
#include "figure/model/figure.h"
#include "figure/style/palette.h"
#include "io/canvas/png.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {

inline constexpr double kPixelsPerInch = 96;  ///< logical pixels

/// A figure on its page.
struct FigurePage {
  const Figure& figure;
  const Palette& colors;
  double width_inches;
  double height_inches;
  bool fixed_height;  ///< the figure is centred on a page of this height, otherwise the page is as high as the figure
  const ExperimentSource* source;       ///< null: the file says nothing about where it comes from
  const std::filesystem::path& folder;  ///< where its file will lie
  StopToken stop = {};                  ///< pixels are not all written then, which is an error

  [[nodiscard]] Rect box() const { return {0, 0, width_inches * kPixelsPerInch, height_inches * kPixelsPerInch}; }
  void paint_on(Canvas& canvas) const;
};

/// The most pixels that a painter's bitmaps have.
struct BitmapLimit {
  double side;
  double area;
};
/// That of PNG files.
BitmapLimit png_limit();
/// Whether a bitmap has at most so many pixels; a height of 0 is not known yet.
Result<void> check_bitmap(double width, double height, const BitmapLimit& limit);
/// The size of the page's PNG file, or that it is too large.
Result<PngSize> bitmap_size(const FigurePage& page, int dpi);
/// What its PNG file says about it.
std::vector<PngText> png_texts(const FigurePage& page);

/// The page as the bytes of a file. Only a PNG depends on `dpi`. A page that does not fit into the format, and a lack
/// of memory, are errors.
Result<std::string> png_page(const FigurePage& page, int dpi);
Result<std::string> svg_page(const FigurePage& page, int dpi);
Result<std::string> pdf_page(const FigurePage& page, int dpi);

}  // namespace attnscope
