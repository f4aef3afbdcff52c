// Imported tensors on the command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

using nlohmann::json;

/// attnscope's own trace, without the mark that it is one: it looks like another program's tensors.
std::filesystem::path imported_file(const TemporaryFolder& folder) {
  const std::string trace = (folder / "trace.safetensors").string();
  EXPECT_EQ(run_program({"trace", "stacked-multihead", "-o", trace}).code, 0);
  std::string bytes = bytes_of(trace);
  const std::string format = "attnscope-trace/1";
  bytes.replace(bytes.find(format), format.size(), "somebody-elses/01");
  return folder.file("own.safetensors", bytes);
}

TEST(CliImportedTensors, EveryCommandTakesAFileOfThem) {
  const TemporaryFolder folder;
  const std::string file = imported_file(folder).string();
  const Outcome measured = run_program({"metrics", file, "--json"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  const json own = json::parse(measured.out);
  const json computed = json::parse(run_program({"metrics", "stacked-multihead", "--json"}).out);
  ASSERT_EQ(own.size(), 1U);
  for (std::size_t head = 0; head < 4; ++head) {
    EXPECT_EQ(own[0].at("heads").at(head).at("entropy"), computed[0].at("heads").at(head).at("entropy"));
    EXPECT_EQ(own[0].at("heads").at(head).at("previous_token"), computed[0].at("heads").at(head).at("previous_token"));
  }
  const Outcome explained = run_program({"explain", file, "weights[0,1,2,3]"});
  EXPECT_NE(explained.out.find("imported: weights[0, 1, 2, 3] of " + file), std::string::npos)
      << explained.out << explained.err;
  // Computes the same weights from its queries and keys.
  const std::string again = (folder / "again.json").string();
  const Outcome traced = run_program({"trace", file, "--set", "use=queries", "-o", again});
  ASSERT_EQ(traced.code, 0) << traced.err;
  EXPECT_EQ(run_program({"figure", file, "--view", "head", "-o", (folder / "x.svg").string()}).code, 0);
}

TEST(CliImportedTensors, ComeFromStandardInputToo) {
  const TemporaryFolder folder;
  Surroundings piped;
  piped.standard_input = imported_file(folder).string();
  const Outcome outcome = run_program({"metrics", "-"}, piped);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("head 4"), std::string::npos);
  expect_refused({"metrics", "-"}, 1, {"stdin: "});
}

TEST(CliImportedTensors, LabelsComeFromAFile) {
  const TemporaryFolder folder;
  const std::string file = imported_file(folder).string();
  const std::string labels = folder.file("tokens.txt", "a\nb\na\nc\nb\na\n").string();
  const json measured = json::parse(run_program({"metrics", file, "--labels", labels, "--json"}).out);
  EXPECT_TRUE(measured[0].at("heads").at(0).at("induction").is_number());
  expect_refused({"metrics", file, "--labels", labels + "x"}, 1, {"tokens.txtx: No such file"});
}

TEST(CliImportedTensors, WhatIsWrongIsSaidInOneLine) {
  const TemporaryFolder folder;
  const std::string file = imported_file(folder).string();
  expect_refused({"figure", file, "--view", "flow", "-o", (folder / "x.svg").string()}, 1,
                 {"view flow: The file has no queries and keys for these weights."});
  expect_refused({"metrics", file, "--set", "axes=token dim"}, 2,
                 {"--set axes: \"token dim\" is not allowed for weights [1, 4, 6, 6]; allowed: guess, "});
  expect_refused({"metrics", "own-tensors"}, 1, {"own-tensors: no file given; open a tensor file"});
  expect_refused({"metrics", folder.file("x.npy", "GIF89a").string()}, 1, {"x.npy: "});
}

TEST(CliImportedTensors, AModelsWeightsArePointedToTheirFolder) {
  const TemporaryFolder folder;
  const std::string array = npy_bytes(npy_dictionary("<f4", "(2, 2)"), float_bytes({1, 2, 3, 4}));
  const std::string file = folder
                               .file("state.npz", zip_bytes({ZipPart::stored("h.0.attn.c_attn.weight.npy", array),
                                                             ZipPart::stored("h.0.attn.c_proj.weight.npy", array)}))
                               .string();
  expect_refused(
      {"metrics", file}, 1,
      {"state.npz: these are a model's weights, not attention; open the folder with its config.json instead"});
  const std::string config = folder.file("config.json", "{}").string();
  expect_refused({"metrics", file}, 1, {"open the folder of " + config + " instead"});
  expect_refused({"figure", file, "--view", "heads", "-o", (folder / "x.svg").string()}, 1,
                 {"open the folder of " + config + " instead"});
}

TEST(CliImportedTensors, QueriesAndKeysOfLayersAreMeasuredLayerByLayer) {
  const TemporaryFolder folder;
  const std::string array = npy_bytes(npy_dictionary("<f4", "(3, 2, 4, 4)"), float_bytes(std::vector<float>(96, 0.5F)));
  const std::string file =
      folder.file("gpt2_7.npz", zip_bytes({ZipPart::stored("q.npy", array), ZipPart::stored("k.npy", array)})).string();
  const Outcome outcome = run_program({"metrics", file, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out).size(), 3U);
  EXPECT_NE(outcome.err.find("q [3, 2, 4, 4] is taken as layer head token dim"), std::string::npos) << outcome.err;
}

TEST(CliImportedTensors, AMaskThatTheWeightsShowIsSaidAndTaken) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("attn.npy", npy_bytes(npy_dictionary("<f4", "(1, 2, 2)"), float_bytes({1, 0, 0.5F, 0.5F}))).string();
  EXPECT_NE(run_program({"metrics", file}).out.find("2 queries, 2 keys; causal mask, judging by weights of 0"),
            std::string::npos);
  EXPECT_NE(
      run_program({"metrics", file, "--sort", "induction"}).err.find("--sort: induction does not apply to these heads"),
      std::string::npos)
      << "there are no labels";
  const Outcome outside = run_program({"metrics", file, "--set", "mask=window:0"});
  EXPECT_NE(outside.err.find("weights: 1 weight outside the mask window:0 is not 0"), std::string::npos) << outside.err;
}

