// Models are read from folders.
#include "io/models/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/experiments/experiment_file.h"
#include "io/models/model_config.h"
#include "io/models/model_folder.h"
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

TEST(ModelFile, ExperimentsWithAnEmptyTextReadBackEqual) {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/dates";
  const Result<std::shared_ptr<const Model>> model = open_model(folder);
  ASSERT_TRUE(model) << model.error().message;
  Experiment experiment = experiment_on_model(*model);
  ASSERT_TRUE(set_texts(experiment, {"May 4, 1987", std::nullopt}, {}));
  ASSERT_TRUE(experiment.text2.text.empty());
  ASSERT_FALSE(experiment.text2.special.empty()) << "at least the token that starts the decoder";
  const Result<Experiment> read = parse_experiment(experiment_json(experiment, folder), "x.json", folder);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text2, experiment.text2);
  EXPECT_EQ(read->text, experiment.text);
}

TEST(ModelFile, AModelHasAllFilesThatItsTokenizerMayComeFrom) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  for (const char* const name :
       {"own.model", "added_tokens.json", "vocab.json", "preprocessor_config.json", "notes.txt"})
    folder.file(name, "{}");
  const Result<std::shared_ptr<const Model>> model = open_model(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  std::vector<std::string> files = files_of_model(**model);
  std::sort(files.begin(), files.end());
  std::vector<std::string> expected;
  for (const char* const name :
       {"added_tokens.json", "config.json", "model.safetensors", "own.model", "preprocessor_config.json", "vocab.json"})
    expected.push_back((folder / name).string());
  EXPECT_EQ(files, expected);
  for (const std::string& file : files) EXPECT_TRUE(belongs_to_model(file)) << file;
  EXPECT_FALSE(belongs_to_model(folder / "notes.txt"));
}

TEST(ModelFile, AStartOfDecodersThatIsNoTokenIsRefused) {
  const auto refusal = [](const ConfigValue& value) {
    const Result<Index> id = decoder_start_id({{"decoder_start_token_id", value}});
    return id ? std::to_string(*id) : id.error().message;
  };
  EXPECT_EQ(refusal(7.0), "7");
  EXPECT_EQ(refusal(3.7), "decoder_start_token_id: 3.7 is not allowed; allowed: 0 to 2147483647");
  EXPECT_EQ(refusal(-1.0), "decoder_start_token_id: -1 is not allowed; allowed: 0 to 2147483647");
  EXPECT_EQ(refusal(std::string("<s>")), "decoder_start_token_id: \"<s>\" is not allowed; allowed: 0 to 2147483647");
  const auto usual = [](const char* family) { return decoder_start_id({{"model_type", std::string(family)}}); };
  EXPECT_EQ(usual("bart"), 2);
  EXPECT_EQ(usual("marian"), 58'100);
  EXPECT_EQ(usual("t5"), 0);
  EXPECT_EQ(decoder_start_id({}).error().message, "decoder_start_token_id is missing; allowed: 0 to 2147483647");
}

TEST(ModelFile, APathThatIsTooLongIsNotShown) {
  const std::string document =
      R"({"format": "attnscope-experiment/1", "system": "transformer", "model": ")" + std::string(5000, 'a') + "\"}";
  const Result<Experiment> read = parse_experiment(document, "x.json", ".");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "x.json: model: 5,000 bytes are not allowed; allowed: at most 4,096");
}

}  // namespace
}  // namespace attnscope
