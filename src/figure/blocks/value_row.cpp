#include "figure/blocks/value_row.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "figure/layout/chart.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kValueWidth = 60;

}  // namespace

void add_value_row(Figure& figure, const ValueRow& row, Point at, double width, double name_width) {
  const double middle = at.y + kValueRowHeight / 2;
  const std::string name = shortened_text(row.name, name_width, TypeSize::kSmall);
  figure.texts.push_back(chart_text(row.id, {at.x, middle}, literal_markup(name), Ink::text, TypeSize::kSmall,
                                    HorizontalAlign::left, VerticalAlign::middle));
  const double bar = width - name_width - kValueWidth - 16;
  const double range = row.largest - row.least;
  const double unit = range > 0 ? bar / range : 0;
  const double length = std::max(1.0, std::abs(row.value) * unit);
  const double zero = at.x + name_width + 8 - row.least * unit;
  figure.bars.push_back(
      {row.id, {row.value < 0 ? zero - length : zero, middle - 4, length, 8}, Shade::of_hue(row.value < 0 ? 5 : 2)});
  figure.texts.push_back(chart_text(row.id + ".value", {at.x + width, middle}, number_text(row.value, 4), Ink::text,
                                    TypeSize::kSmall, HorizontalAlign::right, VerticalAlign::middle));
  TargetMark target;
  target.id = row.id;
  target.box = {at.x - 4, at.y, width + 8, kValueRowHeight};
  target.about = row.about;
  figure.targets.push_back(std::move(target));
}

}  // namespace attnscope