TEST(CliImportedTensors, AnExperimentWithoutUseTakesWhatThereIs) {
  const TemporaryFolder folder;
  const std::string array = npy_bytes(npy_dictionary("<f4", "(2, 3, 4)"), float_bytes(std::vector<float>(24, 0.5F)));
  folder.file("qk.npz", zip_bytes({ZipPart::stored("q.npy", array), ZipPart::stored("k.npy", array)}));
  const std::string file =
      folder
          .file("qk.json",
                R"({"format": "attnscope-experiment/1", "system": "own-tensors", "tensors": "qk.npz", "params": {}})")
          .string();
  const Outcome outcome = run_program({"metrics", file});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(run_program({"figure", file, "-o", (folder / "x.svg").string()}).code, 0);
}

TEST(CliImportedTensors, APickleSaysHowToConvertIt) {
  const TemporaryFolder folder;
  for (const char* name : {"attn.pt", "attn.pth", "attn.bin"}) {
    const std::string file = folder.file(name, zip_bytes({ZipPart::stored("attn/data.pkl", "\x80\x02.")})).string();
    expect_refused({"metrics", file}, 1,
                   {std::string(name) + ": the file is a Python pickle, which can run any code",
                    "safetensors.torch.save_file", "numpy.save"});
  }
  expect_refused({"metrics", folder.file("old.pt", std::string("\x80\x02}q.")).string()}, 1, {"old.pt: the file is a"});
}

/// Every command that reads the numbers of a file.
std::vector<std::vector<std::string>> reading(const std::string& file, const std::string& output) {
  return {{"metrics", file},
          {"metrics", file, "--json"},
          {"explain", file, "weights[0,1,1]"},
          {"trace", file, "-o", output + ".npz"},
          {"trace", file, "--only", "weights[0]", "-o", output + ".json"},
          {"figure", file, "-o", output + ".svg"},
          {"figure", file, "--view", "head", "-o", output + ".png"},
          {"figure", file, "--view", "metrics", "-o", output + ".pdf"},
          {"figure", file, "--set", "use=tensors", "--view", "tensor", "-o", output + ".pdf"}};
}

void expect_no_number(const TemporaryFolder& folder, const std::string& file, const std::string& why) {
  const std::string output = (folder / "output").string();
  for (const std::vector<std::string>& arguments : reading(file, output)) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments[0] << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const char* ending : {".npz", ".json", ".svg", ".png", ".pdf"})
      EXPECT_FALSE(std::filesystem::exists(output + ending)) << arguments[0] << " " << arguments[1];
  }
}

std::string weights_npy(std::size_t size) {
  std::vector<float> weights(size * size, 1 / static_cast<float>(size));
  const std::string shape = "(1, " + std::to_string(size) + ", " + std::to_string(size) + ")";
  return npy_bytes(npy_dictionary("<f4", shape), float_bytes(weights));
}

TEST(CliImportedTensors, ADamagedArchiveGivesNoNumber) {
  const TemporaryFolder folder;
  // In memory, and large enough to be read on demand.
  for (const std::size_t size : {std::size_t{2}, std::size_t{4200}}) {
    ZipPart part = ZipPart::stored("attn.npy", weights_npy(size));
    part.crc ^= 1U;
    expect_no_number(folder, folder.file("x.npz", zip_bytes({part})).string(),
                     "x.npz: tensor \"attn\": its checksum (CRC-32) is wrong: the archive is damaged");
  }
}

TEST(CliImportedTensors, WhatIsOddAboutAFileIsSaidBesideTheNumbers) {
  const TemporaryFolder folder;
  const std::string file = folder.file("long.npy", weights_npy(2) + "more").string();
  for (const std::vector<std::string>& arguments : reading(file, (folder / "output").string())) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("long.npy: the file has 4 bytes after its numbers\n"), std::string::npos)
        << arguments[0] << ": " << outcome.err;
  }
}

TEST(CliImportedTensors, ThreeThousandHeadsAreMeasuredAndNotCompared) {
  const TemporaryFolder folder;
  const std::vector<float> weights(3000 * 8 * 8, 0.125F);
  const std::string file =
      folder.file("heads.npy", npy_bytes(npy_dictionary("<f4", "(3000, 8, 8)"), float_bytes(weights))).string();
  const Outcome outcome = run_program({"metrics", file, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("weights: 3,000 heads are not compared with each other; allowed: 256"), std::string::npos)
      << outcome.err;
  const json measured = json::parse(outcome.out);
  EXPECT_EQ(measured[0].at("heads").size(), 3000U);
  EXPECT_TRUE(measured[0].at("distances").empty());
}

TEST(CliImportedTensors, QueriesAndKeysAloneHaveAFlow) {
  const TemporaryFolder folder;
  const std::string array = npy_bytes(npy_dictionary("<f4", "(2, 3, 4)"), float_bytes(std::vector<float>(24, 0.5F)));
  const std::string file =
      folder.file("qk.npz", zip_bytes({ZipPart::stored("q.npy", array), ZipPart::stored("k.npy", array)})).string();
  const Outcome outcome = run_program({"figure", file, "--view", "flow", "-o", (folder / "x.svg").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace attnscope::test
