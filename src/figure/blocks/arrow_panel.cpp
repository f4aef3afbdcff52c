#include "figure/blocks/arrow_panel.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kPanelTitleHeight = 20;
constexpr double kAxisTitleHeight = 18;
constexpr double kTipSize = 14;                                       // of the target at a tip
constexpr std::array<double, 5> kTipLabelGaps = {5, 12, 20, 30, 42};  // from a tip to its label
constexpr double kTipLabelHeight = 12;
constexpr double kLeastForLabels = 120;  // side of a plot, for labels of all arrows
constexpr double kLeaderGap = 2;         // from the line that joins a label and its tip to either
constexpr double kLeastLeader = 6;       // a shorter line would say less than the label's place
constexpr std::size_t kMaxTipLabels = 28;
constexpr double kLeastHead = 7;     // a shorter arrow has none
constexpr double kLeastLength = 1;   // a shorter arrow would be a dot as wide as its line
constexpr double kLeastRadius = 12;  // of the arc of an angle
constexpr double kMostRadius = 34;

/// The least round number that is not below `value`.
double round_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (factor * power >= value) return factor * power;
  }
  return 10 * power;
}

/// The numbers along both axes: equally many on each.
std::array<ChartRange, 2> ranges_of(const ArrowPanel& panel) {
  PlanePoint least = {0, 0};
  PlanePoint most = {0, 0};
  for (const PanelArrow& arrow : panel.arrows) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      least[axis] = std::min({least[axis], arrow.from[axis], arrow.to[axis]});
      most[axis] = std::max({most[axis], arrow.from[axis], arrow.to[axis]});
    }
  }
  if (panel.symmetric) {
    // Room for labels at the longest arrows.
    const double end = round_up(1.08 * std::max({-least[0], -least[1], most[0], most[1]}));
    return {ChartRange{-end, end}, ChartRange{-end, end}};
  }
  const double extent = std::max(most[0] - least[0], most[1] - least[1]);
  const double half = extent > 0 ? 0.58 * extent : 1;
  std::array<ChartRange, 2> ranges;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double middle = (least[axis] + most[axis]) / 2;
    ranges[axis] = {middle - half, middle + half};
  }
  return ranges;
}

/// A straight line between two places.
struct Segment {
  Point from;
  Point to;

  [[nodiscard]] bool meets(const Rect& box) const {
    // The part of the line, from 0 to 1, between the box's sides left and right, then also between top and bottom.
    double begin = 0;
    double end = 1;
    const auto keep_between = [&](double start, double step, double low, double high) {
      if (step == 0) {
        if (start < low || start > high) end = -1;
        return;
      }
      const double first = (low - start) / step;
      const double second = (high - start) / step;
      begin = std::max(begin, std::min(first, second));
      end = std::min(end, std::max(first, second));
    };
    keep_between(from.x, to.x - from.x, box.x, box.right());
    keep_between(from.y, to.y - from.y, box.y, box.bottom());
    return begin <= end;
  }
};

/// Where the label of a tip is.
struct TipPlace {
  Point left;                     ///< the left end of its middle
  std::optional<Segment> leader;  ///< a line between them, where the label is not beside its tip
};

/// Finds places for labels around the tips of arrows.
class TipLabels {
 public:
  explicit TipLabels(const Rect& box) : box_(box) {}

  /// Keeps labels away from an axis if they have other places, as from the leaders of other labels.
  void add_axis(const Segment& axis) { lines_.push_back(axis); }
  /// The same with an arrow, and with its tip where that has a label.
  void add_arrow(const Segment& arrow, bool has_label) {
    arrows_.push_back(arrow);
    if (has_label) tips_.push_back(Rect{arrow.to.x, arrow.to.y, 0, 0}.grown(kLeastHead / 2));
  }

  /// A place for a label at `tip`, away from where its arrow comes from; nothing: there is no room. A label that is
  /// `needed` may lie on arrows.
  std::optional<TipPlace> place(Point tip, Point away, double width, bool needed) {
    constexpr std::array<double, 12> turns = {0, 45, -45, 90, -90, 135, -135, 180, 65, -65, 115, -115};
    const double direction = std::atan2(away.y, away.x);
    for (const Apart apart : {Apart::from_axes, Apart::from_arrows, Apart::from_tips, Apart::from_labels}) {
      if (apart > Apart::from_arrows && !needed) break;
      for (const double gap : kTipLabelGaps) {
        for (const double turn : turns) {
          const double angle = direction + turn * std::numbers::pi / 180;
          const Point center = {tip.x + std::cos(angle) * (width / 2 + gap),
                                tip.y + std::sin(angle) * (kTipLabelHeight / 2 + gap)};
          const Rect label = {center.x - width / 2, center.y - kTipLabelHeight / 2, width, kTipLabelHeight};
          if (!is_free(label, apart)) continue;
          const TipPlace found = {{label.x, center.y},
                                  gap > kTipLabelGaps[0] ? leader(tip, label) : std::optional<Segment>()};
          if (found.leader && !is_clear(*found.leader)) continue;
          taken_.push_back(label);
          if (found.leader) lines_.push_back(*found.leader);
          return found;
        }
      }
    }
    return std::nullopt;
  }

