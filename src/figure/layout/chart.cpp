#include "figure/layout/chart.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kTickDistance = 6;    // from the box to its labels
constexpr double kTickLabelRoom = 52;  // width of each
constexpr double kHeadingHeight = 24;
constexpr double kLastLabel = 8;  // how far the last label of the x axis extends beyond the box
constexpr double kPointSize = 6;
constexpr double kSampleWidth = 20;  // of the curves in a legend
// Numbers beyond the ends by rounding count as within.
constexpr double kSlack = 1e-9;

std::string power_text(int base, int exponent, bool plain) {
  if (base == 2) return grouped_text(Index{1} << exponent);
  if (exponent == 0) return "1";
  if (plain)
    return exponent < 0 ? short_text(std::pow(10, exponent)) : grouped_text(std::llround(std::pow(10, exponent)));
  return "10^{" + fixed_text(exponent, 0) + "}";
}

/// 1, 2 and 5 times powers of ten.
std::vector<ChartTick> ticks_between_powers(const ChartRange& range, int first, int last) {
  std::vector<ChartTick> ticks;
  for (int exponent = first - 1; exponent <= last; ++exponent) {
    for (const int factor : {1, 2, 5}) {
      const double value = factor * std::pow(10, exponent);
      if (value < range.low * (1 - kSlack) || value > range.high * (1 + kSlack)) continue;
      ticks.push_back({value, exponent < 0 ? short_text(value) : grouped_text(std::llround(value))});
    }
  }
  return ticks;
}

std::vector<ChartTick> power_ticks(const ChartRange& range, std::size_t most) {
  const double unit = std::log(static_cast<double>(range.base));
  const auto first = static_cast<int>(std::ceil(std::log(range.low) / unit - kSlack));
  const auto last = static_cast<int>(std::floor(std::log(range.high) / unit + kSlack));
  int step = 1;
  while (last / step - first / step + 1 > static_cast<int>(most) && step <= last - first) ++step;
  // Numbers this short are easier to read than powers.
  const bool plain = first >= -3 && last <= 4;
  // Two powers of ten say little about what is between them. From 1 to 2 and from 5 to 10 is 0.3 of the way to ten.
  if (range.base == 10 && plain && last - first < 2 &&
      std::log(range.high / range.low) / unit <= 0.3 * static_cast<double>(most))
    return ticks_between_powers(range, first, last);
  std::vector<ChartTick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % step == 0)
      ticks.push_back({std::pow(range.base, exponent), power_text(range.base, exponent, plain)});
  }
  return ticks;
}

std::vector<ChartTick> round_ticks(const ChartRange& range, std::size_t most) {
  const double extent = range.high - range.low;
  if (!(extent > 0) || !std::isfinite(extent)) return {{range.low, short_text(range.low)}};
  double power = std::pow(10, std::floor(std::log10(extent / static_cast<double>(most))));
  for (;; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double step = power * factor;
      const auto first = std::llround(std::ceil(range.low / step - kSlack));
      const auto last = std::llround(std::floor(range.high / step + kSlack));
      if (last - first + 1 > std::max<long long>(1, static_cast<long long>(most))) continue;
      std::vector<ChartTick> ticks;
      // Multiplied instead of summed, so that 0 is exact.
      for (auto i = first; i <= last; ++i)
        ticks.push_back({static_cast<double>(i) * step, short_text(static_cast<double>(i) * step)});
      return ticks;
    }
  }
}

std::size_t most_across(const Chart& chart) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(chart.box.width / kTickLabelRoom));
}

double small_width(const std::string& markup) { return markup_width(markup, TypeSize::kSmall, FontWeight::regular); }

}  // namespace

