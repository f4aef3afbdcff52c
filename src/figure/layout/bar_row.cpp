#include "figure/layout/bar_row.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kWidestBar = 44;
// Bars closer than this have no gaps between them.
constexpr double kClosestWithGaps = 4;
constexpr double kThinnestSelected = 2;
// A narrower selected bar has a mark in its background.
constexpr double kThinBar = 8;
constexpr double kMinPitchWithNumbers = 24;
// Pitch of labels that do not touch.
constexpr double kTickPitch = TypeSize::kSmall;

bool is_left_out(const BarRow& row, Index i) {
  return !row.left_out.empty() && row.left_out[static_cast<std::size_t>(i)];
}

double number(const BarRow& row, Index i) { return row.numbers[static_cast<std::size_t>(i)]; }

/// The number that a column shows: the largest in magnitude among those that are not left out, if any.
Index shown_number(const BarRow& row, const BarColumns& columns, Index column) {
  Index best = columns.first(column);
  for (Index i = best; i < columns.first(column + 1); ++i) {
    const bool better = is_left_out(row, best) != is_left_out(row, i)
                            ? is_left_out(row, best)
                            : std::abs(number(row, i)) > std::abs(number(row, best));
    if (better) best = i;
  }
  return best;
}

class RowPainter {
 public:
  RowPainter(Figure& figure, const BarRow& row, const BarColumns& columns, const Chart& chart)
      : figure_(figure), row_(row), columns_(columns), chart_(chart) {}

  void bars() const {
    for (Index column = 0; column < columns_.count(); ++column) {
      const Index i = shown_number(row_, columns_, column);
      if (!row_.is_shown(i)) continue;
      const double x = columns_.left + static_cast<double>(column) * columns_.pitch();
      if (is_left_out(row_, i)) {
        figure_.bars.push_back({id(column) + ".masked",
                                {x, chart_.box.y, columns_.pitch(), chart_.box.height},
                                Shade::of(Ink::line, 0.4)});
      } else if (i != row_.chosen) {
        bar(id(column), i, columns_.center(column), bar_width(), row_.shade);
      }
      TargetMark target = row_.target(i);
      target.id = id(column);
      target.box = {x, chart_.box.y, columns_.pitch(), chart_.box.height};
      figure_.targets.push_back(std::move(target));
    }
    selected_bar();
  }

  void sums() const {
    if (row_.sums.empty()) return;
    CurveMark curve = {row_.id + ".sum", {{columns_.left, chart_.up(0)}}, Shade::of(Ink::accent), 2, false};
    for (Index column = 0; column < columns_.count(); ++column) {
      const Index last = columns_.first(column + 1) - 1;
      if (!row_.is_shown(last)) break;
      curve.points.push_back({columns_.center(column), chart_.up(row_.sums[static_cast<std::size_t>(last)])});
    }
    if (row_.is_shown(std::ssize(row_.sums) - 1))
      curve.points.push_back({columns_.left + columns_.width, chart_.up(row_.sums.back())});
    if (std::all_of(row_.sums.begin(), row_.sums.end(), [](double sum) { return std::isfinite(sum); }))
      figure_.curves.push_back(std::move(curve));
  }

  /// All numbers in one precision, where they fit.
  void numbers() const {
    if (!columns_.has_numbers()) return;
    for (const int digits : {3, 2}) {
      std::vector<std::string> texts;
      double widest = 0;
      for (const double each : row_.numbers) {
        texts.push_back(row_.decimals < 0 ? number_text(each, digits) : fixed_text(each, row_.decimals - 3 + digits));
        widest = std::max(widest, text_width(texts.back(), TypeSize::kSmall));
      }
      if (widest + 4 > columns_.pitch()) continue;
      for (Index i = 0; i < std::ssize(texts) && row_.is_shown(i); ++i) {
        const Ink ink = i == row_.chosen ? Ink::accent : Ink::dim;
        figure_.texts.push_back(chart_text(id(i), {columns_.center(i), chart_.box.bottom() + 13},
                                           texts[static_cast<std::size_t>(i)], ink, TypeSize::kSmall,
                                           HorizontalAlign::center));
      }
      return;
    }
  }

 private:
  [[nodiscard]] std::string id(Index column) const { return row_.id + "." + std::to_string(column); }

  [[nodiscard]] double bar_width() const {
    return columns_.pitch() < kClosestWithGaps ? columns_.pitch() : std::min(kWidestBar, columns_.pitch() * 0.72);
  }

  void bar(const std::string& name, Index i, double center, double width, Shade shade) const {
    if (!std::isfinite(number(row_, i))) return;
    const double zero = chart_.up(0);
    const double end = std::clamp(chart_.up(number(row_, i)), chart_.box.y, chart_.box.bottom());
    figure_.bars.push_back({name, {center - width / 2, std::min(zero, end), width, std::abs(end - zero)}, shade});
  }

