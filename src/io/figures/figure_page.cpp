#include "io/figures/figure_page.h"

#include <algorithm>

#include "io/canvas/svg_canvas.h"
#include "io/figures/figure_source.h"

namespace attnscope {

void FigurePage::paint_on(Canvas& canvas) const {
  const double across = box().width / figure.width;
  FigureTransform transform = {across, across, {}};
  if (fixed_height) {
    const double scale = std::min(across, box().height / figure.height);
    transform = {scale, scale, {(box().width - figure.width * scale) / 2, (box().height - figure.height * scale) / 2}};
  }
  paint(figure, colors, transform, box(), canvas);
  paint_highlights(figure, figure.highlights.regions, figure.highlights.cell, colors, transform, canvas);
}

Result<std::string> svg_page(const FigurePage& page, int /*dpi*/) {
  SvgCanvas canvas(page.box().width, page.box().height, page.figure.title, page.colors.background, page.figure.font);
  if (page.source != nullptr)
    canvas.annotate(figure_caption(*page.source, &page.figure), figure_source_json(*page.source, page.folder));
  page.paint_on(canvas);
  std::string bytes = canvas.document();
  if (bytes.empty()) return fail("out of memory");
  return bytes;
}

}  // namespace attnscope
