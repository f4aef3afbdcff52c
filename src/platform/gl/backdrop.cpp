#include "platform/gl/backdrop.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace attnscope::platform {
namespace {

std::vector<Fill> whole_pixels(int width, int height, std::span<const ColoredArea> areas) {
  const auto pixel = [](double at, int most) {
    return static_cast<int>(std::lround(std::clamp(at, 0.0, static_cast<double>(most))));
  };
  std::vector<Fill> rects;
  rects.reserve(areas.size());
  for (const ColoredArea& each : areas) {
    rects.push_back({pixel(each.area.x0, width), pixel(each.area.y0, height), pixel(each.area.x1, width),
                     pixel(each.area.y1, height), each.color});
  }
  return rects;
}

void sort_out(std::vector<int>& places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

/// The rectangles of the grid that the edges form, row by row; neighbours of the same colour are merged.
std::vector<Fill> grid_of(int width, int height, const Rgba& color, std::span<const Fill> rects) {
  std::vector<int> columns = {0, width};
  std::vector<int> rows = {0, height};
  for (const Fill& rect : rects) {
    columns.insert(columns.end(), {rect.x0, rect.x1});
    rows.insert(rows.end(), {rect.y0, rect.y1});
  }
  sort_out(columns);
  sort_out(rows);
  std::vector<Fill> cells;
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    for (std::size_t column = 0; column + 1 < columns.size(); ++column) {
      Fill cell = {columns[column], rows[row], columns[column + 1], rows[row + 1], color};
      for (const Fill& rect : rects) {
        if (rect.x0 <= cell.x0 && cell.x1 <= rect.x1 && rect.y0 <= cell.y0 && cell.y1 <= rect.y1)
          cell.color = rect.color;
      }
      if (column > 0 && cells.back().color == cell.color) {
        cells.back().x1 = cell.x1;
      } else {
        cells.push_back(cell);
      }
    }
  }
  return cells;
}

Rgba most_frequent_color(std::span<const Fill> cells, const Rgba& otherwise) {
  Rgba color = otherwise;
  std::int64_t most = 0;
  for (const Fill& cell : cells) {
    std::int64_t pixels = 0;
    for (const Fill& other : cells) {
      const std::int64_t across = other.x1 - other.x0;
      if (other.color == cell.color) pixels += across * (other.y1 - other.y0);
    }
    if (pixels > most) {
      most = pixels;
      color = cell.color;
    }
  }
  return color;
}

}  // namespace

Backdrop plan_backdrop(int width, int height, const Rgba& color, std::span<const ColoredArea> areas) {
  if (areas.empty()) return {color, {}};
  const std::vector<Fill> cells = grid_of(width, height, color, whole_pixels(width, height, areas));
  Backdrop backdrop = {most_frequent_color(cells, color), {}};
  for (const Fill& cell : cells) {
    if (cell.color == backdrop.color) continue;
    const auto above = std::find_if(backdrop.fills.begin(), backdrop.fills.end(), [&](const Fill& fill) {
      return fill.x0 == cell.x0 && fill.x1 == cell.x1 && fill.y1 == cell.y0 && fill.color == cell.color;
    });
    if (above != backdrop.fills.end()) {
      above->y1 = cell.y1;
    } else {
      backdrop.fills.push_back(cell);
    }
  }
  return backdrop;
}

}  // namespace attnscope::platform
