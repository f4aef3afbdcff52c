#include "figure/model/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

double mix(double from, double to, double share) { return from + (to - from) * share; }
Point mix(Point from, Point to, double share) { return {mix(from.x, to.x, share), mix(from.y, to.y, share)}; }
Rect mix(const Rect& from, const Rect& to, double share) {
  return {mix(from.x, to.x, share), mix(from.y, to.y, share), mix(from.width, to.width, share),
          mix(from.height, to.height, share)};
}

/// Calls `move(mark of from, mark of to)` for every mark that both figures have.
template <typename Mark, typename Move>
void match(const std::vector<Mark>& from, std::vector<Mark>& to, const Move& move) {
  std::map<std::string_view, const Mark*> before;
  for (const Mark& mark : from) before.emplace(mark.id, &mark);
  for (Mark& mark : to) {
    if (const auto found = before.find(mark.id); found != before.end()) move(*found->second, mark);
  }
}

std::string rect_text(const Rect& r) {
  return fixed_text(r.x, 1) + " " + fixed_text(r.y, 1) + " " + fixed_text(r.width, 1) + " " + fixed_text(r.height, 1);
}

std::string scale_text(const ColorScale& scale) {
  constexpr std::array<std::string_view, 3> kinds = {"", ", logarithmic", ", shares of the row"};
  return std::string(color_map_name(scale.map)) + " " + number_text(scale.low) + " to " + number_text(scale.high) +
         std::string(kinds[static_cast<std::size_t>(scale.kind)]);
}

std::string shade_text(const Shade& shade) {
  constexpr std::array<std::string_view, 5> inks = {"text", "dim", "accent", "line", "control"};
  const std::string name =
      shade.hue >= 0 ? "hue " + std::to_string(shade.hue) : std::string(inks[static_cast<std::size_t>(shade.ink)]);
  return name + (shade.opacity == 1 ? "" : " " + number_text(shade.opacity));
}

std::string word_text(const WordMark& mark) {
  std::string text = "word " + mark.id + " at " + rect_text(mark.box) + ": " + quoted_text(mark.text);
  if (mark.value) text += " " + number_text(static_cast<double>(*mark.value)) + ", " + scale_text(mark.scale);
  if (!mark.value && mark.ink != Ink::text) text += " " + shade_text(Shade::of(mark.ink));
  return text + "\n";
}

std::string target_text(const TargetMark& mark) {
  std::string text = "target " + mark.id + " at " + rect_text(mark.box) + ": " + quoted_text(mark.about);
  if (const auto* set = std::get_if<SetOptions>(&mark.click)) {
    for (const auto& [name, value] : set->values) text += ", " + name + " " + value_text(value);
  }
  if (const auto* open = std::get_if<OpenView>(&mark.click)) {
    text += ", opens " + open->view;
    for (const auto& [name, value] : open->values) text += ", " + name + " " + value_text(value);
  }
  if (const auto* checkpoint = std::get_if<OpenCheckpoint>(&mark.click)) {
    text += ", opens " + checkpoint->folder;
    if (checkpoint->view) text += " in " + checkpoint->view->view;
  }
  if (mark.cell) text += ", cell " + index_text(mark.cell->index) + " of step " + std::to_string(mark.cell->step);
  if (mark.moves) text += ", moves " + mark.moves->tensor + index_text(mark.moves->cells.front());
  if (const auto* toggle = std::get_if<ToggleHead>(&mark.click))
    text += ", switches head " + std::to_string(toggle->head);
  return text + "\n";
}

}  // namespace

std::string own_cell_text(const HeatmapMark& mark, Index row, Index column) {
  if (row >= mark.source->rows() || column >= mark.source->columns()) return {};
  float number = 0;
  if (const std::optional<MatrixView> numbers = mark.source->held()) {
    number = numbers->at(row, column);
  } else {
    const MatrixPart cell = {0, 0, row, column, 1, 1};
    if (!mark.source->ready(cell) || !mark.source->read(cell, {&number, 1}, {})) return {};
  }
  const auto name = [](const std::vector<std::string>& labels, Index i) {
    const auto at = static_cast<std::size_t>(i);
    return at < labels.size() && !labels[at].empty() ? labels[at] : position_number(i);
  };
  return mark.about + ", " + name(mark.row_labels, row) + ", " + name(mark.column_labels, column) + ": " +
         number_text(static_cast<double>(number));
}

