// Points and rectangles, y downwards, in logical pixels (1/96 inch).
#pragma once

#include <algorithm>

namespace attnscope {

struct Point {
  double x = 0;
  double y = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
  [[nodiscard]] Point center() const { return {x + width / 2, y + height / 2}; }
  [[nodiscard]] bool contains(Point p) const { return p.x >= x && p.y >= y && p.x < right() && p.y < bottom(); }
  [[nodiscard]] Rect grown(double by) const { return {x - by, y - by, width + 2 * by, height + 2 * by}; }
  [[nodiscard]] Rect intersection(const Rect& other) const {
    const double left = std::max(x, other.x);
    const double top = std::max(y, other.y);
    return {left, top, std::max(0.0, std::min(right(), other.right()) - left),
            std::max(0.0, std::min(bottom(), other.bottom()) - top)};
  }

  /// The smallest one that has both.
  [[nodiscard]] Rect united(const Rect& other) const {
    const double left = std::min(x, other.x);
    const double top = std::min(y, other.y);
    return {left, top, std::max(right(), other.right()) - left, std::max(bottom(), other.bottom()) - top};
  }

  friend bool operator==(const Rect&, const Rect&) = default;
};

}  // namespace attnscope
