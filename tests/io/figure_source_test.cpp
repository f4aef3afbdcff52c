// Figures that open again as the experiment that they show.
#include "io/figures/figure_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>

#include "io/figures/figure_file.h"
#include "sample_figure.h"
#include "support/made_model.h"
#include "support/pdf_text.h"
#include "support/png_bytes.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr std::array kAllFormats = {FigureFormat::png, FigureFormat::svg, FigureFormat::pdf};

/// A source with something of everything, and letters that every format encodes differently.
ExperimentSource full_source() {
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = 18446744073709551615U;
  experiment.parameters["heads"] = Index{2};
  experiment.parameters["mask"] = *parse_mask("window:2");
  experiment.edits = {{"x", {0, 1}, 2.5}};
  experiment.heads_off = {1};
  experiment.labels = {"the", "Käse (\\", "<&>\"'", "猫", "😀", ")"};
  experiment.view = {"compare", {{"against", std::string("pinned")}, {"show", std::string("both")}}};
  return {experiment, *default_experiment("worked-example"), true};
}

Figure small_figure() {
  Figure figure = blank_figure();
  figure.title = "Title";
  figure.heatmaps.push_back(sample_heatmap({40, 30, 39, 19}, 2, {0, 0.3F, 1, 0.5F, 0.2F, 0.7F}));
  return figure;
}

std::string file_of(FigureFormat format, const ExperimentSource& source) {
  return figure_bytes(small_figure(), format, {.width_inches = 1, .dpi = 30}, &source).value();
}

void expect_same(const Result<ExperimentSource>& read, const ExperimentSource& wanted) {
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->experiment, wanted.experiment);
  EXPECT_EQ(read->pinned, wanted.pinned);
  EXPECT_TRUE(read->is_other_file);
}

class FigureSource : public ::testing::TestWithParam<FigureFormat> {};

TEST_P(FigureSource, ComesBackAsItWas) {
  const ExperimentSource source = full_source();
  const std::string bytes = file_of(GetParam(), source);
  EXPECT_TRUE(is_figure_file(bytes));
  expect_same(parse_figure_source(bytes, "figure"), source);
  EXPECT_EQ(file_of(GetParam(), source), bytes);
  const TemporaryFolder folder;
  const auto path = folder.file("any name", bytes);
  EXPECT_TRUE(is_figure_with_source(path));
  expect_same(open_source(path.string()), source);
}

TEST_P(FigureSource, MayBeLarge) {
  ExperimentSource source = {*default_experiment("worked-example")};
  Mask mask;
  mask.kind = Mask::Kind::array;
  mask.shape = {100, 100};
  mask.keep.assign(10'000, true);
  mask.keep[77] = false;
  source.experiment.parameters["mask"] = mask;
  source.is_other_file = true;
  const std::string bytes = file_of(GetParam(), source);
  if (GetParam() == FigureFormat::png) {
    EXPECT_LT(bytes.size(), 5000U);
  }
  expect_same(parse_figure_source(bytes, "figure"), source);
}

TEST_P(FigureSource, MayHaveTheLargestPictureInOneColour) {
  Experiment experiment = *default_experiment("image-multihead");
  constexpr Index kSide = 2048;
  experiment.parameters["picture"] = std::string("file");
  experiment.picture = ColorPicture{kSide, kSide, std::vector<std::uint8_t>(std::size_t{3} * kSide * kSide, 7)};
  const Result<ExperimentSource> read = parse_figure_source(file_of(GetParam(), {experiment}), "figure");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->experiment == experiment);
}

TEST_P(FigureSource, IsNotWrittenUnlessItIsGiven) {
  const std::string bytes = figure_bytes(small_figure(), GetParam()).value();
  const Result<ExperimentSource> read = parse_figure_source(bytes, "a/b");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "a/b: contains no experiment; figures written by attnscope do");
  const TemporaryFolder folder;
  EXPECT_FALSE(is_figure_with_source(folder.file("x.png", bytes)));
}

TEST_P(FigureSource, OfATruncatedFileIsReadOrRefused) {
  const ExperimentSource source = full_source();
  const std::string bytes = file_of(GetParam(), source);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<ExperimentSource> read = parse_figure_source(bytes.substr(0, size), "figure");
    if (read) {
      expect_same(read, source);
    } else {
      EXPECT_TRUE(is_one_line(read.error().message));
      EXPECT_TRUE(read.error().message.starts_with("figure: "));
    }
  }
}