TextMark title_mark(std::string id, Point at, std::string markup, double size) {
  TextMark mark;
  mark.id = std::move(id);
  mark.at = at;
  mark.markup = std::move(markup);
  mark.size = size;
  mark.weight = FontWeight::semibold;
  return mark;
}

Rgb cell_color(float value, const ColorScale& scale) {
  if (scale.masked && value == *scale.masked) {
    if (const std::optional<Rgb> masked = masked_color(scale.map)) return *masked;
  }
  if (const std::optional<Rgb> special = special_color(value)) return *special;
  const auto place = [&](double at, double low, double high) {
    if (low == high) return at < low ? 0.0F : at > high ? 1.0F : 0.5F;
    return static_cast<float>((at - low) / (high - low));
  };
  const auto number = static_cast<double>(value);
  if (scale.kind != ScaleKind::logarithmic) return color_at(scale.map, place(number, scale.low, scale.high));
  // As in heatmap.frag: a number without a logarithm is below all limits.
  return color_at(scale.map,
                  place(number > 0 ? std::log2(number) : -1000, std::log2(scale.low), std::log2(scale.high)));
}

Index HeatmapMark::axis_sizes(bool of_rows) const {
  if (pixels_across > 0) return of_rows ? (axes.back().size - pixels_first) / pixels_across : pixels_across;
  const auto rank = axes.size();
  const auto count = static_cast<std::size_t>(column_axes);
  if (of_rows) return rank > count ? axes[rank - 1 - count].size : 1;
  Index size = 1;
  for (std::size_t i = rank - std::min(rank, count); i < rank; ++i) size *= axes[i].size;
  return size;
}

std::vector<Index> HeatmapMark::index_of(Index row, Index column) const {
  if (transposed) std::swap(row, column);
  std::vector<Index> index = leading;
  if (pixels_across > 0) {
    index.push_back(pixels_first + row * pixels_across + column);
    return index;
  }
  if (axes.size() > 1) index.push_back(row);
  if (column_axes == 2) index.push_back(column / axes.back().size);
  if (!axes.empty()) index.push_back(column_axes == 2 ? column % axes.back().size : column);
  return index;
}

std::shared_ptr<const MatrixSource> slice_of(std::shared_ptr<const Tensor> tensor, const HeatmapMark& mark) {
  MatrixView view;
  if (mark.pixels_across > 0) {
    std::vector<Index> first = mark.leading;
    first.push_back(mark.pixels_first);
    view = {tensor->values().data() + tensor->offset(first), mark.rows(), mark.columns(), mark.columns(), 1};
  } else if (mark.column_axes == 1) {
    view = tensor->matrix(mark.leading);
  } else {
    std::vector<Index> first = mark.leading;
    first.resize(tensor->axes().size(), 0);
    const bool nothing = tensor->count() == 0;
    view.data = nothing ? nullptr : tensor->values().data() + tensor->offset(first);
    view.rows = tensor->size(-1 - mark.column_axes);
    view.columns = tensor->stride(-1 - mark.column_axes);
    view.row_stride = view.columns;
  }
  return std::make_shared<ResidentMatrix>(std::move(tensor), mark.transposed ? view.transposed() : view);
}

std::string failure_of(const Figure& figure) {
  if (!figure.failure.empty()) return figure.failure;
  for (const HeatmapMark& mark : figure.heatmaps) {
    if (mark.source == nullptr) continue;
    if (std::optional<std::string> failure = mark.source->failure()) return *std::move(failure);
  }
  return {};
}

bool is_not_yet(const HeatmapMark& mark, Index row, Index column) {
  if (mark.not_yet.empty()) return false;
  const std::vector<Index> index = mark.index_of(row, column);
  return std::any_of(mark.not_yet.begin(), mark.not_yet.end(),
                     [&](const Region& region) { return region.contains(index); });
}

