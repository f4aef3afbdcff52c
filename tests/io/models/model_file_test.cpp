// Models are read from folders, and folders with faults are refused in one line.
#include "io/models/model_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <iostream>

#include "io/experiments/experiment_file.h"
#include "io/models/model_texts.h"
#include "tiny_model.h"

namespace attnscope {
namespace {

using test::kTinyConfig;
using test::Shapes;
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

struct WrongFolder {
  const char* what;
  std::function<void(const TemporaryFolder&)> spoil;
  const char* says;
};

Shapes without(const std::string& name) {
  Shapes shapes = tiny_shapes();
  shapes.erase(name);
  return shapes;
}

Shapes with_shape(const std::string& name, std::vector<int> shape) {
  Shapes shapes = tiny_shapes();
  shapes[name] = std::move(shape);
  return shapes;
}

auto with_file(const std::string& name, const std::string& bytes) {
  return [=](const TemporaryFolder& folder) { folder.file(name, bytes); };
}

auto with_index(const std::string& bytes) {
  return [=](const TemporaryFolder& folder) {
    std::filesystem::remove(folder / "model.safetensors");
    folder.file("model.safetensors.index.json", bytes);
  };
}

std::vector<WrongFolder> wrong_folders() {
  const auto config = [](const std::string& bytes) { return with_file("config.json", bytes); };
  const auto weights = [](const std::string& bytes) { return with_file("model.safetensors", bytes); };
  const std::string lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  return {
      {"no config", [](const auto& f) { std::filesystem::remove(f / "config.json"); }, "no config.json"},
      {"no weights", [](const auto& f) { std::filesystem::remove(f / "model.safetensors"); }, "no weights"},
      {"another family", config(R"({"model_type": "mamba"})"), "\"mamba\" is not a known family"},
      {"no family", config("{}"), "model_type is missing"},
      {"family a number", config(R"({"model_type": 3})"), "model_type is missing"},
      {"config empty", config(""), "the file is empty"},
      {"config a list", config("[1]"), "holds a list; allowed: an object"},
      {"config cut off", config("{\"model_type\": "), "config.json"},
      {"config too long", config(std::string(1'000'001, ' ')), "allowed: 1.0 MB"},
      {"config nested", config(std::string(100, '[')), "config.json"},
      {"config a pointer", config(lfs), "Git-LFS pointer"},
      {"config a page", config("<!DOCTYPE html><html></html>"), "HTML page"},
      {"field twice", config(R"({"a": {"b": 1}, "a.b": 2})"), "a.b: is there twice"},
      {"size a text", config(R"({"model_type": "gpt2", "n_embd": "4"})"), "n_embd"},
      {"heads do not divide",
       config(R"({"model_type":"gpt2","vocab_size":7,"n_positions":5,"n_embd":4,"n_layer":1,"n_head":3})"), "n_head 3"},
      {"weights a pointer", weights(lfs), "Git-LFS pointer"},
      {"weights empty", weights(""), "model.safetensors"},
      {"10 GB header", weights(std::string("\x00\xe4\x0b\x54\x02\x00\x00\x00{}", 10)), "header"},
      {"layer missing", weights(weights_file(without("h.0.mlp.c_fc.weight"))), "\"h.0.mlp.c_fc.weight\" is missing"},
      {"transposed", weights(weights_file(with_shape("h.0.attn.c_attn.weight", {12, 4}))), "has the shape"},
      {"vocabulary short", weights(weights_file(with_shape("wte.weight", {6, 4}))), "\"wte.weight\" has the shape"},
      {"whole numbers", weights(weights_file(tiny_shapes(), "I32")), "I32; allowed for weights: F32"},
      {"pickle only", [](const auto& f) { std::filesystem::rename(f / "model.safetensors", f / "pytorch_model.bin"); },
       "is a pickle"},
      {"several weights",
       [](const auto& f) {
         std::filesystem::rename(f / "model.safetensors", f / "a.safetensors");
         f.file("b.safetensors", "");
       },
       "2 files of weights"},
      {"links in a circle",
       [](const auto& f) {
         std::filesystem::remove(f / "config.json");
         std::filesystem::create_symlink("config.json", f / "config.json");
       },
       "Too many levels"},
      {"weights a folder",
       [](const auto& f) {
         std::filesystem::remove(f / "model.safetensors");
         std::filesystem::create_directory(f / "model.safetensors");
       },
       "model.safetensors"},
      {"weights a pipe",
       [](const auto& f) {
         std::filesystem::remove(f / "model.safetensors");
         ASSERT_EQ(::mkfifo((f / "model.safetensors").c_str(), 0600), 0);
       },
       "model.safetensors"},
      {"index empty", with_index(""), "the file is empty"},
      {"index a list", with_index("[]"), "holds"},
      {"index without map", with_index("{}"), "weight_map is missing"},
      {"index names a path", with_index(R"({"weight_map": {"a": "../x.safetensors"}})"), "../x.safetensors"},
      {"index names a folder", with_index(R"({"weight_map": {"a": ".."}})"), "the name of a file"},
      {"index names a number", with_index(R"({"weight_map": {"a": 1}})"), "the name of a file"},
      {"index map empty", with_index(R"({"weight_map": {}})"), "weight_map"},
      {"shard missing", with_index(R"({"weight_map": {"a": "model-1.safetensors"}})"), "model-1.safetensors"},
      {"tensor not in its shard",
       [](const auto& f) {
         std::filesystem::rename(f / "model.safetensors", f / "model-1.safetensors");
         f.file("model.safetensors.index.json", R"({"weight_map": {"gone": "model-1.safetensors"}})");
       },
       "\"gone\" is missing"},
  };
}

TEST(ModelFile, WrongFoldersAreRefusedInOneLine) {
  for (const WrongFolder& wrong : wrong_folders()) {
    const TemporaryFolder folder;
    write_tiny_model(folder);
    wrong.spoil(folder);
    const Result<std::shared_ptr<const Model>> model = open_model(folder.path());
    ASSERT_FALSE(model) << wrong.what;
    const std::string& message = model.error().message;
    std::cout << wrong.what << " | " << message << '\n';
    EXPECT_NE(message.find(wrong.says), std::string::npos) << wrong.what << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << wrong.what;
    EXPECT_NE(message.find(folder.path().filename().string()), std::string::npos) << wrong.what << ": " << message;
  }
}

}  // namespace
}  // namespace attnscope
