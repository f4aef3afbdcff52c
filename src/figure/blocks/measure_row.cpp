#include "figure/blocks/measure_row.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace attnscope {

std::pair<std::string, std::string> two_lines(const std::string& title) {
  const std::size_t space = title.rfind(' ');
  if (space == std::string::npos) return {"", title};
  return {title.substr(0, space), title.substr(space + 1)};
}

void add_measure(Figure& figure, const std::string& id, const Rect& cell, std::optional<double> value,
                 const MeasureScale& scale, const Shade& shade) {
  const double right = cell.right() - 6;
  const double room = cell.width - 10;
  if (value && scale.largest > 0) {
    const double share = std::clamp(*value / scale.largest, 0.0, 1.0);
    figure.bars.push_back({id + ".bar", {right - room, cell.bottom() - 6, room * share, 3}, shade});
    if (scale.uniform) {
      const double at = right - room + room * std::clamp(*scale.uniform / scale.largest, 0.0, 1.0);
      figure.bars.push_back({id + ".uniform", {at - 0.5, cell.bottom() - 7, 1, 5}, Shade::of(Ink::dim)});
    }
  }
  figure.texts.push_back({id,
                          {right, cell.y + 9},
                          value ? fixed_text(*value, scale.decimals) : "–",
                          TypeSize::kSmall,
                          FontWeight::regular,
                          value ? Ink::text : Ink::dim,
                          HorizontalAlign::right,
                          VerticalAlign::middle,
                          0});
}

void add_profile(Figure& figure, const std::string& id, const std::vector<double>& received, const Rect& box,
                 double largest, const Shade& shade) {
  constexpr std::size_t kMaxPoints = 120;
  if (received.empty()) return;
  const std::size_t count = std::min(received.size(), kMaxPoints);
  CurveMark curve = {id + ".profile", {}, shade, 1.25, false};
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = received.begin() + static_cast<std::ptrdiff_t>(i * received.size() / count);
    const auto to = received.begin() + static_cast<std::ptrdiff_t>((i + 1) * received.size() / count);
    const double value = *std::max_element(from, to);
    const double share = count == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(count - 1);
    curve.points.push_back(
        {box.x + box.width * share, box.bottom() - box.height * (largest > 0 ? value / largest : 0)});
  }
  figure.curves.push_back(std::move(curve));
}

}  // namespace attnscope