std::optional<FigureHit> hit_test(const Figure& figure, Point at) {
  for (std::size_t i = 0; i < figure.heatmaps.size(); ++i) {
    const HeatmapMark& mark = figure.heatmaps[i];
    if (mark.empty() || !mark.box.contains(at)) continue;
    const auto cell = [](double offset, double extent, Index count) {
      return std::min(count - 1, static_cast<Index>(offset / extent * static_cast<double>(count)));
    };
    const FigureHit hit = {i, cell(at.y - mark.box.y, mark.box.height, mark.rows()),
                           cell(at.x - mark.box.x, mark.box.width, mark.columns())};
    if (!is_not_yet(mark, hit.row, hit.column)) return hit;
  }
  return std::nullopt;
}

const TargetMark* target_at(const Figure& figure, Point at) {
  const auto found = std::find_if(figure.targets.rbegin(), figure.targets.rend(),
                                  [&](const TargetMark& target) { return target.box.contains(at); });
  return found == figure.targets.rend() ? nullptr : &*found;
}

ClickIntent click_intent(const Figure& figure, Point at) {
  if (const TargetMark* target = target_at(figure, at)) return target->click;
  const std::optional<FigureHit> hit = hit_test(figure, at);
  if (!hit || figure.heatmaps[hit->heatmap].picks.name.empty()) return {};
  const HeatmapMark& mark = figure.heatmaps[hit->heatmap];
  const Index across = mark.columns() / mark.picks.side;
  const Index number = hit->row / mark.picks.side * across + hit->column / mark.picks.side;
  return SetOptions{{{mark.picks.name, mark.picks.from + number}}};
}

Figure blend(const Figure& from, const Figure& to, double share) {
  Figure between = to;
  match(from.heatmaps, between.heatmaps,
        [&](const HeatmapMark& a, HeatmapMark& b) { b.box = mix(a.box, b.box, share); });
  match(from.color_bars, between.color_bars,
        [&](const ColorBarMark& a, ColorBarMark& b) { b.box = mix(a.box, b.box, share); });
  match(from.texts, between.texts, [&](const TextMark& a, TextMark& b) { b.at = mix(a.at, b.at, share); });
  match(from.pixels, between.pixels, [&](const PixelsMark& a, PixelsMark& b) { b.box = mix(a.box, b.box, share); });
  match(from.bars, between.bars, [&](const BarMark& a, BarMark& b) { b.box = mix(a.box, b.box, share); });
  match(from.words, between.words, [&](const WordMark& a, WordMark& b) { b.box = mix(a.box, b.box, share); });
  match(from.targets, between.targets, [&](const TargetMark& a, TargetMark& b) { b.box = mix(a.box, b.box, share); });
  match(from.strands, between.strands, [&](const StrandsMark& a, StrandsMark& b) {
    if (a.strands.size() != b.strands.size()) return;
    for (std::size_t i = 0; i < b.strands.size(); ++i) {
      b.strands[i].from = mix(a.strands[i].from, b.strands[i].from, share);
      b.strands[i].to = mix(a.strands[i].to, b.strands[i].to, share);
    }
  });
  match(from.curves, between.curves, [&](const CurveMark& a, CurveMark& b) {
    if (a.points.size() != b.points.size()) return;
    for (std::size_t i = 0; i < b.points.size(); ++i) b.points[i] = mix(a.points[i], b.points[i], share);
  });
  match(from.lines, between.lines, [&](const LineMark& a, LineMark& b) {
    b.from = mix(a.from, b.from, share);
    b.to = mix(a.to, b.to, share);
  });
  between.width = mix(from.width, to.width, share);
  between.height = mix(from.height, to.height, share);
  return between;
}

