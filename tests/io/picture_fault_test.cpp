// The comparison of pictures notices what is wrong with a view, and nothing else.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "sample_figure.h"
#include "view_pictures.h"

namespace attnscope::test {
namespace {

/// `mark` with its last number halfway to the other end of its scale.
HeatmapMark with_another_number(HeatmapMark mark) {
  const MatrixView numbers = *mark.source->held();
  auto tensor = std::make_shared<Tensor>(Axes{{"row", mark.rows()}, {"column", mark.columns()}});
  const std::span<float> changed = tensor->values();
  for (Index row = 0; row < mark.rows(); ++row) {
    for (Index column = 0; column < mark.columns(); ++column)
      changed[static_cast<std::size_t>(row * mark.columns() + column)] = numbers.at(row, column);
  }
  const auto low = static_cast<float>(mark.scale.low);
  const auto high = static_cast<float>(mark.scale.high);
  changed.back() = (changed.back() + (changed.back() < (low + high) / 2 ? high : low)) / 2;
  const MatrixView view = {changed.data(), mark.rows(), mark.columns(), mark.columns(), 1};
  mark.source = std::make_shared<ResidentMatrix>(std::move(tensor), view);
  return mark;
}

/// A view in the smaller room, where faults are harder to see.
class PictureFaults : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    trace_ = trace_shown_in(GetParam());
    ASSERT_TRUE(trace_);
    figure_ = figure_in(kWindowRooms.back(), GetParam(), *trace_);
    right_.emplace(figure_, Theme::dark);
  }

  void expect_fault(const Figure& figure, const std::string& about, Theme theme = Theme::dark) const {
    const DrawnFigure drawn(figure, theme);
    EXPECT_NE(picture_fault(drawn.small, right_->small, drawn.letters), "") << about;
  }

  /// Without the largest mark of a kind; among equal ones the last.
  template <typename Mark, typename Size>
  void expect_missed(std::vector<Mark> Figure::*marks, const Size& size) const {
    Figure figure = figure_;
    std::vector<Mark>& all = figure.*marks;
    if (all.empty()) return;
    const auto largest =
        std::max_element(all.rbegin(), all.rend(), [&](const Mark& a, const Mark& b) { return size(a) < size(b); });
    const std::string id = largest->id;
    all.erase(std::next(largest).base());
    expect_fault(figure, "without " + id);
  }

  void expect_moved_title() const {
    constexpr double kAside = 8;
    Figure figure = figure_;
    // A single letter of a small picture may move unseen.
    constexpr std::size_t kWord = 6;
    const auto title = std::ranges::find_if(figure.texts, [](const TextMark& mark) {
      return mark.weight == FontWeight::semibold && mark.markup.size() >= kWord;
    });
    ASSERT_NE(title, figure.texts.end());
    title->at.x += kAside;
    expect_fault(figure, title->id + " moved");
  }

  void expect_moved_and_changed_heatmap() const {
    if (figure_.heatmaps.empty()) return;
    Figure figure = figure_;
    HeatmapMark& mark = figure.heatmaps.back();
    mark.box.x += 1;
    expect_fault(figure, mark.id + " moved");
    mark = with_another_number(figure_.heatmaps.back());
    expect_fault(figure, mark.id + " with another number");
  }

  std::shared_ptr<const Trace> trace_;
  Figure figure_;
  std::optional<DrawnFigure> right_;
};

TEST_P(PictureFaults, AreFoundWhereMarksAreMissingMovedOrChanged) {
  const auto area = [](const auto& mark) { return mark.box.width * mark.box.height; };
  const auto length = [](const LineMark& line) {
    return std::abs(line.to.x - line.from.x) + std::abs(line.to.y - line.from.y);
  };
  const auto letters = [](const TextMark& text) { return text.markup.size(); };
  expect_missed(&Figure::heatmaps, area);
  expect_missed(&Figure::color_bars, area);
  expect_missed(&Figure::bars, area);
  expect_missed(&Figure::lines, length);
  expect_missed(&Figure::strands, [](const StrandsMark& mark) { return mark.strands.size(); });
  expect_missed(&Figure::curves, [](const CurveMark& mark) { return mark.points.size(); });
  expect_missed(&Figure::texts, letters);
  expect_moved_title();
  expect_moved_and_changed_heatmap();
  expect_fault(figure_, "in the other theme", Theme::light);
}

INSTANTIATE_TEST_SUITE_P(Views, PictureFaults, testing::ValuesIn(view_names()),
                         [](const auto& view) { return view.param; });

/// The fault of a figure with a black bar of that many pixels, where there should be none.
std::string fault_with_bar(double length, double opacity) {
  Figure figure = blank_figure();
  const DrawnFigure right(figure, Theme::paper);
  figure.bars.push_back({"bar", {16, 16, length, 1}, Shade::of(Ink::text, opacity)});
  const DrawnFigure wrong(figure, Theme::paper);
  return picture_fault(wrong.small, right.small, wrong.letters);
}

TEST(PictureFault, IsNotTheEdgeOfAPixelButAPixel) {
  EXPECT_EQ(fault_with_bar(1, 0.5), "");
  EXPECT_NE(fault_with_bar(1, 1), "");
}

TEST(PictureFault, IsNotWhereLettersAreALittleElsewhere) {
  Figure figure = blank_figure();
  figure.texts.push_back(sample_text({20, 40}, "attention"));
  const DrawnFigure right(figure, Theme::paper);
  const auto fault_when_moved = [&](double by) {
    Figure moved = figure;
    moved.texts[0].at.x += by;
    const DrawnFigure wrong(moved, Theme::paper);
    return picture_fault(wrong.small, right.small, wrong.letters);
  };
  EXPECT_EQ(fault_when_moved(0.5), "");
  EXPECT_NE(fault_when_moved(8), "");
}

TEST(PictureFault, IsAnotherSize) {
  Figure figure = blank_figure();
  const DrawnFigure right(figure, Theme::paper);
  figure.height += kReduction;
  const DrawnFigure wrong(figure, Theme::paper);
  EXPECT_EQ(picture_fault(wrong.small, right.small, wrong.letters), "24 × 13 pixels instead of 24 × 12");
}

}  // namespace
}  // namespace attnscope::test
