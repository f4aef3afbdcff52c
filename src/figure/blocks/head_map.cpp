#include "figure/blocks/head_map.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

double distance(const HeadMeasures& heads, Index a, Index b) {
  return heads.distances[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

void add_targets(Figure& figure, const HeadMeasures& heads, const std::vector<Index>& order, const Rect& box) {
  // Cells of more heads are too small to point at.
  constexpr std::size_t kMaxMapped = 32;
  if (order.size() > kMaxMapped) return;
  const double cell = box.width / static_cast<double>(order.size());
  const std::string most = number_text(std::log(2) * static_cast<double>(heads.queries));
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      TargetMark target;
      target.id = "map." + std::to_string(order[i]) + "." + std::to_string(order[j]);
      target.box = {box.x + static_cast<double>(j) * cell, box.y + static_cast<double>(i) * cell, cell, cell};
      target.about = "heads " + std::to_string(order[i] + 1) + " and " + std::to_string(order[j] + 1) + ": " +
                     number_text(distance(heads, order[i], order[j])) + " nats, summed over queries; at most " + most;
      target.click = SetOptions{{{"head", order[i] + 1}}};
      figure.targets.push_back(std::move(target));
    }
  }
}

}  // namespace

double head_map_side(Index heads, double room) {
  // With very many heads, cells may be too small to point at.
  constexpr double kMaxMapSide = 640;
  const auto count = static_cast<double>(heads);
  return std::min(count * std::clamp(std::floor(room / count), 4.0, 40.0), std::max(kMaxMapSide, room));
}

namespace {
constexpr const char* kMapTitle = "Jensen–Shannon divergence, summed over queries";
}  // namespace

double head_map_title_width() { return text_width(kMapTitle, TypeSize::kBody, FontWeight::semibold); }

void add_head_map(Figure& figure, const HeadMeasures& heads, Point at, double side, double margin) {
  figure.texts.push_back({"map.title", at, kMapTitle, TypeSize::kBody, FontWeight::semibold, Ink::text,
                          HorizontalAlign::left, VerticalAlign::middle, 0});
  figure.targets.push_back(
      {"map.title",
       {at.x, at.y - TypeSize::kBody / 2, head_map_title_width(), TypeSize::kBody + 2},
       "Each cell compares two heads: 0 where they attend alike.\nHeads that are alike stand side by side.",
       {}});
  const std::vector<Index> order = similarity_order(heads.distances);
  const auto count = static_cast<Index>(order.size());
  auto numbers = std::make_shared<Tensor>(Axes{{"head", count}, {"head", count}});
  std::vector<std::string> names;
  double most = 0;
  auto number = numbers->values().begin();
  for (const Index row : order) {
    names.push_back(std::to_string(row + 1));
    for (const Index column : order) {
      *number++ = static_cast<float>(distance(heads, row, column));
      most = std::max(most, distance(heads, row, column));
    }
  }
  HeatmapMark map;
  map.id = "map";
  map.step = -1;
  map.axes = numbers->axes();
  map.box = {at.x + 24, at.y + 36, side, side};
  // With one token all heads are alike: no cell is the middle of a scale without extent.
  map.scale = {ColorMap::magma, 0, most > 0 ? most : std::log(2)};
  map.row_labels = map.column_labels = names;
  map.about = "Jensen–Shannon divergence between heads, summed over queries";
  map.source = slice_of(std::move(numbers), map);
  add_targets(figure, heads, order, map.box);
  ColorBarMark bar = {"map.scale", {0, 0, 100, 9}, map.scale, "nats", "0", number_text(map.scale.high, 3)};
  place_legend({&bar, 1}, {at.x + 24, map.box.bottom() + 18}, margin, figure.width - 2 * margin);
  figure.color_bars.push_back(std::move(bar));
  figure.heatmaps.push_back(std::move(map));
}

}  // namespace attnscope
