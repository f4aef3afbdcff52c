#include "figure/layout/margin.h"

#include <utility>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr Index kMaxBars = 128;
constexpr double kMinBar = 3;         // of a row or column; thinner ones are drawn as a curve
constexpr double kShareOfCell = 0.6;  // of a bar
constexpr double kCurveWidth = 1;

}  // namespace

Margin::Margin(Side side, double from, double extent, Index count)
    : side_(side),
      from_(from),
      cell_(extent / static_cast<double>(count)),
      count_(count),
      curve_(count > kMaxBars || cell_ < kMinBar) {
  if (curve_) each_ = (count + kMaxBars - 1) / kMaxBars;
}

Margin::Place Margin::place(Index part) const {
  const Index end = std::min(count_, (part + 1) * each_);
  return {from_ + static_cast<double>(part * each_) * cell_, static_cast<double>(end - part * each_) * cell_};
}

Margin::Range Margin::range(std::span<const double> values, Index part) const {
  const Index first = part * each_;
  const auto some = values.subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(std::min<Index>(each_, std::ssize(values) - first)));
  const auto [low, high] = std::minmax_element(some.begin(), some.end());
  return {*low, *high};
}

std::string Margin::range_text(const Range& range) {
  const std::string low = number_text(range.low);
  const std::string high = number_text(range.high);
  return low == high ? low : low + " to " + high;
}

void Margin::draw(Figure& figure, const std::string& id, std::span<const double> values, const MarginScale& scale,
                  double thickest, Ink ink) const {
  const bool right = side_ == Side::right;
  CurveMark curve = {id, {}, Shade::of(ink), kCurveWidth, false};
  for (Index i = 0; i < parts(); ++i) {
    const Place along = place(i);
    const Range numbers = range(values, i);
    for (const auto& [value, share] : {std::pair(numbers.low, 0.25), std::pair(numbers.high, 0.75)}) {
      const Point point = {scale.at(value), along.at + share * along.size};
      curve.points.push_back(right ? point : Point{point.y, point.x});
    }
    if (curve_) continue;
    const double size = std::min(along.size * kShareOfCell, thickest);
    const double start = along.center() - size / 2;
    const double length = scale.at(numbers.low) - scale.from;
    const Rect box = right ? Rect{scale.from, start, length, size} : Rect{start, scale.from, size, length};
    figure.bars.push_back({id + "." + std::to_string(i), box, Shade::of(ink)});
  }
  if (curve_) figure.curves.push_back(std::move(curve));
}

}  // namespace attnscope
