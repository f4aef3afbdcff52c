#include "figure/blocks/answer_chips.h"

#include <algorithm>

#include "figure/layout/chart.h"
#include "figure/slices/model_answers.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kChipGap = 6;
constexpr double kChipPad = 10;
constexpr double kNameWidth = 56;

void add_chip(Figure& figure, const AnswerChips& chips, Index answer, const std::string& words, const Rect& box) {
  const bool chosen = answer == chips.chosen;
  const std::string id = chips.option + "." + std::to_string(answer);
  figure.bars.push_back({id, box, chosen ? Shade::of(Ink::accent, 0.22) : Shade::of(Ink::line, 0.28)});
  figure.texts.push_back(chart_text(id, {box.x + kChipPad, box.center().y}, literal_markup(words),
                                    chosen ? Ink::text : Ink::dim, TypeSize::kSmall, HorizontalAlign::left,
                                    VerticalAlign::middle));
  const std::string quoted = answer < 0 ? "" : "“" + words + "”";
  figure.targets.push_back({id, box, chips.about(quoted), SetOptions{{{chips.option, answer}}}});
}

}  // namespace

double add_answer_title(Figure* figure, const Trace& trace, const ResidualStream& stream, Index position,
                        const std::string& words, Point at) {
  const std::string count = position_count_text(trace, stream, position);
  const double end = text_width(words, TypeSize::kTitle, FontWeight::semibold) + 12;
  if (figure != nullptr) {
    figure->texts.push_back(title_mark("title", {at.x, at.y + 13}, literal_markup(words)));
    if (!count.empty()) figure->texts.push_back(chart_text("position", {at.x + end, at.y + 13}, count, Ink::dim));
  }
  return end + text_width(count, TypeSize::kSmall);
}

void add_answer_chips(Figure& figure, const Trace& trace, const AnswerChips& chips, Point at, double width) {
  figure.texts.push_back(chart_text(chips.option, {at.x, at.y + 10}, chips.name, Ink::dim, TypeSize::kSmall,
                                    HorizontalAlign::left, VerticalAlign::middle));
  std::vector<Index> offered;
  if (chips.optional) offered.push_back(-1);
  for (const Answer& each : chips.offered) offered.push_back(each.number);
  if (std::ranges::find(offered, chips.chosen) == offered.end())
    offered.insert(offered.begin() + (chips.optional ? 1 : 0), chips.chosen);
  double x = at.x + kNameWidth;
  for (const Index each : offered) {
    const std::string words = each < 0 ? "none" : answer_name(trace, each);
    const double its = text_width(words, TypeSize::kSmall) + 2 * kChipPad;
    if (x + its > at.x + width) break;
    add_chip(figure, chips, each, words, {x, at.y, its, 20});
    x += its + kChipGap;
  }
}

}  // namespace attnscope
