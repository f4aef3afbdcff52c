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

Result<void> check_bitmap(double width, double height, const BitmapLimit& limit) {
  if (width <= limit.side && height <= limit.side && width * height <= limit.area) return {};
  const auto whole = [](double number) { return grouped_text(static_cast<Index>(number)); };
  const std::string size =
      height > 0 ? "of " + whole(width) + " × " + whole(height) + " pixels" : whole(width) + " pixels wide";
  return fail("a picture " + size + " is too large: at most " + whole(limit.side) + " along a side and " +
              whole(limit.area / 1e6) + " million");
}

Result<PngSize> bitmap_size(const FigurePage& page, int dpi) {
  const double width = std::max(1.0, std::round(page.width_inches * dpi));
  const double height = std::max(1.0, std::round(page.height_inches * dpi));
  if (const Result<void> fits = check_bitmap(width, height, png_limit()); !fits) return tl::unexpected(fits.error());
  return PngSize{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
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
