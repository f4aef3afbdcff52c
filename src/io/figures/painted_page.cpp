// The pages that cairo paints.
#include <cairo-pdf.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/text.h"
#include "io/canvas/cairo_canvas.h"
#include "io/canvas/cairo_handle.h"
#include "io/canvas/canvas_style.h"
#include "io/canvas/png.h"
#include "io/figures/figure_page.h"
#include "io/figures/figure_source.h"

namespace attnscope {
namespace {

constexpr double kPointsPerInch = 72;
constexpr double kMaxPixels = 400e6;
constexpr double kMaxPixelsOfSide = 32767;  // cairo's limit

/// Paints the page on a surface that has `scale` units to a logical pixel.
cairo_status_t paint_surface(const FigurePage& page, cairo_surface_t* surface, double scale) {
  const CairoContext context(cairo_create(surface));
  const Rgb background = page.colors.background;
  cairo_set_source_rgb(context.get(), background.red / 255.0, background.green / 255.0, background.blue / 255.0);
  cairo_paint(context.get());
  cairo_scale(context.get(), scale, scale);
  CairoCanvas canvas(context.get(), page.figure.font);
  page.paint_on(canvas);
  return cairo_status(context.get());
}

}  // namespace

Result<std::string> png_page(const FigurePage& page, int dpi) {
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
    texts.push_back({"Description", figure_caption(*page.source, &page.figure)});
    texts.push_back({"attnscope", figure_source_json(*page.source, page.folder)});
  }
  return png_bytes(pixels_of(surface.get()), dpi, texts);
}

Result<std::string> pdf_page(const FigurePage& page, int /*dpi*/) {
  std::string bytes;
  const CairoSurface surface(cairo_pdf_surface_create_for_stream(
      append_bytes, &bytes, page.width_inches * kPointsPerInch, page.height_inches * kPointsPerInch));
  const auto set = [&](cairo_pdf_metadata_t what, const std::string& text) {
    cairo_pdf_surface_set_metadata(surface.get(), what, text.c_str());
  };
  if (!page.figure.title.empty()) set(CAIRO_PDF_METADATA_TITLE, clean_text(page.figure.title));
  set(CAIRO_PDF_METADATA_CREATOR, "attnscope");
  if (page.source != nullptr) {
    set(CAIRO_PDF_METADATA_SUBJECT, figure_caption(*page.source, &page.figure));
    // A custom field needs cairo 1.18; programs that rewrite the file keep this one.
    set(CAIRO_PDF_METADATA_KEYWORDS, figure_source_json(*page.source, page.folder));
  }
  // A text that is no date omits the date, and keeps the file the same tomorrow.
  set(CAIRO_PDF_METADATA_CREATE_DATE, "none");
  cairo_status_t status = paint_surface(page, surface.get(), kPointsPerInch / kPixelsPerInch);
  cairo_surface_finish(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) return fail(cairo_status_to_string(status));
  return bytes;
}

}  // namespace attnscope
