// Valid experiments: every field, the defaults, the round trip, and what the command line can name and set.

#include "io/experiments/experiment_file.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr const char* kFull = R"({
  "format": "attnscope-experiment/1",
  "system": "worked-example",
  "seed": 18446744073709551615,
  "discard": 7,
  "params": {"tokens": 3, "heads": 2, "scale": "sqrt_head_dim", "mask": [[true, false, true], [true, true, true], [false, false, true]],
             "masked_fill": "-inf", "temperature": 2, "dropout": 0.5},
  "edits": [{"tensor": "x", "index": [1, 2], "value": -2.5}],
  "heads_off": [0],
  "labels": ["The", "cät", "\"sat\"\n"],
  "view": {"name": "heads", "options": {"head": 1, "share": 0.9, "whole": 2.0, "range": "shared"}}
})";

Experiment random_experiment(const System& system, std::mt19937& random) {
  const auto below = [&](std::uint64_t limit) { return static_cast<Index>(random() % limit); };
  Experiment e = *default_experiment(system.name);
  e.seed = (std::uint64_t{random()} << 32U) | random();
  e.discard = random();
  for (const Parameter& p : system.parameters) {
    if (p.kind == Parameter::Kind::integer)
      e.parameters[p.name] = std::max<Index>(static_cast<Index>(p.minimum), below(1U << (random() % 31)));
    if (p.kind == Parameter::Kind::choice)
      e.parameters[p.name] = p.choices[static_cast<std::size_t>(below(p.choices.size()))];
    if (p.kind == Parameter::Kind::real) {
      const double share = std::generate_canonical<double, 53>(random);
      const bool infinite = p.minus_infinity && below(3) == 0;
      e.parameters[p.name] =
          infinite ? -std::numeric_limits<double>::infinity() : p.minimum + share * (p.maximum - p.minimum);
    }
  }
  Mask mask;
  mask.kind = static_cast<Mask::Kind>(below(5));
  if (mask.kind == Mask::Kind::window) mask.radius = below(100);
  if (mask.kind == Mask::Kind::padding) mask.lengths = {below(9), below(9)};
  if (mask.kind == Mask::Kind::array) {
    Index count = 1;
    for (Index i = 0, rank = 2 + below(3); i < rank; ++i) count *= mask.shape.emplace_back(1 + below(5));
    for (Index i = 0; i < count; ++i) mask.keep.push_back(below(2) == 0);
  }
  e.parameters["mask"] = mask;
  for (Index i = below(3); i > 0; --i)
    if (below(2) == 0) e.heads_off = {0};
  e.edits.push_back({"x", {below(9), below(9)}, std::ldexp(static_cast<double>(below(1000) - 500), 3)});
  e.labels.assign(static_cast<std::size_t>(below(4)), "τ " + std::to_string(random()));
  if (below(2) == 0) {
    ColorPicture picture = {1 + below(64), 1 + below(64), {}};
    picture.rgb.resize(static_cast<std::size_t>(picture.rows * picture.columns * kColors));
    for (std::uint8_t& each : picture.rgb) each = static_cast<std::uint8_t>(random());
    e.picture = std::move(picture);
  }
  e.view.name = "view" + std::to_string(below(10));
  e.view.options = {{"whole", below(1000) - 500},
                    {"real", std::ldexp(static_cast<double>(below(1000) - 500), static_cast<int>(below(200)) - 100)},
                    {"text", "a\"b\\c"}};
  return e;
}