 private:
  /// What a label does not touch: each includes the ones after it.
  enum class Apart { from_axes, from_arrows, from_tips, from_labels };

  /// The line between a tip and the nearest place of its label, touching neither; nothing: they are too close for one.
  static std::optional<Segment> leader(Point tip, const Rect& label) {
    const Point near = {std::clamp(tip.x, label.x, label.right()), std::clamp(tip.y, label.y, label.bottom())};
    const double length = std::hypot(near.x - tip.x, near.y - tip.y);
    if (length <= 2 * kLeaderGap + kLeastLeader) return std::nullopt;
    const Point step = {(near.x - tip.x) / length * kLeaderGap, (near.y - tip.y) / length * kLeaderGap};
    return Segment{{tip.x + step.x, tip.y + step.y}, {near.x - step.x, near.y - step.y}};
  }

  /// Whether it crosses no label.
  [[nodiscard]] bool is_clear(const Segment& line) const {
    return std::ranges::none_of(taken_, [&](const Rect& label) { return line.meets(label); });
  }

  [[nodiscard]] bool is_free(const Rect& label, Apart apart) const {
    const Rect inside = label.intersection(box_);
    if (inside.width < label.width - 0.01 || inside.height < label.height - 0.01) return false;
    const auto touches = [&](const Rect& other) {
      const Rect both = label.grown(1).intersection(other);
      return both.width > 0 && both.height > 0;
    };
    if (std::ranges::any_of(taken_, touches)) return false;
    const auto meets = [&](const Segment& line) { return line.meets(label.grown(1)); };
    if (apart <= Apart::from_tips && std::ranges::any_of(tips_, touches)) return false;
    if (apart <= Apart::from_arrows && std::ranges::any_of(arrows_, meets)) return false;
    return apart > Apart::from_axes || std::ranges::none_of(lines_, meets);
  }

  Rect box_;
  std::vector<Rect> taken_;
  std::vector<Rect> tips_;
  std::vector<Segment> arrows_;
  std::vector<Segment> lines_;  ///< axes, and leaders to other labels
};

class ArrowPainter {
 public:
  ArrowPainter(Figure& figure, const ArrowPanel& panel, const Rect& box)
      : figure_(figure), panel_(panel), chart_(chart_of(panel, box)), labels_(box) {}

