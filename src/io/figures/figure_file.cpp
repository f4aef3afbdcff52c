#include "io/figures/figure_file.h"

#include <cairo-pdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <vector>

#include "core/base/text.h"
#include "figure/model/canvas.h"
#include "io/base/file.h"
#include "io/base/printable.h"
#include "io/canvas/cairo_canvas.h"
#include "io/canvas/cairo_handle.h"
#include "io/canvas/canvas_style.h"
#include "io/canvas/font_files.h"
#include "io/canvas/png.h"
#include "io/canvas/svg_canvas.h"

namespace attnscope {
namespace {

constexpr double kPixelsPerInch = 96;
constexpr double kPointsPerInch = 72;
constexpr double kSmallestWidth = 0.5;
constexpr double kMaxWidth = 100;
constexpr double kMaxHeight = 200;  // what PDF allows, 14,400 points
constexpr double kMinType = 3;
constexpr double kMaxType = 48;
constexpr int kMinDpi = 10;
constexpr int kMaxDpi = 2400;
constexpr double kMaxPixels = 400e6;
constexpr double kMaxPixelsOfSide = 32767;  // cairo's limit

/// A figure on its page.
struct Page {
  const Figure& figure;
  const Palette& colors;
  double width_inches;
  double height_inches;
  bool fixed_height;  ///< whatever the figure has
  const ExperimentSource* source;
  const std::filesystem::path& folder;  ///< where its file will lie

  [[nodiscard]] Rect box() const { return {0, 0, width_inches * kPixelsPerInch, height_inches * kPixelsPerInch}; }

  void paint_on(Canvas& canvas) const {
    const double across = box().width / figure.width;
    if (!fixed_height) return paint(figure, colors, {across, across, {}}, box(), canvas);
    const double scale = std::min(across, box().height / figure.height);
    const Point offset = {(box().width - figure.width * scale) / 2, (box().height - figure.height * scale) / 2};
    paint(figure, colors, {scale, scale, offset}, box(), canvas);
  }
};

Result<Page> make_page(const Figure& figure, const FigureFileOptions& options, const ExperimentSource* source,
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
  return Page{figure, palette(options.theme), width, height, options.height_inches > 0, source, folder};
}

/// Paints the page on a surface that has `scale` units to a logical pixel.
cairo_status_t paint_surface(const Page& page, cairo_surface_t* surface, double scale) {
  const CairoContext context(cairo_create(surface));
  const Rgb background = page.colors.background;
  cairo_set_source_rgb(context.get(), background.red / 255.0, background.green / 255.0, background.blue / 255.0);
  cairo_paint(context.get());
  cairo_scale(context.get(), scale, scale);
  CairoCanvas canvas(context.get());
  page.paint_on(canvas);
  return cairo_status(context.get());
}

Result<std::string> png_page(const Page& page, int dpi) {
  const double width = std::max(1.0, std::round(page.width_inches * dpi));
  const double height = std::max(1.0, std::round(page.height_inches * dpi));
  if (width > kMaxPixelsOfSide || height > kMaxPixelsOfSide || width * height > kMaxPixels) {
    return fail("a picture of " + grouped_text(static_cast<Index>(width)) + " × " +
                grouped_text(static_cast<Index>(height)) +
                " pixels is too large: at most 32,767 along a side and 400 million");
  }
  const CairoSurface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)));
  const cairo_status_t status = paint_surface(page, surface.get(), dpi / kPixelsPerInch);
  if (status != CAIRO_STATUS_SUCCESS) return fail(cairo_status_to_string(status));
  std::vector<PngText> texts;
  if (page.source != nullptr) {
    if (!page.figure.title.empty()) texts.push_back({"Title", clean_text(page.figure.title)});
    texts.push_back({"Description", figure_caption(*page.source)});
    texts.push_back({"attnscope", figure_source_json(*page.source, page.folder)});
  }
  return png_bytes(surface.get(), dpi, texts);
}

Result<std::string> pdf_page(const Page& page) {
  std::string bytes;
  const CairoSurface surface(cairo_pdf_surface_create_for_stream(
      append_bytes, &bytes, page.width_inches * kPointsPerInch, page.height_inches * kPointsPerInch));
  const auto set = [&](cairo_pdf_metadata_t what, const std::string& text) {
    cairo_pdf_surface_set_metadata(surface.get(), what, text.c_str());
  };
  if (!page.figure.title.empty()) set(CAIRO_PDF_METADATA_TITLE, clean_text(page.figure.title));
  set(CAIRO_PDF_METADATA_CREATOR, "attnscope");
  if (page.source != nullptr) {
    set(CAIRO_PDF_METADATA_SUBJECT, figure_caption(*page.source));
    // A field of our own needs cairo 1.18; this one is kept by programs that rewrite the file.
    set(CAIRO_PDF_METADATA_KEYWORDS, figure_source_json(*page.source, page.folder));
  }
  // What is no date leaves the date out, and the file the same tomorrow.
  set(CAIRO_PDF_METADATA_CREATE_DATE, "none");
  cairo_status_t status = paint_surface(page, surface.get(), kPointsPerInch / kPixelsPerInch);
  cairo_surface_finish(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) return fail(cairo_status_to_string(status));
  return bytes;
}