TEST(ExperimentFile, ReadsEveryField) {
  const Experiment e = *parse_experiment(kFull, "full.json");
  EXPECT_EQ(e.edits, (std::vector<CellEdit>{{"x", {1, 2}, -2.5}}));
  EXPECT_EQ(e.heads_off, std::vector<Index>{0});
  EXPECT_EQ(e.system, "worked-example");
  EXPECT_EQ(e.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(e.discard, 7U);
  EXPECT_EQ(e.integer("tokens"), 3);
  EXPECT_EQ(e.integer("features"), 9);  // not in the file
  EXPECT_EQ(e.choice("scale"), "sqrt_head_dim");
  EXPECT_EQ(e.mask().kind, Mask::Kind::array);
  EXPECT_EQ(e.mask().shape, (std::vector<Index>{3, 3}));
  EXPECT_EQ(e.mask().keep, (std::vector<bool>{true, false, true, true, true, true, false, false, true}));
  EXPECT_EQ(e.real("masked_fill"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(e.real("temperature"), 2.0);
  EXPECT_EQ(e.labels, (std::vector<std::string>{"The", "cät", "\"sat\"\n"}));
  EXPECT_EQ(e.view.name, "heads");
  const ParameterValues options = {{"head", Index{1}}, {"share", 0.9}, {"whole", 2.0}, {"range", "shared"}};
  EXPECT_EQ(e.view.options, options);
  EXPECT_TRUE(validate(e));
}

TEST(ExperimentFile, MissingKeysAreDefaults) {
  EXPECT_EQ(*parse_experiment(R"({"system": "worked-example", "format": "attnscope-experiment/1"})", ""),
            *default_experiment("worked-example"));
  const Experiment e = *parse_experiment(
      "\xef\xbb\xbf"
      R"({"format": "attnscope-experiment/1", "system": "worked-example", "params": {}, "labels": [], "view": {}, "seed": 0})",
      "");
  EXPECT_TRUE(e.labels.empty());
  EXPECT_EQ(e.seed, 0U);
}

TEST(ExperimentFile, HoldsThePictureItself) {
  const std::string text =
      R"({"format": "attnscope-experiment/1", "system": "conv-attention", "params": {"picture": "file"},
          "picture": {"rows": 1, "columns": 2, "rgb": "e65A28143ca0"}})";
  const Experiment e = *parse_experiment(text, "");
  EXPECT_EQ(e.picture, (ColorPicture{1, 2, {0xe6, 0x5a, 0x28, 0x14, 0x3c, 0xa0}}));
  EXPECT_TRUE(validate(e));
  EXPECT_NE(experiment_json(e).find(R"("picture": {"rows": 1, "columns": 2, "rgb": "e65a28143ca0"})"),
            std::string::npos)
      << experiment_json(e);
}

TEST(ExperimentFile, WritesEveryParameterReadably) {
  const std::string text = experiment_json(*default_experiment("worked-example"));
  EXPECT_EQ(text, R"({
  "format": "attnscope-experiment/1",
  "system": "worked-example",
  "seed": 42,
  "discard": 0,
  "params": {
    "tokens": 6,
    "features": 9,
    "head_dim": 7,
    "heads": 4,
    "cross_queries": 3,
    "scale": "none",
    "positions": "none",
    "random_numbers": "positive",
    "same_label": "own_vector",
    "weights_stay": "no",
    "mask": "none",
    "masked_fill": -9e+15,
    "temperature": 1.0,
    "dropout": 0.0
  },
  "labels": ["the", "cat", "sat", "on", "the", "mat"],
  "view": {"name": "flow", "options": {}}
}
)");
  const std::string compact = compact_experiment_json(*default_experiment("worked-example"));
  EXPECT_EQ(compact.find('\n'), std::string::npos);
  EXPECT_EQ(*parse_experiment(compact, ""), *default_experiment("worked-example"));
}

TEST(ExperimentFile, RoundTrip) {
  std::mt19937 random(1);
  for (const System& system : systems()) {
    for (int i = 0; i < 50; ++i) {
      const Experiment e = random_experiment(system, random);
      const std::string text = experiment_json(e);
      const Result<Experiment> again = parse_experiment(text, "again");
      ASSERT_TRUE(again) << again.error().message << text;
      EXPECT_EQ(*again, e) << text;
      EXPECT_EQ(experiment_json(*again), text);
      EXPECT_EQ(*parse_experiment(compact_experiment_json(e), ""), e);
    }
  }
}

TEST(ExperimentFile, IsTheSameWithADecimalComma) {
  const TemporaryFolder folder;
  if (shell("localedef -i de_DE -f UTF-8 " + (folder / "de_DE.UTF-8").string() + " 2>/dev/null") != 0)
    GTEST_SKIP() << "no locale to be had";
  ::setenv("LOCPATH", folder.path().c_str(), 1);
  const Result<Experiment> plain = parse_experiment(kFull, "");
  const std::string text = experiment_json(*plain);
  const bool changed = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  const std::string comma = std::to_string(0.5);
  const Result<Experiment> german = parse_experiment(kFull, "");
  const std::string german_text = experiment_json(*german);
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  ASSERT_TRUE(changed);
  EXPECT_TRUE(comma.starts_with("0,5"));
  EXPECT_EQ(*german, *plain);
  EXPECT_EQ(german_text, text);
}