double ChartRange::share(double value) const {
  if (low == high) return 0;
  if (base == 0) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

std::vector<ChartTick> chart_ticks(const ChartRange& range, std::size_t most) {
  return range.base == 0 ? round_ticks(range, most) : power_ticks(range, most);
}

TextMark chart_text(std::string id, Point at, std::string markup, Ink ink, double size, HorizontalAlign horizontal,
                    VerticalAlign vertical) {
  return {std::move(id), at, std::move(markup), size, FontWeight::regular, ink, horizontal, vertical, 0};
}

void add_y_axis(Figure& figure, const Chart& chart, std::size_t most_ticks) {
  for (const ChartTick& tick : chart_ticks(chart.y, most_ticks)) {
    const double y = chart.up(tick.value);
    const std::string id = chart.id + ".y." + short_text(tick.value);
    figure.texts.push_back(chart_text(id, {chart.box.x - kTickDistance, y}, tick.markup, Ink::dim, TypeSize::kSmall,
                                      HorizontalAlign::right, VerticalAlign::middle));
    // Bars: lines would be painted above bars and curves.
    figure.bars.push_back({id, {chart.box.x, y - 0.5, chart.box.width, 1}, Shade::of(Ink::line)});
  }
}

Chart place_chart(const Rect& outer, std::string id, const ChartRange& x, const ChartRange& y, double y_labels,
                  int flag_lines) {
  const double top = kHeadingHeight + kFlagHeight * static_cast<double>(flag_lines);
  const Rect box = {outer.x + y_labels, outer.y + top, outer.width - y_labels - kLastLabel,
                    outer.height - top - kXAxisHeight};
  return {std::move(id), box, x, y};
}

double y_axis_width(const ChartRange& range, std::size_t most_ticks) {
  double widest = 0;
  for (const ChartTick& tick : chart_ticks(range, most_ticks)) widest = std::max(widest, small_width(tick.markup));
  return widest + kTickDistance;
}

void add_x_axis(Figure& figure, const Chart& chart, const std::string& title) {
  const double bottom = chart.box.bottom();
  for (const ChartTick& tick : chart_ticks(chart.x, most_across(chart))) {
    const std::string id = chart.id + ".x." + short_text(tick.value, 6);
    const double x = chart.across(tick.value);
    // Names of curves stand right of a chart over powers of ten.
    const double most = chart.box.right() + kLastLabel - small_width(tick.markup) / 2;
    const double center = chart.x.base == 10 ? std::min(x, most) : x;
    figure.texts.push_back(
        chart_text(id, {center, bottom + 15}, tick.markup, Ink::dim, TypeSize::kSmall, HorizontalAlign::center));
    figure.lines.push_back({id, {x, bottom}, {x, bottom + 4}});
  }
  figure.lines.push_back({chart.id + ".x", {chart.box.x, bottom}, {chart.box.right(), bottom}, Ink::dim});
  if (title.empty()) return;
  figure.texts.push_back(chart_text(chart.id + ".x.title", {chart.box.right(), bottom + 31}, title, Ink::dim,
                                    TypeSize::kSmall, HorizontalAlign::right));
}

void add_curve(Figure& figure, const Chart& chart, const std::string& id, std::span<const Point> values, Shade shade,
               bool dashed) {
  CurveMark curve = {chart.id + "." + id, {}, shade, 1.5, dashed};
  for (const Point& value : values) curve.points.push_back(chart.at(value.x, value.y));
  figure.curves.push_back(std::move(curve));
}

void add_point(Figure& figure, const std::string& id, Point at, Shade shade, const std::string& about) {
  const Rect box = {at.x - kPointSize / 2, at.y - kPointSize / 2, kPointSize, kPointSize};
  figure.bars.push_back({id, box, shade});
  // Larger than the point, to be easier to hit.
  TargetMark target;
  target.id = id;
  target.box = box.grown(5);
  target.about = about;
  figure.targets.push_back(std::move(target));
}

void add_flags(Figure& figure, const Chart& chart, std::vector<ChartFlag> flags) {
  const auto place = [&](const ChartFlag& flag) {
    return std::clamp(chart.across(flag.x), chart.box.x, chart.box.right());
  };
  const auto goes_right = [&](const ChartFlag& flag) {
    return place(flag) + kTickDistance + small_width(flag.markup) <= chart.box.right();
  };
  // A label may cover only a line shorter than its own.
  std::stable_sort(flags.begin(), flags.end(), [&](const ChartFlag& a, const ChartFlag& b) {
    if (goes_right(a) != goes_right(b)) return goes_right(a);
    return goes_right(a) ? place(a) < place(b) : place(a) > place(b);
  });
  double top = chart.box.y - kFlagHeight * static_cast<double>(flags.size());
  for (const ChartFlag& flag : flags) {
    const double x = place(flag);
    const bool right = goes_right(flag);
    const std::string id = chart.id + "." + flag.id;
    figure.lines.push_back({id, {x, chart.box.bottom()}, {x, top + 4}, flag.ink, 1, true});
    figure.texts.push_back(chart_text(id, {x + (right ? kTickDistance : -kTickDistance), top + 12}, flag.markup,
                                      flag.ink, TypeSize::kSmall,
                                      right ? HorizontalAlign::left : HorizontalAlign::right));
    top += kFlagHeight;
  }
}

std::vector<double> spread(const std::vector<double>& places, double apart) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  // Neighbours that would touch form a group, placed at the average of the places its members want.
  struct Group {
    double sum = 0;  // of the group's starts that its members want
    double members = 0;
    [[nodiscard]] double start() const { return sum / members; }
  };
  std::vector<Group> groups;
  for (const std::size_t i : order) {
    groups.push_back({places[i], 1});
    while (groups.size() > 1) {
      const Group last = groups.back();
      Group& before = groups[groups.size() - 2];
      if (before.start() + before.members * apart <= last.start()) break;
      before.sum += last.sum - last.members * before.members * apart;
      before.members += last.members;
      groups.pop_back();
    }
  }
  std::vector<double> spread_out(places.size());
  auto next = order.begin();
  for (const Group& group : groups) {
    for (double member = 0; member < group.members; ++member) spread_out[*next++] = group.start() + member * apart;
  }
  return spread_out;
}

