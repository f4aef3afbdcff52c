// Every view as PDF and SVG: checked by poppler and librsvg, and their pictures compared with the program's.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "support/rendered_figure.h"
#include "support/sanitized.h"
#include "view_pictures.h"

namespace attnscope::test {
namespace {

/// A page of seven inches by five.
constexpr WindowRoom kPage = {"page", 672, 480};

class RenderedFigures : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string missing = not_installed({"pdftoppm", "pdffonts", "pdfinfo", "rsvg-convert", "xmllint"});
    if (!missing.empty()) GTEST_SKIP() << missing;
    trace_ = trace_shown_in(GetParam());
    ASSERT_TRUE(trace_);
    figure_ = figure_in(kPage, GetParam(), *trace_);
  }

  std::filesystem::path write(const std::string& ending, Theme theme) {
    const ExperimentSource source = {trace_->experiment()};
    std::filesystem::path path = folder_ / ("figure." + ending);
    EXPECT_TRUE(write_figure(figure_, own_size(figure_, theme), path, &source));
    return path;
  }

  [[nodiscard]] static Raster own_picture(const Figure& figure, Theme theme) {
    return pixels_of(figure_bytes(figure, FigureFormat::png, own_size(figure, theme)).value());
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Trace> trace_;
  Figure figure_;
};

/// What the checkers find wrong with a PDF; empty: nothing.
std::string pdf_faults(const std::string& path) {
  std::string faults;
  const Said info = said_by("pdfinfo " + path);
  for (const char* word : {"Error", "Warning"}) {
    if (info.code != 0 || info.text.find(word) != std::string::npos) faults += "pdfinfo says " + info.text;
  }
  if (info.text.find("Pages:           1\n") == std::string::npos) faults += "it has not one page\n";
  const Said fonts = said_by("pdffonts " + path);
  std::istringstream lines(fonts.text);
  std::string line;
  int count = 0;
  for (int row = 0; std::getline(lines, line); ++row) {
    if (row < 2) continue;  // the head of the table
    ++count;
    // Embedded, a subset, with the meaning of its letters.
    if (line.find(" yes yes yes ") == std::string::npos) faults += "a font is not embedded: " + line + "\n";
  }
  if (fonts.code != 0 || count == 0) faults += "pdffonts says " + fonts.text;
  if (not_installed({"qpdf"}).empty()) {
    const Said check = said_by("qpdf --check " + path);
    if (check.code != 0) faults += "qpdf says " + check.text;
  }
  return faults;
}

TEST_P(RenderedFigures, PassTheCheckersAndLookLikeTheProgramsOwnPicture) {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    SCOPED_TRACE(theme_name(theme));
    const Raster own = own_picture(figure_, theme);
    const std::filesystem::path pdf = write("pdf", theme);
    EXPECT_EQ(pdf_faults(pdf.string()), "");
    EXPECT_EQ(rendering_fault(rendered(pdf), own, figure_, Letters::placed), "") << "as PDF";
    const std::filesystem::path svg = write("svg", theme);
    const Said xml = said_by("xmllint --nonet --noout " + svg.string());
    EXPECT_EQ(xml.text, "");
    EXPECT_EQ(xml.code, 0);
    EXPECT_EQ(rendering_fault(rendered(svg), own, figure_, Letters::by_reader), "") << "as SVG";
    if (kSanitized) return;  // both themes take the same ways
  }
}

/// A faulty figure.
struct WrongFigure {
  std::string what;
  Figure figure;
  bool seen_by_reader = true;  ///< also where the reader sets the letters
};

/// Without the last mark of that kind in that order.
template <typename Mark, typename Before>
void add_without(const Figure& right, std::vector<Mark> Figure::*marks, const Before& before, const std::string& what,
                 std::vector<WrongFigure>& wrong) {
  if ((right.*marks).empty()) return;
  Figure figure = right;
  const auto chosen = std::max_element((figure.*marks).begin(), (figure.*marks).end(), before);
  const std::string id = chosen->id;
  (figure.*marks).erase(chosen);
  wrong.push_back({"without the " + what + " " + id, std::move(figure)});
}

