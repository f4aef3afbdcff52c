#include "figure/blocks/answer_list.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kHeading = 22;
constexpr double kThick = 10;
constexpr double kApart = 12;
constexpr double kIdWidth = 48;
constexpr double kNumberWidth = 64;
constexpr double kLeastBar = 60;

double names_width(const AnswerList& list) {
  double width = text_width(list.heading, TypeSize::kSmall);
  if (list.others > 0) width = std::max(width, text_width(grouped_text(list.others) + " others", TypeSize::kSmall));
  for (const std::string& name : list.names) width = std::max(width, text_width(name, TypeSize::kBody));
  return width;
}

/// With as many digits as tell small ones from 0.
std::string probability_text(double probability) {
  return probability >= 1e-4 || probability == 0 ? fixed_text(probability, 4) : number_text(probability, 2);
}

std::string logit_text(double logit) {
  constexpr double kMaxFixed = 1000;
  return std::abs(logit) < kMaxFixed ? fixed_text(logit, 3) : number_text(logit);
}

class AnswerRows {
 public:
  AnswerRows(Figure& figure, const AnswerList& list, Point at, double width)
      : figure_(figure), list_(list), at_(at), width_(width) {
    id_right_ = at.x + names_width(list) + kApart + kIdWidth;
    bar_left_ = id_right_ + kApart;
    bar_width_ = at.x + width - 2 * kNumberWidth - bar_left_;
  }

  void add() {
    header();
    double rest = 1;
    double y = at_.y + kHeading;
    for (std::size_t i = 0; i < list_.answers.size(); ++i, y += list_.row) {
      row(i, y);
      rest -= list_.answers[i].probability;
    }
    if (list_.others == 0) return;
    text("answer.others", at_.x, y, grouped_text(list_.others) + " others", Ink::dim, HorizontalAlign::left);
    bar("answer.others", y, std::clamp(rest, 0.0, 1.0), Shade::of(Ink::dim, 0.6));
    text("answer.others.probability", probability_right(), y, rest >= 1e-4 ? fixed_text(rest, 4) : "< 0.0001", Ink::dim,
         HorizontalAlign::right);
  }

 private:
  [[nodiscard]] double probability_right() const { return at_.x + width_ - kNumberWidth; }

  void text(const std::string& id, double x, double y, const std::string& words, Ink ink, HorizontalAlign align,
            double size = TypeSize::kSmall) {
    figure_.texts.push_back({id,
                             {x, y + list_.row / 2},
                             literal_markup(words),
                             size,
                             FontWeight::regular,
                             ink,
                             align,
                             VerticalAlign::middle,
                             0});
  }

  void header() {
    text("header.name", at_.x, at_.y, list_.heading, Ink::dim, HorizontalAlign::left);
    text("header.id", id_right_, at_.y, "id", Ink::dim, HorizontalAlign::right);
    text("header.probability", probability_right(), at_.y, "probability", Ink::dim, HorizontalAlign::right);
    text("header.logit", at_.x + width_, at_.y, "logit", Ink::dim, HorizontalAlign::right);
  }

  void bar(const std::string& id, double y, double share, const Shade& shade) {
    const double top = y + (list_.row - kThick) / 2;
    figure_.bars.push_back({id + ".track", {bar_left_, top, bar_width_, kThick}, Shade::of(Ink::line, 0.35)});
    // Readers of files draw thinner ones in different ways.
    const double length = bar_width_ * share;
    if (length >= 0.5) figure_.bars.push_back({id + ".bar", {bar_left_, top, std::max(1.0, length), kThick}, shade});
  }

  void row(std::size_t i, double y) {
    const Answer& answer = list_.answers[i];
    const std::string id = "answer." + std::to_string(i + 1);
    text(id, at_.x, y, list_.names[i], Ink::text, HorizontalAlign::left, TypeSize::kBody);
    text(id + ".id", id_right_, y, std::to_string(answer.number), Ink::dim, HorizontalAlign::right);
    bar(id, y, std::clamp(answer.probability, 0.0, 1.0), Shade::of(Ink::accent));
    text(id + ".probability", probability_right(), y, probability_text(answer.probability), Ink::text,
         HorizontalAlign::right);
    text(id + ".logit", at_.x + width_, y, logit_text(answer.logit), Ink::text, HorizontalAlign::right);
    target(i, id, y);
  }

  void target(std::size_t i, const std::string& id, double y) {
    if (!list_.logits.empty()) {
      TargetMark logit;
      logit.id = id + ".cell";
      logit.box = {bar_left_, y, at_.x + width_ - bar_left_, list_.row};
      logit.cell = list_.logits[i];
      figure_.targets.push_back(std::move(logit));
    }
    if (list_.opens.empty()) return;
    TargetMark name;
    name.id = id + ".open";
    name.box = {at_.x, y, id_right_ - at_.x, list_.row};
    name.about = "Click for what adds to the logit of “" + list_.names[i] + "”";
    name.click = list_.opens[i];
    figure_.targets.push_back(std::move(name));
  }

  Figure& figure_;
  const AnswerList& list_;
  Point at_;
  double width_;
  double id_right_ = 0;
  double bar_left_ = 0;
  double bar_width_ = 0;
};

}  // namespace

double answer_list_height(const AnswerList& list) {
  return kHeading + list.row * static_cast<double>(list.answers.size() + (list.others > 0 ? 1 : 0));
}

double answer_list_width(const AnswerList& list) {
  return names_width(list) + kApart + kIdWidth + kApart + kLeastBar + 2 * kNumberWidth;
}

void add_answer_list(Figure& figure, const AnswerList& list, Point at, double width) {
  AnswerRows(figure, list, at, width).add();
}

}  // namespace attnscope
