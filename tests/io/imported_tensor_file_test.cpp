// Experiments on files of tensors that other programs wrote.
#include "io/experiments/imported_tensor_file.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "figure/views/view.h"
#include "io/base/file_formats.h"
#include "io/experiments/experiment_file.h"
#include "io/figures/figure_file.h"
#include "io/figures/figure_source.h"
#include "io/tensors/tensor_format.h"
#include "io/traces/trace_file.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

std::string array_bytes(const std::string& shape, const std::vector<float>& numbers) {
  return npy_bytes(npy_dictionary("<f4", shape), float_bytes(numbers));
}

/// Two layers with one head of two tokens each.
std::string two_layers() {
  return zip_bytes({ZipPart::stored("layers.0.attn.npy", array_bytes("(1, 2, 2)", {1, 0, 0.5F, 0.5F})),
                    ZipPart::stored("layers.1.attn.npy", array_bytes("(1, 2, 2)", {0, 1, 0.25F, 0.75F}))});
}

TEST(ImportedTensorFile, IsKnownByItsName) {
  for (const char* name : {"a.npy", "a.NPZ", "x/y.safetensors"})
    EXPECT_NE(find_format(tensor_formats(), name), nullptr) << name;
  for (const char* name : {"a.json", "npz", "a.npz.json", ""})
    EXPECT_EQ(find_format(tensor_formats(), name), nullptr) << name;
}

TEST(ImportedTensorFile, OpensAsHeads) {
  const TemporaryFolder folder;
  const auto path = folder.file("weights.npz", two_layers());
  const Result<ExperimentSource> source = open_source(path.string());
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_TRUE(source->is_other_file) << "an experiment must not be saved in its place";
  EXPECT_EQ(source->experiment.system, "own-tensors");
  EXPECT_EQ(source->experiment.view.name, "heads");
  const auto trace = *run(source->experiment);
  EXPECT_EQ(trace->tensor("layer2.weights").at(std::vector<Index>{0, 1, 1}), 0.75F);
  EXPECT_TRUE(trace->warnings().empty());
}

TEST(ImportedTensorFile, AnExperimentOnItNamesIt) {
  const TemporaryFolder folder;
  const auto path = folder.file("weights.npz", two_layers());
  Experiment experiment = open_source(path.string())->experiment;
  experiment.labels = {"the", "cat"};
  const std::string text = experiment_json(experiment);
  const auto saved = folder.file("kept.json", text);
  const Result<ExperimentSource> again = open_source(saved.string());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->is_other_file);
  ASSERT_NE(again->experiment.tensors, nullptr);
  EXPECT_EQ(again->experiment.tensors->file(), path.string());
  EXPECT_EQ(experiment_json(again->experiment), text);
  EXPECT_TRUE(validate(again->experiment));
  // With a relative path, both can move together.
  EXPECT_NE(experiment_json(experiment, folder.path()).find("\"tensors\": \"weights.npz\""), std::string::npos);
  EXPECT_NE(experiment_json(experiment, folder.path() / "a/b").find("\"tensors\": \"../../weights.npz\""),
            std::string::npos);
  EXPECT_NE(experiment_json(experiment, "/elsewhere").find("\"tensors\": \"" + path.string() + "\""),
            std::string::npos);
  const std::filesystem::path moved = folder.path() / "moved";
  std::filesystem::create_directory(moved);
  std::ofstream(moved / "kept.json") << experiment_json(experiment, folder_of(saved));
  std::filesystem::copy_file(path, moved / "weights.npz");
  const Result<ExperimentSource> there = open_source((moved / "kept.json").string());
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ(there->experiment.tensors->file(), (moved / "weights.npz").string());
}

TEST(ImportedTensorFile, AFigureOfItOpensIt) {
  const TemporaryFolder folder;
  const Experiment experiment = open_source(folder.file("weights.npz", two_layers()).string())->experiment;
  const auto trace = *run(experiment);
  ViewOptions view = *view_options(experiment.view);
  view.width = 300;
  const Figure figure = build_view("heads", *trace, view);
  const ExperimentSource source = source_of_figure(experiment, nullptr);
  EXPECT_TRUE(figure_caption(source).starts_with("own-tensors; from weights.npz; view heads; attnscope "))
      << figure_caption(source);
  ASSERT_TRUE(write_figure(figure, {}, folder / "a.svg", &source));
  const Result<ExperimentSource> again = open_source((folder / "a.svg").string());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->experiment.tensors->file(), experiment.tensors->file());
  EXPECT_EQ(bytes_of(folder / "a.svg").find(folder.path().string()), std::string::npos)
      << "nobody has to know where the file lay";
}

TEST(ImportedTensorFile, ATraceOfOursIsItsExperiment) {
  const TemporaryFolder folder;
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = 7;
  for (const char* name : {"x.safetensors", "x.npz"}) {
    ASSERT_TRUE(write_trace(**run(experiment), folder / name));
    const Result<ExperimentSource> source = open_source((folder / name).string());
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->experiment, experiment);
    EXPECT_TRUE(source->is_other_file);
  }
}

TEST(ImportedTensorFile, AStreamIsReadToItsEnd) {
  const std::string header = "{" + entry_text("attn", "F32", "[2, 2]", "[0, 16]") + "}";
  std::istringstream stream(safetensors_bytes(header, float_bytes({1, 0, 0.5F, 0.5F})));
  const Result<Experiment> experiment = experiment_of_stream(stream);
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ((*run(*experiment))->tensor("weights").at(std::vector<Index>{1, 0}), 0.5F);
  std::istringstream nothing("");
  const Result<Experiment> none = experiment_of_stream(nothing);
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().message.starts_with("stdin: ")) << none.error().message;
}

TEST(ImportedTensorFile, WhatItsExperimentSaysOfItIsChecked) {
  const auto refusal = [](const std::string& tensors) {
    const Result<Experiment> experiment = parse_experiment(
        R"({"format": "attnscope-experiment/1", "system": "own-tensors", "tensors": )" + tensors + "}", "x");
    return experiment ? std::string("accepted") : experiment.error().message;
  };
  EXPECT_EQ(refusal("3"), "x: tensors: 3 is not allowed; allowed: the path of a file of tensors");
  EXPECT_EQ(refusal(R"("/dev/zero")").find("x: tensors: /dev/zero: "), 0U) << refusal(R"("/dev/zero")");
}

}  // namespace
}  // namespace attnscope::test
