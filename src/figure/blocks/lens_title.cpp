#include "figure/blocks/lens_title.h"

#include "core/base/text.h"
#include "figure/layout/chart.h"

namespace attnscope {
namespace {

constexpr double kApartInTitle = 12;
constexpr const char* kLensWords = "What each layer would say";
constexpr const char* kEarlier = "‹ earlier";
constexpr const char* kLater = "later ›";

std::string shown_text(const ShownPositions& positions, bool in_short) {
  return (in_short ? "" : "positions ") + grouped_text(positions.first + 1) + "–" + grouped_text(positions.end()) +
         " of " + grouped_text(positions.of);
}

double width_with(const ShownPositions& positions, bool turns, bool in_short) {
  double width = text_width(kLensWords, TypeSize::kBody, FontWeight::semibold);
  if (positions.are_all()) return width;
  width += kApartInTitle + text_width(shown_text(positions, in_short), TypeSize::kSmall);
  for (const char* const turn : {kEarlier, kLater})
    width += turns ? kApartInTitle + text_width(turn, TypeSize::kSmall) : 0;
  return width;
}

void add_words(Figure& figure, const std::string& id, Point right, const std::string& words, Ink ink) {
  figure.texts.push_back(chart_text(id, right, words, ink, TypeSize::kSmall, HorizontalAlign::right));
}

/// Words whose right end is at `right`, which select a position (from 1) of other columns; returns their width.
double add_turn(Figure& figure, const std::string& id, Point right, const std::string& words, Index position,
                Index positions) {
  const double width = text_width(words, TypeSize::kSmall);
  const bool possible = position >= 1 && position <= positions;
  add_words(figure, id, right, words, possible ? Ink::accent : Ink::line);
  if (!possible) return width;
  figure.targets.push_back({id,
                            {right.x - width, right.y - 12, width, 16},
                            "Click for other positions",
                            SetOptions{{{"position", position}}}});
  return width;
}

}  // namespace

double lens_title_width(const ShownPositions& positions, bool turns) { return width_with(positions, turns, true); }

void add_lens_title(Figure& figure, const ShownPositions& positions, bool turns, Point at, double right) {
  figure.texts.push_back(title_mark("lens.title", at, kLensWords, TypeSize::kBody));
  if (positions.are_all()) return;
  const std::string shown = shown_text(positions, width_with(positions, turns, false) > right - at.x);
  if (!turns) {
    add_words(figure, "lens.positions", {right, at.y}, shown, Ink::dim);
    return;
  }
  const double later =
      right - add_turn(figure, "lens.later", {right, at.y}, kLater, positions.end() + 1, positions.of) - kApartInTitle;
  add_words(figure, "lens.positions", {later, at.y}, shown, Ink::dim);
  const double earlier = later - text_width(shown, TypeSize::kSmall) - kApartInTitle;
  add_turn(figure, "lens.earlier", {earlier, at.y}, kEarlier, positions.first, positions.of);
}

}  // namespace attnscope