TEST_P(FigureSource, OfADamagedFileIsReadOrRefused) {
  const std::string bytes = file_of(GetParam(), full_source());
  for (std::size_t at = 0; at < bytes.size(); at += kSanitized ? 3 : 1) {
    for (const char other : {'\0', '\xff', '(', '<'}) {
      std::string damaged = bytes;
      damaged[at] = other;
      const Result<ExperimentSource> read = parse_figure_source(damaged, "figure");
      EXPECT_TRUE(read || is_one_line(read.error().message)) << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FigureSource, ::testing::ValuesIn(kAllFormats));

TEST(FigureCaption, SaysWhatIsNotAsUsual) {
  EXPECT_EQ(figure_caption({*default_experiment("worked-example")}),
            "worked-example; seed 42; view flow; attnscope " ATTNSCOPE_TEST_VERSION);
  ExperimentSource source = full_source();
  source.experiment.discard = 7;
  source.experiment.labels = {"one\nline"};
  EXPECT_EQ(figure_caption(source),
            "worked-example: heads = 2, mask = window:2; seed 18446744073709551615, discard 7; 1 number edited; "
            "without head 2; view compare: against = pinned, show = both; compared with worked-example; seed 42; "
            "attnscope " ATTNSCOPE_TEST_VERSION);
  Mask mask;
  mask.kind = Mask::Kind::padding;
  mask.lengths.assign(1000, 3);
  source.experiment.parameters["mask"] = mask;
  EXPECT_LT(figure_caption(source).size(), 400U) << "long values are cut";
}

TEST(FigureCaption, NamesWhatAModelReads) {
  ExperimentSource source = {experiment_on_model(made_model("gpt2", {}))};
  source.experiment.text.ids = {1, 2, 5};
  EXPECT_NE(figure_caption(source).find("; text [1, 2, 5]; view "), std::string::npos) << figure_caption(source);
  source.experiment.text.text = "Anna met\nBen.";
  source.experiment.patch_text = {"Ben met Anna.", {2}, {}, {}, {}};
  EXPECT_EQ(figure_caption(source).find("patched"), std::string::npos) << "nothing is";
  source.experiment.interventions = {{"layer1.mlp_out", {}, {}, Intervention::Kind::patched}};
  EXPECT_NE(figure_caption(source).find(
                "; text “Anna met\\x0aBen.”; patched from “Ben met Anna.”; layer1.mlp patched; view "),
            std::string::npos)
      << figure_caption(source);
  source.experiment.text.text = std::string(1'000'000, 'w');
  source.experiment.text2.ids.assign(1'000'000, 7);
  EXPECT_LT(figure_caption(source).size(), 400U) << "long texts are cut";
}

TEST(FigureCaption, StandsInTheFile) {
  const ExperimentSource source = full_source();
  const std::string caption = figure_caption(source);
  EXPECT_NE(file_of(FigureFormat::svg, source).find("<desc>" + caption + "</desc>"), std::string::npos);
  EXPECT_NE(pdf_text(file_of(FigureFormat::pdf, source)).find("/Subject (" + caption + ")"), std::string::npos);
  const std::string png = file_of(FigureFormat::png, source);
  EXPECT_NE(png.find(png_chunk("iTXt", std::string("Description\0\0\0\0\0", 16) + caption)), std::string::npos);
}

TEST(PinnedOfAFigure, BelongsToItWhereTheViewComparesWithIt) {
  const ExperimentSource full = full_source();
  EXPECT_EQ(source_of_figure(full.experiment, &*full.pinned).pinned, full.pinned);
  EXPECT_FALSE(source_of_figure(full.experiment, nullptr).pinned);
  EXPECT_FALSE(source_of_figure(*default_experiment("worked-example"), &*full.pinned).pinned);
}

TEST(FigureSourceOfOthers, PngThatWasPackedAnew) {
  const ExperimentSource source = full_source();
  const std::string plain = figure_source_json(source);
  uLongf size = compressBound(plain.size());
  std::string packed_text(size, '\0');
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed_text.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                     plain.size()),
            Z_OK);
  packed_text.resize(size);
  const auto file = [](const std::string& content) {
    return png_header(1, 1, 8, 2) + png_chunk("iTXt", content) + png_data("abc", 1) + png_chunk("IEND", "");
  };
  const std::string start("attnscope\0\1\0en\0name\0", 20);
  expect_same(parse_figure_source(file(start + packed_text), "x"), source);
  EXPECT_FALSE(parse_figure_source(file(start + packed_text.substr(0, size / 2)), "x"));
  EXPECT_FALSE(parse_figure_source(file(std::string("attnscope\0\1", 11)), "x"));
  EXPECT_FALSE(parse_figure_source(file(std::string("attnscope\0\1\0\0", 13)), "x"));
}