  /// Painted above its neighbours, to be visible among many.
  void selected_bar() const {
    if (row_.chosen < 0 || !row_.is_shown(row_.chosen)) return;
    const double center = columns_.center(columns_.column_of(row_.chosen));
    if (bar_width() < kThinBar) {
      const double mark = std::max(kThinBar, columns_.pitch());
      figure_.bars.push_back(
          {row_.id + ".mark", {center - mark / 2, chart_.box.y, mark, chart_.box.height}, Shade::of(Ink::accent, 0.3)});
    }
    if (is_left_out(row_, row_.chosen)) return;
    bar(row_.id + ".chosen", row_.chosen, center, std::max(kThinnestSelected, bar_width()), Shade::of(Ink::accent));
  }

  Figure& figure_;
  const BarRow& row_;
  const BarColumns& columns_;
  const Chart& chart_;
};

/// The title's line: as much of it as fits.
void add_title(Figure& figure, const BarRow& row, const BarColumns& columns, double top) {
  const double baseline = top + 12;
  figure.texts.push_back(title_mark(row.id + ".title", {columns.left, baseline}, row.title, TypeSize::kBody));
  const double about = markup_width(row.title, TypeSize::kBody, FontWeight::semibold) + 10;
  const double note = row.note.empty() ? 0 : markup_width(row.note, TypeSize::kBody, FontWeight::semibold);
  if (note > 0) {
    TextMark mark = chart_text(row.id + ".note", {columns.left + columns.width, baseline}, row.note, Ink::accent,
                               TypeSize::kBody, HorizontalAlign::right);
    mark.weight = FontWeight::semibold;
    figure.texts.push_back(std::move(mark));
  }
  const auto fits = [&](const std::string& text) {
    return about + markup_width(text, TypeSize::kSmall, FontWeight::regular) + note + 10 <= columns.width;
  };
  const auto found = std::find_if(row.about.begin(), row.about.end(), fits);
  if (found == row.about.end()) return;
  figure.texts.push_back(chart_text(row.id + ".about", {columns.left + about, baseline}, *found, Ink::dim));
}

}  // namespace

ChartRange bar_range(const BarRow& row) {
  double low = 0;
  double high = 0;
  const auto add = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (Index i = 0; i < std::ssize(row.numbers); ++i) {
    if (!is_left_out(row, i)) add(number(row, i));
  }
  for (const double sum : row.sums) add(sum);
  if (low == 0 && high == 0) return {0, 1};
  if (low < 0 && high > 0) return {-std::max(-low, high), std::max(-low, high)};
  return {low, high};
}

ChartRange share_range(const BarRow& row) {
  constexpr std::size_t kMany = 32;
  double largest = 0;
  for (const double share : row.numbers) largest = share > largest ? share : largest;
  if (row.numbers.size() <= kMany || !(largest > 0)) return {0, 1};
  const double power = std::pow(10, std::floor(std::log10(largest)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (largest <= factor * power) return {0, std::min(1.0, factor * power)};
  }
  return {0, std::min(1.0, 10 * power)};
}

Index BarColumns::count() const { return std::clamp<Index>(static_cast<Index>(width), 1, std::max<Index>(1, numbers)); }

Index BarColumns::first(Index column) const {
  // Avoids a product that could overflow: equal counts in every column, one more in the first ones.
  const Index each = numbers / count();
  return column * each + std::min(column, numbers % count());
}

Index BarColumns::column_of(Index i) const {
  const Index each = numbers / count();
  const Index fuller = numbers % count();
  return i < fuller * (each + 1) ? i / (each + 1) : (i - fuller) / each;
}

Index BarColumns::most() const { return first(1); }

bool BarColumns::has_numbers() const { return most() <= 1 && pitch() >= kMinPitchWithNumbers; }

double BarColumns::numbers_height() const { return has_numbers() ? 18 : 6; }

double add_bar_row(Figure& figure, const BarRow& row, const BarColumns& columns, double top, double height) {
  const Chart chart = {row.id, {columns.left, top + kBarTitle, columns.width, height}, {0, 1}, row.range};
  add_title(figure, row, columns, top);
  const auto most = static_cast<std::size_t>(std::max(1.0, height / kTickPitch - 1));
  add_y_axis(figure, chart, std::min(most, kMaxBarTicks));
  const RowPainter painter(figure, row, columns, chart);
  painter.bars();
  painter.sums();
  painter.numbers();
  figure.lines.push_back(
      {row.id + ".zero", {columns.left, chart.up(0)}, {columns.left + columns.width, chart.up(0)}, Ink::dim});
  return chart.box.bottom() + columns.numbers_height();
}

}  // namespace attnscope
