// Heads switched off and numbers edited from the command line, with and without a model.
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "support/tiny_model.h"
#include "traced.h"

namespace attnscope::test {
namespace {

TEST(CliChanges, HeadsOfASystemAreSwitchedOff) {
  const TemporaryFolder folder;
  const nlohmann::json plain = traced(folder, "worked-example", {});
  const nlohmann::json off = traced(folder, "worked-example", {"--off", "layer1.head2"});
  const std::string file =
      folder.file("off.json", R"({"format": "attnscope-experiment/1", "system": "worked-example", "heads_off": [1]})")
          .string();
  EXPECT_EQ(off, traced(folder, file, {}));
  EXPECT_EQ(off, traced(folder, file, {"--off", "layer1.head2"})) << "off already";
  EXPECT_NE(off, plain);
  const nlohmann::json both = traced(folder, file, {"--off", "layer1.head1"});
  EXPECT_NE(both, off);
  // Heads that a setting adds can be switched off.
  traced(folder, "worked-example", {"--set", "heads=1", "--off", "layer1.head1"});
}

TEST(CliChanges, WhatNoSystemCanIsRefused) {
  expect_refused({"metrics", "worked-example", "--set", "heads=2", "--off", "layer1.head3"}, 2,
                 {"--off: layer1.head3 is not allowed; allowed without a model: layer1.head1 to layer1.head2"});
  for (const char* const part : {"layer2.head1", "layer1.mlp", "layer1.head1@2"})
    expect_refused({"metrics", "worked-example", "--off", part}, 2, {std::string("--off: ") + part, "layer1.head1"});
  expect_refused({"metrics", "worked-example", "--mean", "layer1.head1"}, 2, {"--mean: allowed only with a model"});
  expect_refused({"metrics", "worked-example", "--masked", "layer1.head1@*:1"}, 2,
                 {"--masked: allowed only with a model"});
}

TEST(CliChanges, NumbersOfASystemAreEdited) {
  const TemporaryFolder folder;
  const nlohmann::json edited =
      traced(folder, "worked-example", {"--edit", "x[0,1]=-2.5", "--edit", "w_q[2, 1, 0]=0.25"});
  EXPECT_EQ(edited.at("x").at("values").at(0).at(1), -2.5);
  EXPECT_EQ(edited.at("w_q").at("values").at(2).at(1).at(0), 0.25);
  const std::string file = folder
                               .file("edited.json", R"({"format": "attnscope-experiment/1", "system": "worked-example",
      "edits": [{"tensor": "x", "index": [0, 1], "value": -2.5}, {"tensor": "w_q", "index": [2, 1, 0], "value": 0.25}]})")
                               .string();
  EXPECT_EQ(edited, traced(folder, file, {}));
  const nlohmann::json again = traced(folder, file, {"--edit", "x[0,1]=7"});
  EXPECT_EQ(again.at("x").at("values").at(0).at(1), 7) << "the command counts";
  EXPECT_EQ(again.at("w_q"), edited.at("w_q"));
}

TEST(CliChanges, WeightsOfAModelAreEdited) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const nlohmann::json plain = traced(folder, model, {"--tokens", "1,2,3"});
  const nlohmann::json edited = traced(folder, model, {"--tokens", "1,2,3", "--edit", "layer1.w_qkv[0,0]=9"});
  EXPECT_NE(plain.at("layer1.weights"), edited.at("layer1.weights"));
}

TEST(CliChanges, EditsThatCannotBeAreRefused) {
  const auto refused = [](const std::string& edit, int code, const std::vector<std::string>& parts) {
    expect_refused({"metrics", "worked-example", "--edit", edit}, code, parts);
  };
  for (const char* const text : {"x[0,1]", "x[0,1]=", "x[0,1]=a", "x[0,1]=nan", "x[0,1]=1e39", "=1", ""})
    refused(text, 2, {"--edit: ", "allowed: a cell and a finite number, w_q[0,1]=2.5"});
  refused("x=1", 2, {"--edit: \"x\" is not a cell; write TENSOR[i,j,…]"});
  refused("x[a]=1", 2, {"--edit: \"x[a]\": \"a\" is not a whole number"});
  refused("x[99,0]=1", 1, {"edits: \"x\" has no cell"});
  refused("weights[0,0,0]=1", 1, {"is computed"});
  refused("nothing[0]=1", 1, {"\"nothing\" is not a tensor of the system"});
  expect_refused({"metrics", "worked-example", "--edit", "x[0,1]=1", "--edit", "x[ 0, 1 ]=2"}, 2,
                 {"--edit: \"x[ 0, 1 ]=2\" is edited already; allowed: one value for each cell"});
}

}  // namespace
}  // namespace attnscope::test
