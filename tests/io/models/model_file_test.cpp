// Models are read from folders.
#include "io/models/model_file.h"

#include <gtest/gtest.h>

#include "io/experiments/experiment_file.h"
#include "io/models/model_texts.h"
#include "support/tiny_model.h"

namespace attnscope {
namespace {

using test::kTinyConfig;
using test::TemporaryFolder;
using test::tiny_shapes;
using test::weights_file;

TEST(ModelFile, OpensTheFolderAndEveryFileInIt) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  for (const char* const name : {"", "config.json", "model.safetensors"}) {
    const Result<std::shared_ptr<const Model>> model = open_model(folder / name);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ((*model)->folder(), folder.path().string());
    EXPECT_EQ((*model)->weights()->tensors().size(), tiny_shapes().size());
    EXPECT_FALSE((*model)->has_tokenizer());
  }
}

TEST(ModelFile, CheckpointsTakeTheConfigurationAroundThem) {
  const TemporaryFolder folder;
  folder.file("config.json", kTinyConfig);
  std::filesystem::create_directories(folder / "checkpoints/step-1");
  folder.file("checkpoints/step-1/model.safetensors", weights_file(tiny_shapes()));
  const Result<std::shared_ptr<const Model>> model = open_model(folder / "checkpoints/step-1");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->name(), "step-1");
}

TEST(ModelFile, ExperimentsReadBackEqual) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  Result<Experiment> experiment = experiment_of_model(folder.path());
  ASSERT_TRUE(experiment) << experiment.error().message;
  ASSERT_TRUE(set_texts(*experiment, {std::nullopt, std::vector<Index>{1, 2, 6}}, {}));
  const std::string text = experiment_json(*experiment, folder.path());
  const Result<Experiment> read = parse_experiment(text, "x.json", folder.path());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text, experiment->text);
  EXPECT_EQ(read->labels, experiment->labels);
  EXPECT_EQ(experiment_json(*read, folder.path()), text);
}

}  // namespace
}  // namespace attnscope
