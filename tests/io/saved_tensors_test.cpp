// Experiments on a file of tensors that has changed or is gone.
#include "io/experiments/saved_tensors.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "io/experiments/experiment_file.h"
#include "io/experiments/imported_tensor_file.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

std::string weights_bytes(const std::vector<float>& numbers) {
  return npy_bytes(npy_dictionary("<f4", "(1, 2, 2)"), float_bytes(numbers));
}

/// A file of tensors with an experiment on it.
class SavedTensorsTest : public ::testing::Test {
 protected:
  SavedTensorsTest()
      : tensors_(folder_.file("weights.npy", weights_bytes({1, 0, 0.5F, 0.5F}))),
        saved_(experiment_json(open_source(tensors_.string())->experiment)),
        path_(folder_.file("kept.json", saved_)) {}

  [[nodiscard]] Experiment opened() const {
    Result<ExperimentSource> source = open_source(path_.string());
    EXPECT_TRUE(source) << source.error().message;
    return source ? source->experiment : Experiment();
  }

  static std::vector<std::string> warnings_of(const Experiment& experiment) {
    const auto all = experiment.tensors->warnings();
    return {all.begin(), all.end()};
  }

  TemporaryFolder folder_;
  std::filesystem::path tensors_;
  std::string saved_;
  std::filesystem::path path_;
};

TEST_F(SavedTensorsTest, OfAFileThatIsTheSameAreNoTrouble) {
  EXPECT_NE(saved_.find("\"tensors_saved\": {"), std::string::npos) << saved_;
  EXPECT_EQ(warnings_of(opened()), std::vector<std::string>());
  EXPECT_EQ(experiment_json(opened()), saved_);
}

TEST_F(SavedTensorsTest, AreFoundFromAFolderBehindALink) {
  namespace fs = std::filesystem;
  fs::create_directories(folder_ / "deep/below/saved");
  fs::create_directory_symlink("deep/below/saved", folder_ / "link");
  const fs::path tensors = folder_.file("deep/w.npy", weights_bytes({1, 0, 0.5F, 0.5F}));
  const fs::path saved = folder_ / "link/e.json";
  // Through the link, ".." is deep/below.
  const std::string text = experiment_json(open_source(tensors.string())->experiment, folder_of(saved));
  EXPECT_NE(text.find("\"../../w.npy\""), std::string::npos) << text;
  const Result<Experiment> again = parse_experiment(text, "e.json", folder_of(saved));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(warnings_of(*again), std::vector<std::string>());
}

TEST_F(SavedTensorsTest, AFileThatHasChangedIsOpenedWithAWarning) {
  folder_.file("weights.npy", weights_bytes({1, 0, 0.25F, 0.75F}));
  const Experiment experiment = opened();
  const std::vector<std::string> expected = {tensors_.string() + ": has changed since the experiment was saved"};
  EXPECT_EQ(warnings_of(experiment), expected);
  const auto trace = *run(experiment);
  EXPECT_EQ(trace->tensor("weights").at(std::vector<Index>{0, 1, 1}), 0.75F) << "the numbers that there are";
  EXPECT_NE(experiment_json(experiment), saved_) << "saved again, it goes with the file as it is";
}

TEST_F(SavedTensorsTest, OfAFileThatIsGoneEverythingIsShownButTheNumbers) {
  std::filesystem::remove(tensors_);
  const Experiment experiment = opened();
  ASSERT_NE(experiment.tensors, nullptr);
  const std::vector<std::string> expected = {tensors_.string() +
                                             ": no longer exists; its tensors are shown without values"};
  EXPECT_EQ(warnings_of(experiment), expected);
  EXPECT_TRUE(validate(experiment));
  EXPECT_EQ(experiment_json(experiment), saved_) << "what was known of it is kept";
  ASSERT_EQ(experiment.tensors->tensors().size(), 1U);
  EXPECT_EQ(experiment.tensors->tensors()[0].shape, (std::vector<Index>{1, 2, 2}));
  const auto trace = run(experiment);
  ASSERT_FALSE(trace) << "no number is made up";
  EXPECT_NE(trace.error().message.find(tensors_.string() + ": "), std::string::npos) << trace.error().message;
  EXPECT_TRUE(is_one_line(trace.error().message));
  folder_.file("weights.npy", weights_bytes({1, 0, 0.5F, 0.5F}));
  EXPECT_EQ(warnings_of(opened()), std::vector<std::string>()) << "it is there again";
}

TEST_F(SavedTensorsTest, WithoutThemAFileThatIsGoneIsRefused) {
  auto document = nlohmann::ordered_json::parse(saved_);
  document.erase("tensors_saved");
  folder_.file("kept.json", document.dump());
  EXPECT_TRUE(open_source(path_.string())) << "as files were before";
  std::filesystem::remove(tensors_);
  const Result<ExperimentSource> gone = open_source(path_.string());
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message, path_.string() + ": tensors: " + tensors_.string() + ": No such file or directory");
}

TEST_F(SavedTensorsTest, ADamagedFileIsRefusedAllTheSame) {
  folder_.file("weights.npy", "x");
  EXPECT_FALSE(open_source(path_.string()));
}

TEST_F(SavedTensorsTest, WhatIsWrongIsNamed) {
  const auto refusal = [&](const std::string& pointer, const std::string& value) {
    auto document = nlohmann::ordered_json::parse(saved_);
    document[nlohmann::ordered_json::json_pointer(pointer)] = nlohmann::ordered_json::parse(value);
    const Result<Experiment> read = parse_experiment(document.dump(), "x");
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_TRUE(refusal("/tensors_saved", "3").starts_with("x: tensors_saved: 3 is not allowed"));
  EXPECT_TRUE(refusal("/tensors_saved/other", "3").starts_with("x: tensors_saved: the key \"other\" is unknown"));
  EXPECT_TRUE(refusal("/tensors_saved/fingerprint", "3").starts_with("x: tensors_saved.fingerprint: 3 is not"));
  EXPECT_TRUE(refusal("/tensors_saved/tensors", "{}").starts_with("x: tensors_saved.tensors: an object is not"));
  EXPECT_TRUE(refusal("/tensors_saved/tensors/0", "{}").starts_with("x: tensors_saved.tensors[0]: name is missing"));
  for (const char* shape : {"[-1]", "[1.5]", "[\"1\"]", "3"})
    EXPECT_TRUE(refusal("/tensors_saved/tensors/0/shape", shape).starts_with("x: tensors_saved.tensors[0].shape: "))
        << shape;
  EXPECT_TRUE(refusal("/tensors_saved/tensors/0/shape", "[4611686018427387904, 8]")
                  .starts_with("x: tensors_saved.tensors[0].shape"));
  auto alone = nlohmann::ordered_json::parse(saved_);
  alone.erase("tensors");
  EXPECT_FALSE(parse_experiment(alone.dump(), "x"));
}

TEST(FileFingerprint, ChangesWithTheFile) {
  const TemporaryFolder folder;
  const auto of = [&](const std::string& bytes) { return file_fingerprint(folder.file("x", bytes)); };
  EXPECT_EQ(of("123456789"), "9-cbf43926");
  EXPECT_EQ(of(""), "0-00000000");
  std::string large(5'000'000, 'a');
  const std::string before = of(large);
  large.front() = 'b';
  const std::string front = of(large);
  large.back() = 'b';
  EXPECT_NE(before, front);
  EXPECT_NE(front, of(large));
  EXPECT_EQ(file_fingerprint(folder / "none"), "");
}

}  // namespace
}  // namespace attnscope::test
