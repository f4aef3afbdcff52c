// The pages that a browser paints.
#include "io/canvas/browser_canvas.h"
#include "io/figures/figure_page.h"

namespace attnscope {

BitmapLimit png_limit() { return {16384, 100e6}; }  // what browsers have in common

Result<std::string> png_page(const FigurePage& page, int dpi) {
  if (Result<void> can = BrowserCanvas::check(); !can) return tl::unexpected(can.error());
  const Result<PngSize> size = bitmap_size(page, dpi);
  if (!size) return tl::unexpected(size.error());
  BrowserCanvas canvas(static_cast<int>(size->width), static_cast<int>(size->height), dpi / kPixelsPerInch,
                       page.colors.background, page.figure.font);
  page.paint_on(canvas);
  const PixelImage pixels = canvas.pixels();
  return png_bytes(pixels.view(), dpi, png_texts(page), page.stop);
}

Result<std::string> pdf_page(const FigurePage& page, int dpi) {
  // Under Node.js nothing prints it. In a page, src/web/page-files.js does.
  if (!BrowserCanvas::check()) return fail("PDF files cannot be written here; SVG files can");
  return svg_page(page, dpi);
}

}  // namespace attnscope