Result<std::string> svg_page(const Page& page) {
  SvgCanvas canvas(page.box().width, page.box().height, page.figure.title, page.colors.background);
  if (page.source != nullptr)
    canvas.annotate(figure_caption(*page.source), figure_source_json(*page.source, page.folder));
  page.paint_on(canvas);
  std::string bytes = canvas.document();
  if (bytes.empty()) return fail("out of memory");
  return bytes;
}

Result<std::string> page_bytes(const Page& page, FigureFormat format, int dpi) {
  switch (format) {
    case FigureFormat::png: return png_page(page, dpi);
    case FigureFormat::svg: return svg_page(page);
    case FigureFormat::pdf: return pdf_page(page);
  }
  return fail("unknown format", Error::Kind::usage);
}

}  // namespace

Result<FigureFormat> figure_format(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (ending == ".png") return FigureFormat::png;
  if (ending == ".svg") return FigureFormat::svg;
  if (ending == ".pdf") return FigureFormat::pdf;
  return fail(path_text(path) + ": a figure's name must end in .png, .svg or .pdf", Error::Kind::usage);
}

Result<void> check_figure_options(const FigureFileOptions& options) {
  const double width = options.width_inches;
  if (!(width >= kSmallestWidth && width <= kMaxWidth)) {
    return fail("width of " + short_text(width) + " inches: must be 0.5 to 100", Error::Kind::usage);
  }
  const double height = options.height_inches;
  if (height != 0 && !(height >= kSmallestWidth && height <= kMaxHeight))
    return fail("height of " + short_text(height) + " inches: must be 0.5 to 200", Error::Kind::usage);
  if (!(options.font_points >= kMinType && options.font_points <= kMaxType))
    return fail("type of " + short_text(options.font_points) + " points: must be 3 to 48", Error::Kind::usage);
  if (options.dpi < kMinDpi || options.dpi > kMaxDpi) {
    return fail("resolution of " + std::to_string(options.dpi) + " dpi: must be 10 to 2400", Error::Kind::usage);
  }
  return {};
}

LayoutSize layout_size(const FigureFileOptions& options) {
  const double pixels = kPixelsPerInch * kUsualPoints / options.font_points;
  return {options.width_inches * pixels, options.height_inches * pixels};
}

Figure figure_for_file(const BuildFigure& build, const FigureFileOptions& options) {
  const auto [width, height] = layout_size(options);
  Figure figure = with_content(build(width, height), options.content);
  // What was left out makes room for the rest.
  const double freed = height - figure.height;
  if (height > 0 && freed >= 1) figure = with_content(build(width, height + freed), options.content);
  return figure;
}

std::optional<double> parse_length(std::string_view text) {
  struct Unit {
    std::string_view name;
    double inches;
  };
  constexpr std::array<Unit, 3> units = {{{"in", 1}, {"cm", 1 / 2.54}, {"mm", 1 / 25.4}}};
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
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low >= *high) return std::nullopt;
  return ColorRange{*low, *high};
}

Result<std::string> figure_bytes(const Figure& figure, FigureFormat format, const FigureFileOptions& options,
                                 const ExperimentSource* source, const std::filesystem::path& folder) {
  // An SVG names its fonts; the others hold the letters.
  if (format != FigureFormat::svg) {
    if (const Result<void> fonts = check_fonts(); !fonts) return tl::unexpected(fonts.error());
  }
  const Result<Page> page = make_page(figure, options, source, folder);
  if (!page) return tl::unexpected(page.error());
  try {
    Result<std::string> bytes = page_bytes(*page, format, options.dpi);
    // Known once all of it has been painted.
    if (const std::string failure = failure_of(figure); bytes && !failure.empty()) return fail(failure);
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  }
}

Result<void> write_figure(const Figure& figure, const FigureFileOptions& options, const std::filesystem::path& path,
                          const ExperimentSource* source) {
  const Result<FigureFormat> format = figure_format(path);
  if (!format) return tl::unexpected(format.error());
  const Result<std::string> bytes = figure_bytes(figure, *format, options, source, folder_of(path));
  if (!bytes) return fail(path_text(path) + ": " + bytes.error().message, bytes.error().kind);
  return write_file(path, *bytes);
}

}  // namespace attnscope