TEST(OpenExperiment, TakesSystemsAndFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(open_source("worked-example")->experiment, *default_experiment("worked-example"));
  EXPECT_EQ(open_source(folder.file("full.json", kFull).string())->experiment.integer("tokens"), 3);
  EXPECT_EQ(open_source(folder.file("no extension \"\n\xff", kFull).string())->experiment.integer("tokens"), 3);
}

TEST(OpenExperiment, SaysWhatElseItIs) {
  const TemporaryFolder folder;
  const auto error_of = [](const std::string& name) { return open_source(name).error(); };
  EXPECT_EQ(error_of("worked-exampel").message,
            "\"worked-exampel\" is neither a file nor a system; did you mean worked-example?");
  EXPECT_EQ(error_of("worked-exampel").kind, Error::Kind::usage);
  EXPECT_NE(error_of("zzz").message.find("the systems are"), std::string::npos);
  EXPECT_EQ(error_of("none.json").message, "none.json: No such file or directory");
  EXPECT_EQ(error_of("none.json").kind, Error::Kind::failure);
  EXPECT_EQ(
      error_of(folder.path().string()).message,
      folder.path().string() + ": no config.json; needs the folder of a model with config.json and model.safetensors");
  EXPECT_NE(error_of(folder.file("lfs.json", "version https://git-lfs.github.com/spec/v1\n").string())
                .message.find("Git-LFS pointer"),
            std::string::npos);
  EXPECT_NE(error_of(folder.file("page.json", "<!doctype html><html>").string()).message.find("HTML page"),
            std::string::npos);
  EXPECT_NE(error_of(folder.file("empty.json", "").string()).message.find("the file is empty"), std::string::npos);
}

TEST(ApplySetting, SetsParametersSeedAndDiscard) {
  Experiment e = *default_experiment("worked-example");
  for (const char* setting : {"heads=3", "seed=18446744073709551615", "discard=5", "scale=sqrt_head_dim",
                              "mask=window:2", "masked_fill=-inf", "temperature=0.5"}) {
    EXPECT_TRUE(apply_setting(e, setting)) << setting;
  }
  EXPECT_EQ(e.integer("heads"), 3);
  EXPECT_EQ(e.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(e.discard, 5U);
  EXPECT_EQ(e.mask().radius, 2);
  EXPECT_EQ(e.real("masked_fill"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(apply_setting(e, "mask=[[[true, false]], [[false, true]]]"));
  EXPECT_EQ(e.mask().shape, (std::vector<Index>{2, 1, 2}));
}

TEST(ApplySetting, WrongSettingsAreMistakesInTheCommand) {
  const Experiment before = *default_experiment("worked-example");
  for (const char* setting : {"heads",
                              "=3",
                              "",
                              "heads=",
                              "heads=abc",
                              "heads=0",
                              "heads=-1",
                              "heads=2.7",
                              "heads=1e3",
                              "heads= 4",
                              "heads=99999999999999999999",
                              "heads=2147483648",
                              "heads=nan",
                              "hheads=3",
                              "labels=a",
                              "seed=-1",
                              "seed=18446744073709551616",
                              "seed=1.5",
                              "discard=x",
                              "temperature=0",
                              "temperature=nan",
                              "temperature=inf",
                              "temperature=1,5",
                              "dropout=1",
                              "masked_fill=nan",
                              "masked_fill=inf",
                              "scale=sqrt",
                              "mask=causall",
                              "mask=window:-1",
                              "mask=padding:",
                              "mask=[[true], [1]]",
                              "mask=[[true",
                              "mask=[true]",
                              "mask=[[true], [true, false]]",
                              "mask=[[]]",
                              "mask=[]",
                              "a\nb=3",
                              "\xff=1",
                              "heads=\xff\n"}) {
    Experiment e = before;
    const Result<void> set = apply_setting(e, setting);
    ASSERT_FALSE(set) << setting;
    EXPECT_EQ(set.error().kind, Error::Kind::usage) << setting;
    EXPECT_TRUE(set.error().message.starts_with("--set ")) << set.error().message;
    EXPECT_TRUE(is_one_line(set.error().message));
    EXPECT_EQ(e, before) << setting;
  }
  Experiment e = before;
  EXPECT_EQ(apply_setting(e, "hed_dim=3").error().message,
            "--set parameter \"hed_dim\" is unknown to worked-example; did you mean head_dim?");
  EXPECT_EQ(apply_setting(e, "heads=0").error().message,
            "--set heads: 0 is not allowed; allowed: whole numbers from 1 to 2147483647");
}

}  // namespace
}  // namespace attnscope::test