  void axes() {
    add_y_axis(figure_, chart_, static_cast<std::size_t>(std::max(3.0, chart_.box.height / 44)));
    add_x_axis(figure_, chart_, panel_.axes[0]);
    // The axis itself lies there.
    std::erase_if(figure_.bars, [&](const BarMark& bar) { return bar.id == chart_.id + ".y.0"; });
    const Rect& box = chart_.box;
    figure_.texts.push_back(chart_text(panel_.id + ".y.title", {box.x, box.y - 7}, panel_.axes[1], Ink::dim));
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) axis_line(axis);
    about_axis(0,
               {box.right() - markup_width(panel_.axes[0], TypeSize::kSmall, FontWeight::regular), box.bottom() + 31});
    about_axis(1, {box.x, box.y - 7});
  }

  void arrows() {
    for (const PanelArrow& arrow : panel_.arrows) {
      const Point from = at(arrow.from);
      const Point to = at(arrow.to);
      const double length = std::hypot(to.x - from.x, to.y - from.y);
      labels_.add_arrow({from, to}, !arrow.label.empty());
      if (length >= kLeastLength) {
        figure_.curves.push_back({panel_.id + "." + arrow.id,
                                  {from, to},
                                  arrow.shade,
                                  arrow.width,
                                  arrow.dashed,
                                  arrow.head && length >= kLeastHead});
      }
      if (arrow.target) target(*arrow.target, to);
    }
  }

  void angle() {
    if (!panel_.angle) return;
    const Point zero = at({0, 0});
    const auto [from, from_length] = direction(at(panel_.angle->from), zero);
    const auto [to, to_length] = direction(at(panel_.angle->to), zero);
    if (std::min(from_length, to_length) < kLeastRadius) return;
    const double radius = std::clamp(std::min(from_length, to_length) * 0.35, kLeastRadius, kMostRadius);
    // The shorter way round.
    const double turn = std::remainder(to - from, 2 * std::numbers::pi);
    CurveMark arc = {panel_.id + ".angle", {}, Shade::of(Ink::text), 1.5, false, false};
    constexpr int kPieces = 24;
    for (int i = 0; i <= kPieces; ++i) arc.points.push_back(around(zero, from + turn * i / kPieces, radius));
    figure_.curves.push_back(std::move(arc));
    const double middle = from + turn / 2;
    add_label("angle", panel_.angle->label, Ink::text, around(zero, middle, radius),
              {std::cos(middle), std::sin(middle)});
  }

  void labels() {
    std::size_t count = 0;
    for (auto arrow = panel_.arrows.rbegin(); arrow != panel_.arrows.rend() && count < kMaxTipLabels; ++arrow) {
      if (arrow->label.empty()) continue;
      const Point from = at(arrow->from);
      const Point to = at(arrow->to);
      add_label(arrow->id, arrow->label, arrow->label_ink, to, {to.x - from.x, to.y - from.y});
      ++count;
    }
  }

 private:
  static Chart chart_of(const ArrowPanel& panel, const Rect& box) {
    const auto [x, y] = ranges_of(panel);
    return {panel.id, box, x, y};
  }

  [[nodiscard]] Point at(const PlanePoint& point) const { return chart_.at(point[0], point[1]); }

  static std::pair<double, double> direction(Point tip, Point zero) {
    return {std::atan2(tip.y - zero.y, tip.x - zero.x), std::hypot(tip.x - zero.x, tip.y - zero.y)};
  }

  static Point around(Point zero, double angle, double radius) {
    return {zero.x + std::cos(angle) * radius, zero.y + std::sin(angle) * radius};
  }

  /// The axis through 0, under the arrows.
  void axis_line(std::size_t axis) {
    const Rect& box = chart_.box;
    const Point zero = at({0, 0});
    const bool across = axis == 0;
    const Segment line = {across ? Point{box.x, zero.y} : Point{zero.x, box.y},
                          across ? Point{box.right(), zero.y} : Point{zero.x, box.bottom()}};
    labels_.add_axis(line);
    figure_.curves.push_back({panel_.id + (across ? ".zero.across" : ".zero.up"),
                              {line.from, line.to},
                              Shade::of(Ink::dim, 0.7),
                              1,
                              false,
                              false});
  }

  void about_axis(std::size_t axis, Point at) const {
    if (panel_.axes_about[axis].empty()) return;
    TargetMark target;
    target.id = panel_.id + (axis == 0 ? ".across" : ".up");
    target.box = {at.x, at.y - TypeSize::kSmall, markup_width(panel_.axes[axis], TypeSize::kSmall, FontWeight::regular),
                  TypeSize::kSmall + 3};
    target.about = panel_.axes_about[axis];
    figure_.targets.push_back(std::move(target));
  }

  void target(TargetMark mark, Point tip) const {
    mark.box = Rect{tip.x, tip.y, 0, 0}.grown(kTipSize / 2);
    if (mark.moves) mark.moves->unit = chart_.box.width / (chart_.x.high - chart_.x.low);
    figure_.targets.push_back(std::move(mark));
  }

  void add_label(const std::string& id, const std::string& markup, Ink ink, Point tip, Point away) {
    // Among short arrows, labels that do not have to be there would cover those that do.
    if (ink != Ink::text && std::min(chart_.box.width, chart_.box.height) < kLeastForLabels) return;
    const double width = markup_width(markup, TypeSize::kSmall, FontWeight::regular);
    const std::optional<TipPlace> place = labels_.place(tip, away, width, ink == Ink::text);
    if (!place) return;
    figure_.texts.push_back(chart_text(panel_.id + "." + id, place->left, markup, ink, TypeSize::kSmall,
                                       HorizontalAlign::left, VerticalAlign::middle));
    if (!place->leader) return;
    figure_.curves.push_back({panel_.id + "." + id + ".leader",
                              {place->leader->from, place->leader->to},
                              Shade::of(Ink::dim, 0.7),
                              0.75,
                              false,
                              false});
  }

  Figure& figure_;
  const ArrowPanel& panel_;
  Chart chart_;
  TipLabels labels_;
};

}  // namespace

double panel_head(const ArrowPanel& panel, double width) {
  return kPanelTitleHeight + add_caption(nullptr, "", panel.caption, {}, width) + kAxisTitleHeight;
}

double panel_foot(const ArrowPanel& panel, double width) {
  return kXAxisHeight + add_legend(nullptr, "", panel.legend, {}, width);
}

void add_arrow_panel(Figure& figure, const ArrowPanel& panel, Point corner, double width, double head, double side) {
  figure.texts.push_back(title_mark(panel.id + ".title", {corner.x, corner.y + 13}, panel.title, TypeSize::kBody));
  add_caption(&figure, panel.id + ".caption", panel.caption, {corner.x, corner.y + kPanelTitleHeight}, width);
  const Rect box = {corner.x + kPanelLeft, corner.y + head, side, side};
  ArrowPainter painter(figure, panel, box);
  painter.axes();
  painter.arrows();
  painter.angle();
  painter.labels();
  add_legend(&figure, panel.id + ".legend", panel.legend, {corner.x, box.bottom() + kXAxisHeight}, width);
}

}  // namespace attnscope