double add_legend(Figure* figure, const std::string& id, std::span<const LegendEntry> entries, Point at, double width) {
  constexpr double kEntryLine = 18;
  constexpr double kEntryGap = 20;
  Point corner = at;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LegendEntry& entry = entries[i];
    const double needed = kSampleWidth + kTickDistance + small_width(entry.markup);
    if (corner.x > at.x && corner.x + needed > at.x + width) corner = {at.x, corner.y + kEntryLine};
    if (figure != nullptr) {
      const std::string name = id + "." + std::to_string(i);
      const double middle = corner.y + kEntryLine / 2;
      figure->curves.push_back(
          {name, {{corner.x, middle}, {corner.x + kSampleWidth, middle}}, entry.shade, 1.5, entry.dashed});
      figure->texts.push_back(chart_text(name, {corner.x + kSampleWidth + kTickDistance, middle}, entry.markup,
                                         Ink::dim, TypeSize::kSmall, HorizontalAlign::left, VerticalAlign::middle));
    }
    corner.x += needed + kEntryGap;
  }
  return entries.empty() ? 0 : corner.y + kEntryLine - at.y;
}

double add_caption(Figure* figure, const std::string& id, const std::string& text, Point at, double width, Ink ink) {
  constexpr double kCaptionLine = 16;
  // A window that aligns letters to whole pixels sets lines slightly wider.
  constexpr double kFull = 0.96;
  std::vector<std::string> lines = {""};
  for (const std::string& word : breakable_words(text)) {
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || small_width(longer) <= width * kFull) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
  }
  for (std::size_t i = 0; figure != nullptr && i < lines.size(); ++i)
    figure->texts.push_back(chart_text(id + "." + std::to_string(i),
                                       {at.x, at.y + 12 + kCaptionLine * static_cast<double>(i)}, lines[i], ink));
  return kCaptionLine * static_cast<double>(lines.size());
}

double add_result(Figure* figure, const std::string& id, const std::string& markup, Point at, double width) {
  constexpr double kResultLine = 19;
  constexpr double kBelowResult = 7;
  const std::vector<std::string> lines = wrapped_text(markup, width, TypeSize::kBody);
  for (std::size_t i = 0; figure != nullptr && i < lines.size(); ++i) {
    figure->texts.push_back(chart_text(i == 0 ? id : id + "." + std::to_string(i),
                                       {at.x, at.y + 11 + kResultLine * static_cast<double>(i)}, lines[i], Ink::text,
                                       TypeSize::kBody));
  }
  return kResultLine * static_cast<double>(lines.size()) + kBelowResult;
}

}  // namespace attnscope
