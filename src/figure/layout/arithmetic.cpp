#include "figure/layout/arithmetic.h"

#include <algorithm>
#include <utility>

#include "figure/layout/chart.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kTermHeight = 44;
constexpr double kSignGap = 12;  // at either side of a sign

double term_width(const ArithmeticTerm& term) {
  return std::max(markup_width(term.caption, TypeSize::kSmall, FontWeight::regular),
                  markup_width(term.value, TypeSize::kTitle, FontWeight::semibold));
}

double sign_width(const ArithmeticTerm& term) {
  return term.sign.empty() ? 0 : markup_width(term.sign, TypeSize::kTitle, FontWeight::regular) + 2 * kSignGap;
}

void add_term(Figure& figure, const ArithmeticTerm& term, Point at) {
  const double baseline = at.y + 31;
  if (!term.sign.empty())
    figure.texts.push_back(chart_text(term.id + ".sign", {at.x + sign_width(term) / 2, baseline}, term.sign, Ink::dim,
                                      TypeSize::kTitle, HorizontalAlign::center));
  const double x = at.x + sign_width(term);
  figure.texts.push_back(chart_text(term.id + ".caption", {x, at.y + 12}, term.caption, Ink::dim));
  TextMark text = chart_text(term.id + ".value", {x, baseline}, term.value, term.ink, TypeSize::kTitle);
  text.weight = FontWeight::semibold;
  figure.texts.push_back(std::move(text));
  if (!term.cell) return;
  TargetMark target;
  target.id = term.id;
  target.box = {x - 4, at.y, term_width(term) + 8, kTermHeight - 6};
  target.cell = term.cell;
  figure.targets.push_back(std::move(target));
}

}  // namespace

double add_arithmetic(Figure* figure, std::span<const ArithmeticTerm> terms, Point at, double width) {
  Point next = at;
  for (const ArithmeticTerm& term : terms) {
    const double term_end = next.x + sign_width(term) + term_width(term);
    if (next.x > at.x && term_end > at.x + width) next = {at.x, next.y + kTermHeight};
    if (figure != nullptr) add_term(*figure, term, next);
    next.x += sign_width(term) + term_width(term);
  }
  return next.y + kTermHeight - at.y;
}

}  // namespace attnscope
