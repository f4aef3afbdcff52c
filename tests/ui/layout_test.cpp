// No part of a picture covers another, in any window and with any sizes of matrices.
#include <algorithm>

#include "core/base/text.h"
#include "figure/model/canvas.h"
#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

// How far parts may reach into each other, logical pixels: edges are not rounded.
constexpr double kTolerance = 0.5;

/// What was painted and where.
struct Painted {
  std::string what;
  Rect box;
};

/// The ink of a line of text, from the tops of its capitals to its baseline, or below it where letters go there.
Rect ink_box(const PlacedText& text) {
  double width = 0;
  double above = kFontCapHeight;
  double below = 0;
  for (const TextSpan& span : text.spans) {
    const bool base = span.level == TextSpan::Level::base;
    width += text_width(span.text, base ? text.size : text.size * kScriptSize, text.weight);
    if (base && span.text.find_first_of("gjpqy,;()") != std::string::npos) below = std::max(below, 0.2);
    if (span.level == TextSpan::Level::superscript) above = kSuperscriptRise + kScriptSize * kFontCapHeight;
    if (span.level == TextSpan::Level::subscript) below = std::max(below, kSubscriptDrop);
  }
  double left = 0;
  if (text.horizontal != HorizontalAlign::left) left = text.horizontal == HorizontalAlign::center ? -width / 2 : -width;
  double baseline = 0;
  if (text.vertical == VerticalAlign::top) baseline = text.size * kFontAscent;
  if (text.vertical == VerticalAlign::middle) baseline = text.size * kFontCapHeight / 2;
  const Rect box = {left, baseline - above * text.size, width, (above + below) * text.size};
  if (text.angle == 0) return {text.at.x + box.x, text.at.y + box.y, box.width, box.height};
  return {text.at.x + box.y, text.at.y - box.right(), box.height, box.width};
}

/// Notes what a figure is made of instead of painting it.
class NotingCanvas final : public Canvas {
 public:
  std::vector<Painted> heatmaps;
  std::vector<Painted> bars;
  std::vector<Painted> texts;
  std::vector<Painted> lines;

  void heatmap(const HeatmapMark& mark, const Rect& box, double) override { heatmaps.push_back({mark.id, box}); }
  void gradient(ColorMap map, const Rect& box) override { bars.push_back({std::string(color_map_name(map)), box}); }
  void fill(const Rect&, Rgb, double) override {}
  void outline(const Rect&, Rgb, double, double) override {}
  void line(Point from, Point to, Rgb, double, bool) override {
    lines.push_back(
        {"line", {std::min(from.x, to.x), std::min(from.y, to.y), std::abs(to.x - from.x), std::abs(to.y - from.y)}});
  }
  void curve(std::span<const Point>, Rgb, double, double, bool) override {}
  void triangle(Point a, Point b, Point c, Rgb) override {
    const auto [left, right] = std::minmax({a.x, b.x, c.x});
    const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
    lines.push_back({"arrow", {left, top, right - left, bottom - top}});
  }
  void text(const PlacedText& text) override {
    // Numbers in cells stand in the middle of them.
    const bool number = text.horizontal == HorizontalAlign::center && text.vertical == VerticalAlign::middle &&
                        text.size <= TypeSize::kSmall;
    if (number) return;
    std::string words;
    for (const TextSpan& span : text.spans) words += span.text;
    texts.push_back({quoted_text(words), ink_box(text)});
  }
};

std::string place_text(const Painted& part) {
  return part.what + " (" + fixed_text(part.box.x, 1) + ", " + fixed_text(part.box.y, 1) + ", " +
         fixed_text(part.box.width, 1) + " × " + fixed_text(part.box.height, 1) + ")";
}

void expect_apart(const std::vector<Painted>& some, const std::vector<Painted>& others,
                  std::vector<std::string>& wrong) {
  for (const Painted& a : some) {
    for (const Painted& b : others) {
      if (&some == &others && &b <= &a) continue;
      const Rect common = a.box.intersection(b.box);
      if (common.width <= kTolerance || common.height <= kTolerance) continue;
      wrong.push_back(place_text(a) + " covers " + place_text(b));
    }
  }
}

void expect_inside(const std::vector<Painted>& parts, const Figure& figure, std::vector<std::string>& wrong) {
  for (const Painted& part : parts) {
    const bool inside = part.box.x >= -kTolerance && part.box.y >= -kTolerance &&
                        part.box.right() <= figure.width + kTolerance &&
                        part.box.bottom() <= figure.height + kTolerance;
    if (!inside) {
      wrong.push_back(place_text(part) + " outside " + fixed_text(figure.width, 1) + " × " +
                      fixed_text(figure.height, 1));
    }
  }
}

