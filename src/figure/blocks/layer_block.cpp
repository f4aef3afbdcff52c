#include "figure/blocks/layer_block.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

constexpr double kName = 64;
constexpr double kColumn = 56;
constexpr double kRow = 20;
constexpr double kHeader = 44;  // title and column titles
constexpr std::array<const char*, 3> kThrough = {"query", "key", "value"};

void text(Figure& figure, std::string id, Point at, std::string words, Ink ink, HorizontalAlign align,
          FontWeight weight = FontWeight::regular, double size = TypeSize::kSmall) {
  figure.texts.push_back({std::move(id), at, std::move(words), size, weight, ink, align, VerticalAlign::middle, 0});
}

/// The number of heads in each table, first layer first; only the first of very many heads are listed.
struct ShownTables {
  std::vector<std::size_t> rows;
  Index left_out = 0;
};

ShownTables tables_of(const HeadMeasures& heads) {
  constexpr std::size_t kMaxRows = 200;
  ShownTables shown;
  std::size_t room = kMaxRows;
  for (const HeadComposition& composed : heads.compositions) {
    const std::size_t all = composed.shares.front().size();
    const std::size_t rows = std::min(all, room);
    if (rows > 0) shown.rows.push_back(rows);
    room -= rows;
    shown.left_out += static_cast<Index>(all - rows);
  }
  return shown;
}

void add_share(Figure& figure, const std::string& id, const std::optional<double>& share, Point right, Index earlier) {
  if (share) {
    const double room = kColumn - 8;
    figure.bars.push_back(
        {id + ".bar", {right.x - room, right.y + 8, room * std::clamp(*share, 0.0, 1.0), 2}, Shade::of_hue(earlier)});
  }
  text(figure, id, right, share ? fixed_text(*share, 3) : "–", share ? Ink::text : Ink::dim, HorizontalAlign::right);
}

}  // namespace

double composition_width() { return kName + 3 * kColumn; }

double composition_height(const HeadMeasures& heads) {
  const ShownTables shown = tables_of(heads);
  double height = shown.left_out > 0 ? kRow : 0;
  for (const std::size_t rows : shown.rows) height += kHeader + kRow * static_cast<double>(rows);
  return height;
}

void add_composition(Figure& figure, const HeadMeasures& heads, Index head, Point at) {
  const ShownTables tables = tables_of(heads);
  for (std::size_t layer = 0; layer < tables.rows.size(); ++layer) {
    const std::string id = "composition." + std::to_string(layer + 1);
    text(figure, id, at, "Composition with layer " + std::to_string(layer + 1), Ink::text, HorizontalAlign::left,
         FontWeight::semibold, TypeSize::kBody);
    const auto right = [&](std::size_t column) { return at.x + kName + static_cast<double>(column + 1) * kColumn; };
    for (std::size_t i = 0; i < kThrough.size(); ++i)
      text(figure, id + "." + kThrough[i], {right(i), at.y + 24}, kThrough[i], Ink::dim, HorizontalAlign::right);
    const auto& shares = heads.compositions[layer].shares[static_cast<std::size_t>(head)];
    double y = at.y + kHeader;
    for (std::size_t earlier = 0; earlier < tables.rows[layer]; ++earlier, y += kRow) {
      const std::string row = id + ".head." + std::to_string(earlier);
      text(figure, row, {at.x, y}, "head " + std::to_string(earlier + 1), Ink::text, HorizontalAlign::left);
      for (std::size_t i = 0; i < kThrough.size(); ++i)
        add_share(figure, row + "." + kThrough[i], shares[earlier][i], {right(i), y}, static_cast<Index>(earlier));
    }
    figure.targets.push_back({id,
                              {at.x, at.y + 12, composition_width(), y - at.y - 20},
                              "How much of each earlier head's output the queries, keys and values of this head read: "
                              "‖w_v w_o M‖ / (‖w_v w_o‖ ‖M‖).\nElhage et al. 2021; – where a head writes nothing",
                              {}});
    at.y = y;
  }
  if (tables.left_out > 0) {
    text(figure, "composition.left_out", at, "and " + grouped_text(tables.left_out) + " more heads", Ink::dim,
         HorizontalAlign::left);
  }
}

void add_rollout(Figure& figure, const HeadMeasures& heads, const Labels& labels, Point at, double side,
                 double margin) {
  const Tensor& rollout = *heads.rollout;
  HeatmapMark map;
  map.id = "rollout";
  map.step = -1;
  map.axes = rollout.axes();
  map.row_labels = map.column_labels = labels;
  const double beside = row_label_width(labels);
  const double most = *std::max_element(rollout.values().begin(), rollout.values().end());
  map.scale = {ColorMap::viridis, 0, most};
  map.about = "rollout";
  const auto count = static_cast<double>(rollout.size(0));
  const double cell = std::min(40.0, (side - beside) / count);
  if (column_label_height(labels, cell) > 28) map.column_labels.clear();
  map.box = {at.x + beside, at.y + 36, cell * count, cell * count};
  map.source = slice_of(heads.rollout, map);
  text(figure, "rollout.title", at, "Rollout through the layers", Ink::text, HorizontalAlign::left,
       FontWeight::semibold, TypeSize::kBody);
  figure.targets.push_back(
      {"rollout",
       {at.x, at.y - 8, side, 16},
       "How much of each input token reaches each token, if every layer passes on half of its input "
       "unchanged.\nAbnar & Zuidema 2020",
       {}});
  ColorBarMark bar = {"rollout.scale", {0, 0, 100, 9}, map.scale, "share", "0", number_text(most, 3)};
  place_legend({&bar, 1}, {at.x + beside, map.box.bottom() + 18}, margin, figure.width - 2 * margin);
  figure.color_bars.push_back(std::move(bar));
  figure.heatmaps.push_back(std::move(map));
}

}  // namespace attnscope
