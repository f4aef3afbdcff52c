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
  const double share = row.largest > 0 ? std::abs(row.value) / row.largest : 0;
  figure.bars.push_back({row.id,
                         {at.x + name_width + 8, middle - 4, std::max(1.0, share * bar), 8},
                         Shade::of_hue(row.value < 0 ? 5 : 2)});
  figure.texts.push_back(chart_text(row.id + ".value", {at.x + width, middle}, number_text(row.value, 4), Ink::text,
                                    TypeSize::kSmall, HorizontalAlign::right, VerticalAlign::middle));
  TargetMark target;
  target.id = row.id;
  target.box = {at.x - 4, at.y, width + 8, kValueRowHeight};
  target.about = row.about;
  figure.targets.push_back(std::move(target));
}

}  // namespace attnscope
