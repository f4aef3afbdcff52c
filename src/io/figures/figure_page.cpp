#include "io/figures/figure_page.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "io/canvas/canvas_style.h"
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

Result<PngSize> bitmap_size(const FigurePage& page, int dpi, const BitmapLimit& limit) {
  const double width = std::max(1.0, std::round(page.width_inches * dpi));
  const double height = std::max(1.0, std::round(page.height_inches * dpi));
  if (width <= limit.side && height <= limit.side && width * height <= limit.area)
    return PngSize{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  return fail("a picture of " + grouped_text(static_cast<Index>(width)) + " × " +
              grouped_text(static_cast<Index>(height)) + " pixels is too large: at most " +
              grouped_text(static_cast<Index>(limit.side)) + " along a side and " +
              grouped_text(static_cast<Index>(limit.area / 1e6)) + " million");
}

std::vector<PngText> png_texts(const FigurePage& page) {
  if (page.source == nullptr) return {};
  std::vector<PngText> texts;
  if (!page.figure.title.empty()) texts.push_back({"Title", clean_text(page.figure.title)});
  texts.push_back({"Description", figure_caption(*page.source, &page.figure)});
  texts.push_back({"attnscope", figure_source_json(*page.source, page.folder)});
  return texts;
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