TEST(FigureSourceOfOthers, ABombIsNotUnpacked) {
  const std::string zeros(70'000'000, ' ');
  uLongf size = compressBound(zeros.size());
  std::string bomb(size, '\0');
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(bomb.data()), &size, reinterpret_cast<const Bytef*>(zeros.data()),
                     zeros.size()),
            Z_OK);
  bomb.resize(size);
  const std::string png =
      png_header(1, 1, 8, 2) + png_chunk("iTXt", std::string("attnscope\0\1\0\0\0", 14) + bomb) + png_chunk("IEND", "");
  EXPECT_FALSE(parse_figure_source(png, "x"));
  std::string pdf = "%PDF-1.5\n";
  for (int i = 0; i < 50; ++i) pdf += "1 0 obj <</Type /ObjStm>> stream\n" + bomb + "\nendstream\n";
  EXPECT_FALSE(parse_figure_source(pdf, "x"));
}

TEST(FigureSourceOfOthers, PdfInEveryWayOfWritingTexts) {
  const ExperimentSource source = {*default_experiment("scaled-dot-product"), std::nullopt, true};
  const std::string plain = figure_source_json(source);
  std::string hexadecimal = "<FEFF";
  std::string octal = "(";
  for (const char c : plain) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned>(c);
    hexadecimal += std::string("00") + digits[code >> 4U] + digits[code & 15U] + (c == ',' ? "\n" : "");
    octal +=
        std::string("\\") + digits[code >> 6U] + digits[code >> 3U & 7U] + digits[code & 7U] + (c == ',' ? "\\\n" : "");
  }
  for (const std::string& text : {hexadecimal + ">", octal + ")", "\n (" + plain + ")"}) {
    const std::string object = "<< /Title (x) /Keywords " + text + " >>";
    expect_same(parse_figure_source("%PDF-1.5\n1 0 obj\n" + object + "\nendobj\n", "x"), source);
    uLongf size = compressBound(object.size());
    std::string stream(size, '\0');
    ASSERT_EQ(compress(reinterpret_cast<Bytef*>(stream.data()), &size, reinterpret_cast<const Bytef*>(object.data()),
                       object.size()),
              Z_OK);
    stream.resize(size);
    const std::string packed_pdf = "%PDF-1.5\n1 0 obj\n<< /Type /ObjStm /N 1 /Filter /FlateDecode >>\nstream\r\n" +
                                   stream + "\nendstream\nendobj\n";
    expect_same(parse_figure_source(packed_pdf, "x"), source);
  }
}

TEST(FigureSourceOfOthers, SvgInEveryWayOfWritingTexts) {
  const ExperimentSource source = {*default_experiment("scaled-dot-product"), std::nullopt, true};
  const std::string plain = figure_source_json(source);
  std::string numbered;
  for (const char c : plain) numbered += "&#" + std::to_string(static_cast<int>(c)) + ";";
  for (const std::string& text : {"<![CDATA[" + plain + "]]>", numbered, "\n  " + plain + "\n"}) {
    expect_same(
        parse_figure_source(
            "<svg><metadata>RDF</metadata><metadata\n x='1' id=\"attnscope\">" + text + "</metadata></svg>", "x"),
        source);
  }
}

TEST(FigureSourceOfOthers, WhatIsWrongInItIsNamed) {
  const auto error_of = [](const std::string& text) {
    const Result<ExperimentSource> read =
        parse_figure_source("<svg><metadata id=\"attnscope\">" + text + "</metadata></svg>", "x.svg");
    EXPECT_FALSE(read);
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(error_of("[]"), "x.svg: the experiment in it: is not an object with format and experiment");
  EXPECT_EQ(error_of(R"({"format": "attnscope-figure/2", "experiment": {}})"),
            "x.svg: the experiment in it: format: \"attnscope-figure/2\" is not allowed; allowed: "
            "\"attnscope-figure/1\"");
  EXPECT_NE(error_of(R"({"format": "attnscope-figure/1", "experiment": {"format": "attnscope-experiment/1"}})")
                .find("the experiment in it: experiment: system is missing"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"format": "attnscope-figure/1", "experiment": {}, "other": 1})").find("\"other\" is unknown"),
            std::string::npos);
  EXPECT_NE(error_of("{").find("x.svg: the experiment in it: line 1"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
