#include "figure/blocks/measure_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/text.h"
#include "figure/blocks/measure_row.h"
#include "figure/model/figure.h"

namespace attnscope {
namespace {

constexpr double kHeaderHeight = 44;
constexpr double kProfileWidth = 84;
constexpr double kMinNameWidth = 72;
constexpr double kMinColumn = 44;       // for a number
constexpr double kNarrowColumn = 40;    // the same in a narrow window
constexpr double kBetweenHeadings = 8;  // at least
constexpr double kBetweenNumbers = 5;   // of columns that are as narrow as possible
constexpr double kTwoUprightLines = 28;
constexpr int kFewerDecimals = 2;

/// As wide as their headings, which have two lines.
std::vector<double> usual_widths() {
  constexpr const char* kArrow = " ↓";
  std::vector<double> widths;
  for (const Measure& measure : measures()) {
    const auto [first, second] = two_lines(std::string(measure.title));
    const double heading = std::max(text_width(first, TypeSize::kSmall),
                                    text_width(second + (first.empty() ? "" : kArrow), TypeSize::kSmall));
    widths.push_back(std::max(kMinColumn, std::ceil(heading) + kBetweenHeadings));
  }
  return widths;
}

double longest_heading() {
  double longest = 0;
  for (const Measure& measure : measures()) {
    const auto [first, second] = two_lines(std::string(measure.title));
    for (const std::string* const line : {&first, &second})
      longest = std::max(longest, text_width(*line, TypeSize::kSmall, FontWeight::semibold));
  }
  return std::ceil(longest);
}

/// What the numbers of a measure need; nothing where it applies to no head.
double number_width(const HeadMeasures& heads, std::size_t measure, int decimals) {
  double widest = 0;
  bool applies = false;
  const auto look_at = [&](const std::optional<double>& value) {
    if (value) widest = std::max(widest, text_width(fixed_text(*value, decimals), TypeSize::kSmall));
  };
  for (const MeasureRow& row : heads.heads) {
    applies = applies || row[measure].has_value();
    look_at(row[measure]);
  }
  look_at(heads.uniform[measure]);
  return applies ? std::max(kTwoUprightLines, std::ceil(widest) + kBetweenNumbers) : 0;
}

double sum(const std::vector<double>& widths) { return std::accumulate(widths.begin(), widths.end(), 0.0); }

/// As wide as numbers need, or wider, equally, but no wider than usual, where `room` allows.
std::vector<double> upright_widths(const HeadMeasures& heads, const std::vector<double>& usual, double room,
                                   int decimals, double widest) {
  std::vector<double> least;
  for (std::size_t i = 0; i < usual.size(); ++i) least.push_back(number_width(heads, i, decimals));
  std::vector<double> widths = least;
  for (; widest > 0; --widest) {
    for (std::size_t i = 0; i < usual.size(); ++i)
      widths[i] = least[i] > 0 ? std::max(least[i], std::min(usual[i], widest)) : 0;
    if (sum(widths) <= room) return widths;
  }
  return least;
}

}  // namespace

double MeasureColumns::all() const { return names + sum(widths) + profile; }

double MeasureColumns::count() const {
  return static_cast<double>(std::ranges::count_if(widths, [](double width) { return width > 0; }));
}

MeasureColumns measure_columns(const HeadMeasures& heads, double names, std::optional<double> room, bool sorted) {
  MeasureColumns columns = {std::max(kMinNameWidth, names), usual_widths(), kProfileWidth, kHeaderHeight};
  if (!room || columns.all() <= *room) return columns;
  columns.profile = 0;
  if (columns.all() <= *room) return columns;
  columns.upright = true;
  columns.header = longest_heading() + kAroundUpright + (sorted ? kUprightArrow : 0);
  const std::vector<double> usual = std::move(columns.widths);
  const double widest = *std::max_element(usual.begin(), usual.end());
  columns.widths = upright_widths(heads, usual, *room - columns.names, columns.decimals, widest);
  if (columns.all() > *room) {
    columns.names = names;
    columns.decimals = kFewerDecimals;
    columns.widths = upright_widths(heads, usual, *room - names, columns.decimals, kNarrowColumn);
    columns.names = std::clamp(*room - sum(columns.widths), std::min(kMinNameWidth, names), names);
  }
  return columns;
}

}  // namespace attnscope
