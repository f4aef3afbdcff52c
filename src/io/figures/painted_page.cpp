// The pages that cairo paints.
#include <cairo-pdf.h>

#include "io/canvas/cairo_canvas.h"
#include "io/canvas/cairo_handle.h"
#include "io/canvas/canvas_style.h"
#include "io/canvas/png.h"
#include "io/figures/figure_page.h"
#include "io/figures/figure_source.h"

namespace attnscope {
namespace {

constexpr double kPointsPerInch = 72;

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

BitmapLimit png_limit() { return {32767, 400e6}; }  // cairo's side

Result<std::string> png_page(const FigurePage& page, int dpi) {
  const Result<PngSize> size = bitmap_size(page, dpi);
  if (!size) return tl::unexpected(size.error());
  const CairoSurface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(size->width), static_cast<int>(size->height)));
  const cairo_status_t status = paint_surface(page, surface.get(), dpi / kPixelsPerInch);
  if (status != CAIRO_STATUS_SUCCESS) return fail(cairo_status_to_string(status));
  return png_bytes(pixels_of(surface.get()), dpi, png_texts(page), page.stop);
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
