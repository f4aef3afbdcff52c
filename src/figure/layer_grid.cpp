#include "figure/layer_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/region.h"
#include "figure/chosen.h"
#include "figure/legend.h"
#include "figure/matrix.h"

namespace attnscope {
namespace {

constexpr double kMargin = 16;
constexpr double kLeft = 64;       // layer names
constexpr double kAbove = 48;      // title and head names
constexpr double kBelow = 44;      // colour bar
constexpr double kGap = 6;         // between maps
constexpr double kLeastSide = 12;  // of a map
constexpr double kMostSide = 160;
constexpr double kLeastPitch = 14;  // of names

struct Row {
  std::string tensor;
  Index heads = 1;
};

std::vector<Row> rows_of(const Trace& trace) {
  std::vector<Row> rows;
  for (Index layer = 1; layer <= layer_count(trace); ++layer) {
    const std::string tensor = layer_prefix(layer) + "weights";
    const Axis* const heads = find_axis(trace.find(tensor)->axes, "head");
    rows.push_back({tensor, heads != nullptr ? heads->size : 1});
  }
  return rows;
}

/// Which of the names have room: every one, every second, …
Index every(double pitch) { return std::max<Index>(1, static_cast<Index>(std::ceil(kLeastPitch / pitch))); }

void add_text(Figure& figure, std::string id, Point at, std::string words, HorizontalAlign align,
              VerticalAlign vertical, bool title = false) {
  figure.texts.push_back({std::move(id), at, std::move(words), title ? TypeSize::kTitle : TypeSize::kSmall,
                          title ? FontWeight::semibold : FontWeight::regular, title ? Ink::text : Ink::dim, align,
                          vertical, 0});
}

}  // namespace

Figure layer_grid(const Trace& trace, Index item, const ViewOptions& options) {
  Figure figure;
  const std::vector<Row> rows = rows_of(trace);
  Index most = 1;
  for (const Row& row : rows) most = std::max(most, row.heads);
  const auto across = static_cast<double>(most);
  const auto down = static_cast<double>(rows.size());
  double side = (options.width - 2 * kMargin - kLeft) / across - kGap;
  if (options.height > 0) side = std::min(side, (options.height - 2 * kMargin - kAbove - kBelow) / down - kGap);
  side = std::floor(std::clamp(side, kLeastSide, kMostSide));
  const double pitch = side + kGap;
  const double width = kLeft + across * pitch;
  const double height = kAbove + down * pitch + kBelow;
  figure.width = std::max(options.width, width + 2 * kMargin);
  figure.height = std::max(options.height, height + 2 * kMargin);
  const Point corner = {std::round((figure.width - width) / 2),
                        kMargin + std::round((figure.height - height - 2 * kMargin) / 2)};
  const double left = corner.x + kLeft;
  const double top = corner.y + kAbove;
  add_text(
      figure, "title", {corner.x, corner.y + 13},
      std::to_string(rows.size()) + " layers, " + std::to_string(most) + (most == 1 ? " head" : " heads") + " each",
      HorizontalAlign::left, VerticalAlign::baseline, true);
  for (Index head = 0; head < most; head += every(pitch)) {
    add_text(figure, "head." + std::to_string(head),
             {left + (static_cast<double>(head) + 0.5) * pitch - kGap / 2, top - 6},
             (pitch >= 48 ? "head " : "") + std::to_string(head + 1), HorizontalAlign::center, VerticalAlign::baseline);
  }
  std::optional<ColorScale> scale;
  for (std::size_t layer = 0; layer < rows.size(); ++layer) {
    const double y = top + static_cast<double>(layer) * pitch;
    if (static_cast<Index>(layer) % every(pitch) == 0) {
      add_text(figure, "layer." + std::to_string(layer), {left - 8, y + side / 2}, "layer " + std::to_string(layer + 1),
               HorizontalAlign::right, VerticalAlign::middle);
    }
    for (Index head = 0; head < rows[layer].heads; ++head) {
      const Slice slice = {head, item};
      HeatmapMark mark =
          scale ? *unscaled_mark(trace, rows[layer].tensor, slice) : *matrix_mark(trace, rows[layer].tensor, slice);
      if (!scale) scale = mark.scale;
      mark.scale = *scale;
      mark.id = rows[layer].tensor + "." + std::to_string(head);
      const double cell = side / static_cast<double>(std::max(mark.rows(), mark.columns()));
      mark.box = {left + static_cast<double>(head) * pitch, y, cell * static_cast<double>(mark.columns()),
                  cell * static_cast<double>(mark.rows())};
      figure.heatmaps.push_back(std::move(mark));
    }
  }
  figure.color_bars.push_back({"scale", {0, 0, 160, 9}, *scale, "attention weight", "0", scale_end_text(*scale)});
  place_legend(figure.color_bars, {left, top + down * pitch + 12}, kMargin, figure.width - 2 * kMargin);
  return figure;
}

}  // namespace attnscope
