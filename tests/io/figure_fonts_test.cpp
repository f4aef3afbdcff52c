// Figures in other fonts than Inter: the widths that the layout counts on, the files, and LaTeX.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/experiment/system.h"
#include "core/trace/run.h"
#include "figure/views/view.h"
#include "io/canvas/font_files.h"
#include "io/canvas/text_image.h"
#include "io/figures/fitted_figure.h"
#include "support/rendered_figure.h"

namespace attnscope::test {
namespace {

constexpr std::array kOtherFonts = {FigureFont::serif, FigureFont::latex};

/// Why the tests of a font cannot run; empty: they can.
std::string missing_font(FigureFont font) {
  const Result<void> there = check_font(font);
  return there ? "" : there.error().message;
}

Figure view_in(FigureFont font, const std::string& name) {
  const auto trace = *run(*default_experiment("worked-example"));
  ViewOptions options = *view_options({name, {}});
  options.for_file = true;
  options.font = font;
  return figure_for_file(
      [&](double width, double height) {
        options.width = width;
        options.height = height;
        return build_view(name, *trace, options);
      },
      {.font = font});
}

class FigureFonts : public testing::TestWithParam<FigureFont> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_font(GetParam()); !missing.empty()) GTEST_SKIP() << missing;
  }
};

INSTANTIATE_TEST_SUITE_P(Fonts, FigureFonts, testing::ValuesIn(kOtherFonts),
                         [](const auto& each) { return std::string(font_name(each.param)); });

TEST_P(FigureFonts, TheLayoutHasTheirWidths) {
  const FontScope scope(GetParam());
  constexpr double size = 400;
  for (const FontWeight weight : {FontWeight::regular, FontWeight::semibold}) {
    for (const char* text :
         {"0123456789", "nonsensical numbers", "Qik · √7", "αβγ Σ", "− × ÷ ≤ ≥ …", "cross-attention", "“cat” (2)"}) {
      const double shown = line_advance(text, size, weight, GetParam());
      const double counted = text_width(text, size, weight);
      // Pairs of letters are kerned, which only brings them closer.
      EXPECT_LE(shown, counted * 1.005 + 2) << text;
      EXPECT_GE(shown, counted * 0.95) << text;
    }
  }
}

TEST_P(FigureFonts, OnlyItsScopeHasThem) {
  const double inter = text_width("cross-attention", 13);
  {
    const FontScope scope(GetParam());
    EXPECT_NE(text_width("cross-attention", 13), inter);
    EXPECT_EQ(FontScope::current(), GetParam());
  }
  EXPECT_EQ(text_width("cross-attention", 13), inter);
}

TEST_P(FigureFonts, FilesAreInThem) {
  const TemporaryFolder folder;
  const bool latex = GetParam() == FigureFont::latex;
  const Figure figure = view_in(GetParam(), "head");
  EXPECT_EQ(figure.font, GetParam());
  const std::string svg = figure_bytes(figure, FigureFormat::svg).value();
  EXPECT_NE(svg.find(latex ? "font-family=\"'LM Roman 10', 'Latin Modern Math'" : "font-family=\"'STIX', "),
            std::string::npos);
  const std::string pdf = (folder / "a.pdf").string();
  ASSERT_TRUE(write_figure(figure, {}, pdf));
  if (const std::string missing = not_installed({"pdffonts"}); !missing.empty()) GTEST_SKIP() << missing;
  const std::string fonts = said_by("pdffonts " + pdf).text;
  EXPECT_NE(fonts.find(latex ? "LMRoman10-Regular" : "STIX-Regular"), std::string::npos) << fonts;
  EXPECT_NE(fonts.find(latex ? "LMRoman10-Bold" : "STIX-Bold"), std::string::npos) << fonts;
  EXPECT_EQ(fonts.find("Inter"), std::string::npos) << fonts;
}

TEST_P(FigureFonts, NoTextOfAnyViewLeavesThePage) {
  for (const View& view : views()) {
    const auto trace = *run(*default_experiment("worked-example"));
    if (!missing_for(view, *trace).empty()) continue;
    EXPECT_TRUE(text_extents(view_in(GetParam(), view.name)).inside) << view.name;
  }
}

TEST(FigureFont, NamesComeBack) {
  for (const FigureFont font : {FigureFont::inter, FigureFont::serif, FigureFont::latex})
    EXPECT_EQ(parse_font(font_name(font)), font);
  EXPECT_FALSE(parse_font("comic"));
}

/// Compiles the document with pdflatex in `folder`; what it says.
Said compiled(const TemporaryFolder& folder, const std::string& body) {
  folder.file("paper.tex", "\\documentclass[twocolumn]{article}\n\\usepackage{graphicx}\n\\begin{document}\n" + body +
                               "\n\\end{document}\n");
  return said_by("cd '" + (folder / "paper.tex").parent_path().string() +
                 "' && HOME=. pdflatex -interaction=nonstopmode -halt-on-error paper.tex");
}

TEST(FigureInLatex, CompilesInAColumnWithItsFontsEmbedded) {
  if (const std::string missing = not_installed({"pdflatex", "pdffonts", "pdftotext"}); !missing.empty())
    GTEST_SKIP() << missing;
  const TemporaryFolder folder;
  std::string body;
  for (const FigureFont font : {FigureFont::inter, FigureFont::serif, FigureFont::latex}) {
    if (!missing_font(font).empty()) continue;
    const auto trace = *run(*default_experiment("worked-example"));
    ViewOptions view = *view_options({"heads", {}});
    view.for_file = true;
    view.font = font;
    const auto build = [&](double width, double height) {
      view.width = width;
      view.height = height;
      return build_view("heads", *trace, view);
    };
    FigureFileOptions options;
    options.preset = Preset::column;
    options.font = font;
    const Result<FittedFigure> made = fitted_figure(build, options, "heads");
    ASSERT_TRUE(made) << made.error().message;
    const std::string name = std::string(font_name(font)) + ".pdf";
    ASSERT_TRUE(write_figure(made->figure, made->options, folder / name));
    body += "\\begin{figure}\\includegraphics[width=\\columnwidth]{" + name + "}\\caption{Heads.}\\end{figure}\n";
  }
  const Said said = compiled(folder, body);
  ASSERT_EQ(said.code, 0) << said.text;
  EXPECT_EQ(said.text.find("Warning: PDF inclusion"), std::string::npos) << said.text;
  const std::string paper = (folder / "paper.pdf").string();
  const Said fonts = said_by("pdffonts '" + paper + "'");
  ASSERT_EQ(fonts.code, 0);
  int embedded = 0;
  for (const std::string& line : split(fonts.text, '\n')) {
    // "emb sub uni object ID" at the end; the first two lines are the heading.
    if (line.find("LMRoman") == std::string::npos && line.find("Inter") == std::string::npos &&
        line.find("STIX") == std::string::npos)
      continue;
    EXPECT_NE(line.find(" yes yes "), std::string::npos) << line;
    ++embedded;
  }
  EXPECT_GE(embedded, 2) << fonts.text;
  EXPECT_NE(said_by("pdftotext '" + paper + "' -").text.find("attention weight"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