void share_sources(const Figure& from, Figure& to) {
  // Numbers of a trace are the same if they are at the same place. Matrices that a view computed are few: compare them.
  std::multimap<std::pair<int, std::vector<Index>>, const HeatmapMark*> places;
  for (const HeatmapMark& mark : from.heatmaps) places.emplace(std::pair(mark.step, mark.leading), &mark);
  constexpr int kMaxAtOnePlace = 64;
  for (HeatmapMark& mark : to.heatmaps) {
    auto [known, end] = places.equal_range({mark.step, mark.leading});
    for (int tried = 0; known != end && tried < kMaxAtOnePlace; ++known, ++tried) {
      if (!same_numbers(*known->second->source, *mark.source)) continue;
      mark.source = known->second->source;
      if (mark.shares && known->second->shares) mark.shares = known->second->shares;
      break;
    }
  }
}

std::size_t mark_count(const Figure& figure) {
  return figure.heatmaps.size() + figure.pixels.size() + figure.bars.size() + figure.words.size() +
         figure.strands.size() + figure.curves.size() + figure.lines.size() + figure.color_bars.size() +
         figure.texts.size() + figure.targets.size();
}

std::string describe(const Figure& figure) {
  std::string text = "figure " + fixed_text(figure.width, 1) + " × " + fixed_text(figure.height, 1) + " " +
                     quoted_text(figure.title) + "\n";
  for (const HeatmapMark& mark : figure.heatmaps) {
    text += "heatmap " + mark.id + " at " + rect_text(mark.box) + ": " + std::to_string(mark.rows()) + " × " +
            std::to_string(mark.columns()) + ", " + scale_text(mark.scale) + (mark.transposed ? ", transposed" : "") +
            ", " + mark.about;
    if (!mark.row_labels.empty()) text += ", rows " + join(mark.row_labels, " ");
    if (!mark.column_labels.empty()) text += ", columns " + join(mark.column_labels, " ");
    if (!mark.cell_texts.empty()) text += ", cells " + join(mark.cell_texts, " ");
    for (const std::vector<Index>& index : mark.by_hand) text += ", by hand " + index_text(index);
    for (const Region& region : mark.not_yet)
      text += ", not yet from " + index_text(region.begin) + " to before " + index_text(region.end);
    text += "\n";
  }
  for (const PixelsMark& mark : figure.pixels) {
    text += "pixels " + mark.id + " at " + rect_text(mark.box) + ": " + std::to_string(mark.rows()) + " × " +
            std::to_string(mark.columns) + "\n";
  }
  for (const BarMark& mark : figure.bars)
    text += "bar " + mark.id + " at " + rect_text(mark.box) + ": " + shade_text(mark.shade) + "\n";
  for (const WordMark& mark : figure.words) text += word_text(mark);
  for (const StrandsMark& mark : figure.strands) {
    text += "strands " + mark.id + ": " + shade_text(mark.shade);
    for (const Strand& strand : mark.strands) {
      text += ", " + std::to_string(strand.from_end) + " to " + std::to_string(strand.to_end) + " " +
              number_text(static_cast<double>(strand.opacity));
    }
    text += "\n";
  }
  for (const CurveMark& mark : figure.curves) {
    text += "curve " + mark.id + ": " + shade_text(mark.shade) + (mark.dashed ? ", dashed" : "") +
            (mark.arrow ? ", arrow" : "");
    for (const Point& p : mark.points) text += ", " + fixed_text(p.x, 1) + " " + fixed_text(p.y, 1);
    text += "\n";
  }
  for (const LineMark& mark : figure.lines) {
    text += "line " + mark.id + " from " + fixed_text(mark.from.x, 1) + " " + fixed_text(mark.from.y, 1) + " to " +
            fixed_text(mark.to.x, 1) + " " + fixed_text(mark.to.y, 1) + "\n";
  }
  for (const ColorBarMark& mark : figure.color_bars) {
    text += "color bar " + mark.id + " at " + rect_text(mark.box) + ": " + scale_text(mark.scale) + ", " +
            quoted_text(mark.title) + " " + quoted_text(mark.low_text) + " " + quoted_text(mark.high_text) + "\n";
  }
  for (const TextMark& mark : figure.texts) {
    text += "text " + mark.id + " at " + fixed_text(mark.at.x, 1) + " " + fixed_text(mark.at.y, 1) + ": " +
            quoted_text(mark.markup) + "\n";
  }
  for (const TargetMark& mark : figure.targets) text += target_text(mark);
  return text;
}

}  // namespace attnscope