std::vector<WrongFigure> wrong_figures(const Figure& right) {
  std::vector<WrongFigure> wrong;
  if (!right.heatmaps.empty()) {
    const auto area = [](const HeatmapMark& mark) { return mark.box.width * mark.box.height; };
    const auto largest =
        std::max_element(right.heatmaps.begin(), right.heatmaps.end(),
                         [&](const HeatmapMark& a, const HeatmapMark& b) { return area(a) < area(b); }) -
        right.heatmaps.begin();
    const auto change = [&](const std::string& what, const auto& how) {
      Figure figure = right;
      HeatmapMark& mark = figure.heatmaps[static_cast<std::size_t>(largest)];
      how(mark);
      wrong.push_back({mark.id + " " + what, std::move(figure)});
    };
    change("half a cell aside",
           [](HeatmapMark& mark) { mark.box.x += mark.box.width / static_cast<double>(mark.columns()) / 2; });
    change("half a cell down",
           [](HeatmapMark& mark) { mark.box.y += mark.box.height / static_cast<double>(mark.rows()) / 2; });
    change("in other colours", [](HeatmapMark& mark) {
      mark.scale.map = mark.scale.map == ColorMap::viridis ? ColorMap::magma : ColorMap::viridis;
    });
    change("on a longer scale", [](HeatmapMark& mark) { mark.scale.high += (mark.scale.high - mark.scale.low) / 2; });
  }
  const auto longer = [](const TextMark& a, const TextMark& b) { return a.markup.size() < b.markup.size(); };
  const auto shorter = [](const TextMark& a, const TextMark& b) { return a.markup.size() > b.markup.size(); };
  const auto length = [](const LineMark& line) { return std::abs(line.to.x - line.from.x + line.to.y - line.from.y); };
  const auto area = [](const auto& mark) { return mark.box.width * mark.box.height; };
  const auto smaller = [&](const auto& a, const auto& b) { return area(a) < area(b); };
  // The lines of a grid are bars as well, fainter than what programs differ by. Of equal ones the last, which no other
  // hides.
  const auto thinner = [](const BarMark& a, const BarMark& b) {
    const double one = std::min(a.box.width, a.box.height);
    const double other = std::min(b.box.width, b.box.height);
    return one < other || (one == other && &a < &b);
  };
  add_without(right, &Figure::texts, longer, "text", wrong);
  add_without(right, &Figure::color_bars, smaller, "colour bar", wrong);
  add_without(
      right, &Figure::lines, [&](const auto& a, const auto& b) { return length(a) < length(b); }, "line", wrong);
  add_without(
      right, &Figure::curves,
      [](const auto& a, const auto& b) {
        return a.points.size() < b.points.size() || (a.points.size() == b.points.size() && &a < &b);
      },
      "curve", wrong);
  // For a reader that sets letters elsewhere a digit beside others may be one of those, and so may a bar of a legend.
  const std::size_t seen = wrong.size();
  add_without(right, &Figure::texts, shorter, "text", wrong);
  add_without(right, &Figure::bars, thinner, "bar", wrong);
  for (std::size_t i = seen; i < wrong.size(); ++i) wrong[i].seen_by_reader = false;
  return wrong;
}

TEST_P(RenderedFigures, DoNotLookLikeWrongOnes) {
  if (kSanitized) GTEST_SKIP() << "of how pictures are compared, not of the program";
  const Raster pdf = rendered(write("pdf", Theme::light));
  const Raster svg = rendered(write("svg", Theme::light));
  std::vector<WrongFigure> wrong = wrong_figures(figure_);
  ASSERT_GE(wrong.size(), 2U);
  // Comparing is what takes long: in turns with one file and with the other.
  bool as_svg = false;
  for (const auto& [what, figure, seen_by_reader] : wrong) {
    const Raster own = own_picture(figure, Theme::light);
    if (as_svg && seen_by_reader) {
      EXPECT_NE(rendering_fault(svg, own, figure_, Letters::by_reader), "") << what << ", as SVG";
    } else {
      EXPECT_NE(rendering_fault(pdf, own, figure_, Letters::placed), "") << what << ", as PDF";
    }
    as_svg = !as_svg;
  }
  EXPECT_NE(rendering_fault(svg, own_picture(figure_, Theme::dark), figure_, Letters::by_reader), "");
}

INSTANTIATE_TEST_SUITE_P(Views, RenderedFigures, testing::ValuesIn(view_names()),
                         [](const auto& view) { return view.param; });

}  // namespace
}  // namespace attnscope::test