/// Everything that is wrong with a figure's layout.
std::vector<std::string> layout_faults(const Figure& figure) {
  NotingCanvas canvas;
  paint(figure, palette(Theme::dark), {}, {-1e6, -1e6, 2e6, 2e6}, canvas);
  std::vector<std::string> wrong;
  expect_apart(canvas.heatmaps, canvas.heatmaps, wrong);
  expect_apart(canvas.heatmaps, canvas.bars, wrong);
  expect_apart(canvas.heatmaps, canvas.texts, wrong);
  expect_apart(canvas.heatmaps, canvas.lines, wrong);
  expect_apart(canvas.bars, canvas.bars, wrong);
  expect_apart(canvas.bars, canvas.texts, wrong);
  expect_apart(canvas.texts, canvas.texts, wrong);
  for (const auto* parts : {&canvas.heatmaps, &canvas.bars, &canvas.texts, &canvas.lines}) {
    expect_inside(*parts, figure, wrong);
  }
  for (const Painted& heatmap : canvas.heatmaps) {
    if (heatmap.box.width < 1 || heatmap.box.height < 1) wrong.push_back(place_text(heatmap) + " cannot be seen");
  }
  return wrong;
}

struct Setting {
  const char* name;
  std::vector<std::string> values;  ///< as after --set
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
      {"default", {}},
      {"least", {"tokens=1", "features=1", "head_dim=1", "heads=1", "cross_queries=0"}},
      {"least-cross", {"tokens=1", "features=1", "head_dim=1", "heads=1", "cross_queries=1"}},
      {"most", {"tokens=16", "features=32", "head_dim=32", "heads=10", "cross_queries=10"}},
      {"no-cross", {"cross_queries=0"}},
      {"wide", {"tokens=2", "features=32", "head_dim=32"}},
      {"high", {"tokens=16", "features=1", "head_dim=1", "heads=3"}},
      {"masked", {"tokens=12", "mask=causal", "dropout=0.5"}},
      {"beyond", {"tokens=60", "features=40", "heads=2"}},
  };
  return all;
}

class Layout : public ::testing::TestWithParam<WindowSize> {};

TEST_P(Layout, NothingCoversAnythingElse) {
  InterfaceOptions options;
  options.width = GetParam().width;
  options.height = GetParam().height;
  options.scale = GetParam().scale;
  OffscreenInterface screen(options);
  screen.set_drawn(false);
  const TemporaryFolder folder;
  for (const Setting& setting : settings()) {
    for (const View& view : views()) {
      Experiment experiment = *default_experiment("worked-example");
      for (const std::string& value : setting.values) ASSERT_TRUE(apply_setting(experiment, value)) << value;
      experiment.view.name = view.name;
      screen.workbench().open_files({folder.file("experiment.json", experiment_json(experiment)).string()});
      screen.settle();
      ASSERT_EQ(screen.trace().experiment(), experiment) << screen.state().message.text;
      const std::vector<std::string> faults = layout_faults(screen.workbench().shown_figure().figure());
      EXPECT_TRUE(faults.empty()) << setting.name << ", " << view.name << ": " << faults.size() << " faults:\n  "
                                  << join(std::span(faults).first(std::min<std::size_t>(faults.size(), 4)), "\n  ");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, Layout,
                         ::testing::Values(WindowSize{1024, 700, 1}, WindowSize{1280, 800, 1},
                                           WindowSize{2560, 1600, 1}, WindowSize{1024, 700, 2},
                                           WindowSize{1280, 800, 2}, WindowSize{2560, 1600, 2}),
                         [](const auto& size) {
                           return std::to_string(size.param.width) + "x" + std::to_string(size.param.height) + "Scale" +
                                  std::to_string(static_cast<int>(size.param.scale));
                         });

TEST(UprightWindow, HasTheParametersBelowTheFigure) {
  InterfaceOptions options;
  options.width = 390;
  options.height = 844;
  const TemporaryFolder folder;
  options.user_folder = folder / "user";
  OffscreenInterface screen(options);
  screen.workbench().offer_beginnings();
  screen.settle();
  const Rect figure = screen.window_place("Figure");
  const Rect parameters = screen.window_place("Parameters");
  for (const Rect& place : {screen.window_place("Start"), figure, parameters}) {
    EXPECT_EQ(place.x, 0);
    EXPECT_EQ(place.width, 390);
  }
  EXPECT_GE(parameters.y, figure.bottom());
  EXPECT_GT(figure.height, 250);
  EXPECT_GT(parameters.height, 200);

  screen.state().pinned = ui::NamedCell{"x", {0, 0}};
  screen.settle();
  EXPECT_EQ(screen.window_place("Inspector"), parameters) << "what is said about a pinned cell takes their place";
  screen.state().pinned.reset();
  screen.key_with_control('[');
  screen.settle();
  EXPECT_GT(screen.window_place("Figure").height, figure.height + parameters.height) << "hidden, they leave their room";
}

}  // namespace
}  // namespace attnscope::test
