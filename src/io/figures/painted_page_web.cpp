// The pages that cairo paints, which is not there in a browser.
#include "io/figures/figure_page.h"

namespace attnscope {

Result<std::string> png_page(const FigurePage& /*page*/, int /*dpi*/) {
  return fail("PNG files cannot be written in the browser; SVG files can");
}

Result<std::string> pdf_page(const FigurePage& /*page*/, int /*dpi*/) {
  return fail("PDF files cannot be written in the browser; it can print SVG files to PDF");
}

}  // namespace attnscope
