// Matrices that are copied as text.
#include "app/session/matrix_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/trace/run.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Trace> two_tokens(const std::vector<std::string>& labels) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["tokens"] = Index{2};
  experiment.parameters["features"] = Index{2};
  experiment.parameters["masked_fill"] = -HUGE_VAL;
  experiment.parameters["mask"] = *parse_mask("causal");
  experiment.labels = labels;
  experiment.edits = {{"x", {0, 0}, 0.1}, {"x", {0, 1}, -2}, {"x", {1, 0}, 1e-7}, {"x", {1, 1}, 1e20}};
  return *run(experiment);
}

std::string text_of(const Trace& trace, MatrixFormat format, const std::string& tensor = "x",
                    const std::vector<Index>& index = {1, 1}) {
  const Result<std::string> text = matrix_text(trace, tensor, index, format);
  return text ? *text : "no text: " + text.error().message;
}

TEST(MatrixText, IsWrittenInTheFormatThatIsAskedFor) {
  const auto trace = two_tokens({"the", "cat"});
  EXPECT_EQ(text_of(*trace, MatrixFormat::tsv), "the\t0.1\t-2\ncat\t1e-07\t1e+20\n");
  EXPECT_EQ(text_of(*trace, MatrixFormat::markdown),
            "|  | 1 | 2 |\n| --- | ---: | ---: |\n| the | 0.1000 | −2.000 |\n| cat | 1.000e-07 | 1.000e+20 |\n");
  EXPECT_EQ(text_of(*trace, MatrixFormat::latex),
            "\\begin{tabular}{lrr}\n  the & $0.1000$ & $-2.000$ \\\\\n  cat & $1.000 \\cdot 10^{-7}$ & $1.000 \\cdot "
            "10^{20}$ \\\\\n"
            "\\end{tabular}\n");
}

TEST(MatrixText, HasTheLabelsOfRowsAndColumns) {
  const auto trace = two_tokens({"a|b", "50%_\\"});
  const auto first_line = [&](MatrixFormat format) {
    const std::string text = text_of(*trace, format, "masked_scores", {0, 1, 1});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line(MatrixFormat::tsv), "\ta|b\t50%_\\");
  EXPECT_EQ(first_line(MatrixFormat::markdown), "|  | a\\|b | 50%\\_\\\\ |");
  const std::string latex = text_of(*trace, MatrixFormat::latex, "masked_scores", {0, 1, 1});
  EXPECT_NE(latex.find("   & a|b & 50\\%\\_\\textbackslash{} \\\\\n  \\hline\n"), std::string::npos) << latex;
  EXPECT_NE(latex.find("$-\\infty$"), std::string::npos) << latex;
}

TEST(MatrixText, LabelsAreNeitherFormulasNorLinksNorControls) {
  const auto rows = [](const std::string& one, const std::string& other, MatrixFormat format) {
    std::vector<std::string> lines = split(text_of(*two_tokens({one, other}), format), '\n');
    return std::pair(lines[lines.size() - 3], lines[lines.size() - 2]);
  };
  const auto cells = [&](const std::string& one, const std::string& other) {
    const auto [first, second] = rows(one, other, MatrixFormat::tsv);
    return std::pair(first.substr(0, first.find('\t')), second.substr(0, second.find('\t')));
  };
  EXPECT_EQ(cells("=cmd|' /C calc'!A0", "@SUM(A1)"),
            std::pair(std::string("'=cmd|' /C calc'!A0"), std::string("'@SUM(A1)")));
  EXPECT_EQ(cells("-2+3", "+A1"), std::pair(std::string("'-2+3"), std::string("'+A1")));
  EXPECT_EQ(cells("-2", "="), std::pair(std::string("-2"), std::string("=")));
  EXPECT_EQ(cells("\"", "say \"a\""), std::pair(std::string(R"("""")"), std::string(R"("say ""a""")")));
  EXPECT_EQ(cells("\x1b[31m\x7f", "a\tb\r\n"), std::pair(std::string(" [31m "), std::string("a⇥b")));
  const auto [link, entity] = rows("[x](javascript:y)", "&lt;", MatrixFormat::markdown);
  EXPECT_TRUE(link.starts_with("| \\[x\\](javascript:y) |")) << link;
  EXPECT_TRUE(entity.starts_with("| \\&lt; |")) << entity;
}

TEST(MatrixText, IsThatOfTheCell) {
  const auto trace = *run(*default_experiment("worked-example"));
  const std::string text = text_of(*trace, MatrixFormat::tsv, "q", {2, 3, 1});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
  const std::vector<Index> corner = {2, 0, 0};
  const std::vector<std::string> cells = split(text.substr(0, text.find('\n')), '\t');
  ASSERT_EQ(cells.size(), 8U);
  EXPECT_EQ(static_cast<float>(parse_real(cells[1]).value()),
            trace->value(static_cast<int>(trace->find("q") - trace->steps().data()), corner))
      << "to the last bit";
}

TEST(MatrixText, WhatIsNotThereIsRefused) {
  const auto trace = *run(*default_experiment("worked-example"));
  EXPECT_FALSE(matrix_text(*trace, "nope", std::vector<Index>{0}, MatrixFormat::tsv));
  EXPECT_FALSE(matrix_text(*trace, "q", std::vector<Index>{0}, MatrixFormat::tsv));
  EXPECT_FALSE(matrix_text(*trace, "q", std::vector<Index>{4, 0, 0}, MatrixFormat::tsv));
  Experiment large = *default_experiment("scaled-dot-product");
  large.parameters["queries"] = Index{2000};
  large.parameters["keys"] = Index{2000};
  const Result<std::string> text = matrix_text(**run(large), "weights", std::vector<Index>{0, 0}, MatrixFormat::tsv);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "2,000 × 2,000 numbers are too many to copy; at most 1,000,000");
}

}  // namespace
}  // namespace attnscope::test
