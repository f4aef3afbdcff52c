// Small figures for the tests of the canvases.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "figure/model/figure.h"

namespace attnscope::test {

/// `rows` × `columns` times the same number.
inline std::vector<float> same_numbers(Index rows, Index columns, float number) {
  return std::vector<float>(static_cast<std::size_t>(rows * columns), number);
}

/// A heatmap of `rows` rows with these numbers, in viridis from 0 to 1.
inline HeatmapMark sample_heatmap(const Rect& box, Index rows, const std::vector<float>& numbers) {
  auto tensor = std::make_shared<Tensor>(Axes{{"query", rows}, {"key", static_cast<Index>(numbers.size()) / rows}});
  std::ranges::copy(numbers, tensor->values().begin());
  HeatmapMark mark;
  mark.id = "heatmap";
  mark.box = box;
  mark.axes = tensor->axes();
  mark.source = slice_of(std::move(tensor), mark);
  mark.scale = {ColorMap::viridis, 0, 1};
  return mark;
}

inline TextMark sample_text(Point at, std::string markup) {
  TextMark mark;
  mark.id = markup;
  mark.at = at;
  mark.markup = std::move(markup);
  return mark;
}

/// Four code points that no text may have: U+FDD0, U+FFFE, U+1FFFF and U+10FFFE.
inline constexpr const char* kNoncharacters = "\xEF\xB7\x90\xEF\xBF\xBE\xF0\x9F\xBF\xBF\xF4\x8F\xBF\xBE";

/// An empty figure of 192 × 96 pixels, two inches by one.
inline Figure blank_figure() {
  Figure figure;
  figure.width = 192;
  figure.height = 96;
  return figure;
}

}  // namespace attnscope::test
