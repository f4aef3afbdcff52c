// Scripts as text; tests/golden/compare_scripts.py runs them. The default script of every system is kept in
// tests/core/scripts: to accept a change on purpose, run these tests with ATTNSCOPE_UPDATE_SNAPSHOTS=1 and read the
// difference before it is committed.

#include "core/script/script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string script_with(const std::string& system, const Settings& settings, const Mask& mask = {}) {
  Experiment experiment = *default_experiment(system);
  experiment.parameters["mask"] = mask;
  for (const auto& [name, value] : settings) EXPECT_TRUE(set_parameter_text(experiment, name, value)) << name;
  EXPECT_TRUE(validate(experiment)) << description(experiment);
  return pytorch_script(experiment);
}

Mask array_mask(std::vector<Index> shape, const std::string& digits) {
  Mask mask = {Mask::Kind::array, 0, {}, std::move(shape), {}};
  for (const char digit : digits) mask.keep.push_back(digit == '1');
  return mask;
}

testing::AssertionResult has(const std::string& script, const std::string& text) {
  if (script.find(text) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" is not in\n" << script;
}

/// The lines from the line `first` to the next "}".
std::vector<std::string> lines_between(const std::string& script, const std::string& first) {
  const std::vector<std::string> lines = split(script, '\n');
  const auto begin = std::find(lines.begin(), lines.end(), first);
  return {begin, std::find_if(begin, lines.end(), [](const std::string& line) { return line.ends_with("}"); })};
}

/// The keys of the dictionary that starts with the line `first`; `**` stands for dictionaries in it.
std::vector<std::string> keys(const std::string& script, const std::string& first = "tensors = {") {
  std::vector<std::string> found;
  const auto add_returned = [&](const std::string& prefix) {
    for (const std::string& key : keys(script, "    return {")) found.push_back(prefix + key);
  };
  for (const std::string& line : lines_between(script, first)) {
    const std::string entry = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    if (entry == "**multi,") add_returned("");
    if (entry.starts_with("**{f\"single.")) add_returned("single.");
    if (entry.starts_with("\"")) found.push_back(entry.substr(1, entry.find('"', 1) - 1));
  }
  return found;
}

TEST(Script, SavesEveryTensorOfTheTraceOnce) {
  for (const Experiment& experiment : variations()) {
    std::vector<std::string> expected;
    for (const PlannedStep& step : plan(experiment).steps) expected.push_back(step.name);
    std::vector<std::string> saved = keys(pytorch_script(experiment));
    std::sort(expected.begin(), expected.end());
    std::sort(saved.begin(), saved.end());
    EXPECT_EQ(saved, expected) << description(experiment);
  }
}

TEST(Script, IsTidy) {
  for (const Experiment& experiment : variations()) {
    const std::string script = pytorch_script(experiment);
    EXPECT_TRUE(script.ends_with(")\n")) << script;
    EXPECT_EQ(script.find("\n\n\n\n"), std::string::npos) << script;
    EXPECT_EQ(script.find('\t'), std::string::npos) << script;
    EXPECT_EQ(script.find("{\n}"), std::string::npos) << script;
    for (const std::string& line : split(script, '\n')) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
      EXPECT_LT(columns, 100) << line;
      EXPECT_FALSE(line.ends_with(' ')) << script;
    }
  }
}

TEST(Script, DefinesTheParametersItUsesAndNoOthers) {
  for (const Experiment& experiment : variations()) {
    const std::string script = pytorch_script(experiment);
    const std::vector<std::string> lines = split(script, '\n');
    for (const Parameter& parameter : find_system(experiment.system)->parameters) {
      if (parameter.kind == Parameter::Kind::choice || parameter.kind == Parameter::Kind::mask) continue;
      const std::string line = parameter.name + " = " + value_text(experiment.parameters.at(parameter.name));
      const bool unused = (parameter.name == "keys" && script.find("x_q = x_k") != std::string::npos) ||
                          (parameter.name == "cross_queries" && experiment.integer("cross_queries") == 0) ||
                          (parameter.name == "temperature" && experiment.real("temperature") == 1) ||
                          (parameter.name == "dropout" && experiment.real("dropout") == 0) ||
                          parameter.name == "masked_fill";
      EXPECT_EQ(std::count(lines.begin(), lines.end(), line), unused ? 0 : 1) << line << "\n" << script;
    }
  }
}

TEST(Script, HasOnlyWhatTheExperimentNeeds) {
  const std::string plain = script_with("worked-example", {{"cross_queries", "0"}});
  for (const char* absent : {"cross_", "x2", "math", "nn", "keep", "temperature", "dropout", "detach", "torch.rand(0"})
    EXPECT_FALSE(has(plain, absent));
  const std::string full = script_with(
      "worked-example", {{"scale", "sqrt_head_dim"}, {"temperature", "2.5"}, {"dropout", "0.1"}, {"discard", "7"}});
  for (const char* present :
       {"import math\n", "from torch import nn\n", "/ math.sqrt(head_dim)\n", "temperature = 2.5\n", "dropout = 0.1\n",
        "scores / temperature, dim=-1)", "cross_dropped_weights = nn.functional.dropout(cross_weights, dropout)\n",
        "head_outputs = dropped_weights @ v\n", "torch.rand(7)", "the numbers differ from attnscope's"})
    EXPECT_TRUE(has(full, present));
  EXPECT_FALSE(has(script_with("packed-multihead", {{"temperature", "2"}}), "assert_close"));
  EXPECT_FALSE(has(script_with("projected-multihead", {{"score", "additive"}}), "math"));
}

TEST(Script, Masks) {
  const auto stacked = [](const std::string& mask, const std::string& fill = "-9e15") {
    return script_with("stacked-multihead", {{"batch", "2"}, {"mask", mask}, {"masked_fill", fill}});
  };
  EXPECT_TRUE(has(stacked("causal"), "keep = torch.ones(tokens, tokens).tril().bool()\n"));
  EXPECT_TRUE(has(stacked("causal"), "masked_scores = scores.masked_fill(~keep, -9e15)\n"));
  EXPECT_TRUE(has(stacked("window:2", "-0.5"), ".abs() <= 2\n"));
  EXPECT_TRUE(has(stacked("window:2", "-0.5"), "scores.masked_fill(~keep, -0.5)\n"));
  EXPECT_TRUE(has(stacked("padding:4"), "keep = torch.arange(tokens) < 4\n"));
  EXPECT_TRUE(has(stacked("padding:4,2"), "lengths = torch.tensor([4, 2])\n"));
  EXPECT_TRUE(has(stacked("padding:4,2"), "keep = torch.arange(tokens) < lengths[:, None, None, None]\n"));
  EXPECT_TRUE(
      has(script_with("image-self-attention", {{"batch", "2"}, {"mask", "padding:4,2"}}), "lengths[:, None, None]\n"));
  std::string lengths = "padding:1";
  for (int i = 1; i < 64; ++i) lengths += ",2";
  EXPECT_TRUE(
      has(script_with("conv-attention", {{"batch", "64"}, {"mask", lengths}}), "lengths = \"\"\"\n    1 2 2 2 "));
}

TEST(Script, MendsOnlyRowsWithoutKeys) {
  const auto mended = [](const std::string& mask, const std::string& fill, const std::string& temperature = "1") {
    return script_with("stacked-multihead",
                       {{"batch", "2"}, {"mask", mask}, {"masked_fill", fill}, {"temperature", temperature}});
  };
  constexpr const char* kAny = "weights = weights.masked_fill(~keep.any(dim=-1, keepdim=True), 0)\n";
  EXPECT_TRUE(has(mended("padding:0", "-inf"), kAny));
  EXPECT_TRUE(has(mended("padding:3,0", "-inf"), kAny));
  EXPECT_FALSE(has(mended("padding:3,1", "-inf"), kAny));
  EXPECT_FALSE(has(mended("padding:0", "-9e15"), kAny));
  EXPECT_FALSE(has(mended("causal", "-inf"), kAny));
  EXPECT_TRUE(has(mended("causal", "-inf"), "float(\"-inf\")"));
  EXPECT_TRUE(has(mended("padding:0", "-1e38", "0.001"), ".amax("));
  EXPECT_FALSE(has(mended("padding:1", "-1e38", "0.001"), ".amax("));
}

TEST(Script, ExplicitMasksAreZerosAndOnes) {
  const Settings small = {{"tokens", "2"}, {"heads", "2"}, {"batch", "2"}};
  const auto stacked = [&](const Mask& mask) { return script_with("stacked-multihead", small, mask); };
  EXPECT_TRUE(has(stacked(array_mask({2, 2}, "1011")), "keep = \"\"\"\n10\n11\n\"\"\"\n"));
  EXPECT_TRUE(has(stacked(array_mask({2, 2}, "1011")), "if digit in \"01\"]).view(2, 2)\n"));
  EXPECT_TRUE(has(stacked(array_mask({2, 2, 2}, "10110110")), "10\n11\n\n01\n10\n\"\"\"\n"));
  EXPECT_TRUE(has(stacked(array_mask({2, 2, 2}, "10110110")), ".view(2, 1, 2, 2)\n"));
  EXPECT_TRUE(has(stacked(array_mask({1, 2, 2}, "1011")), ".view(2, 2)\n"));
  EXPECT_TRUE(has(stacked(array_mask({1, 2, 2, 2}, "10110110")), ".view(2, 2, 2)\n"));
  EXPECT_TRUE(has(stacked(array_mask({2, 1, 2, 2}, "10110110")), ".view(2, 1, 2, 2)\n"));
  EXPECT_TRUE(has(stacked(array_mask({2, 2, 2, 2}, "1011011010110110")), ".view(2, 2, 2, 2)\n"));
  EXPECT_TRUE(has(script_with("image-self-attention", {{"batch", "2"}, {"height", "1"}, {"width", "2"}},
                              array_mask({2, 1, 2, 2}, "10110110")),
                  ".view(2, 2, 2)\n"));

  const Settings two = {{"tokens", "2"}, {"heads", "2"}};
  const std::string heads = script_with("worked-example", two, array_mask({1, 2, 2, 2}, "10110110"));
  EXPECT_TRUE(has(heads, "def attention(w_k, w_q, w_v, keep):\n"));
  EXPECT_TRUE(has(heads, "single = attention(*single_weights, keep[0])\n"));
  EXPECT_TRUE(has(heads, ".view(2, 2, 2)\n"));
  const std::string shared = script_with("worked-example", two, array_mask({1, 1, 2, 2}, "1011"));
  EXPECT_TRUE(has(shared, "def attention(w_k, w_q, w_v):\n"));
  EXPECT_TRUE(has(shared, ".view(2, 2)\n"));

  const std::string wide = script_with("scaled-dot-product", {{"queries", "1"}, {"keys", "200"}},
                                       array_mask({1, 200}, std::string(200, '1')));
  EXPECT_TRUE(has(wide, "\"\"\"\n" + std::string(90, '1') + "\n" + std::string(90, '1') + "\n" + std::string(20, '1') +
                            "\n\"\"\"\n"));
}

TEST(Script, SeedsAndDiscardedNumbers) {
  EXPECT_TRUE(has(script_with("stacked-multihead", {{"seed", "4294967295"}}), "torch.manual_seed(4294967295)\n"));
  EXPECT_TRUE(has(script_with("stacked-multihead", {{"seed", "18446744073709551615"}}),
                  "torch.manual_seed(18446744073709551615)  # same as 4294967295: "));
  EXPECT_TRUE(has(script_with("stacked-multihead", {{"discard", "3168"}}), "\ntorch.rand(3168)  # "));
  const std::string many = script_with("stacked-multihead", {{"discard", "10000000000"}});
  EXPECT_TRUE(has(many, "for _ in range(100):"));
  EXPECT_TRUE(has(many, "    torch.rand(100000000)\n"));
}

TEST(Script, NormsThatPyTorchRefuses) {
  const Settings pixel = {{"batch", "1"}, {"height", "1"}, {"width", "1"}};
  EXPECT_TRUE(has(script_with("image-self-attention", pixel), "nn.GroupNorm(1, channels)(x)\n"));
  Settings batch = pixel;
  batch.emplace_back("norm", "batch");
  EXPECT_TRUE(has(script_with("image-self-attention", batch), "normed = torch.zeros_like(x)  # "));
  Settings one = pixel;
  one.emplace_back("channels", "1");
  EXPECT_TRUE(has(script_with("image-self-attention", one), "normed = torch.zeros_like(x)  # "));
}

TEST(PythonText, Numbers) {
  EXPECT_EQ(python_number(-9e15), "-9e15");
  EXPECT_EQ(python_number(1e5), "1e5");
  EXPECT_EQ(python_number(2.5), "2.5");
  EXPECT_EQ(python_number(1e-7), "1e-07");
  EXPECT_EQ(python_number(-std::numeric_limits<double>::infinity()), "float(\"-inf\")");
}

TEST(PythonText, Lists) {
  EXPECT_EQ(python_list({}), "[]\n");
  const std::vector<std::string> two = {"a b", "q\"\\\n\x7f"};
  EXPECT_EQ(python_list(two), "[\"a b\", \"q\\\"\\\\\\x0a\\x7f\"]\n");
  const std::vector<std::string> many(30, "word");
  for (const std::string& line : split(python_list(many), '\n')) EXPECT_LT(line.size(), 100U);
  EXPECT_TRUE(python_list(many).starts_with("[\n    \"word\", "));
  EXPECT_TRUE(python_list(many).ends_with("\"word\",\n]\n"));
}

TEST(Script, LeavesTheSeedOutWhereNothingIsDrawn) {
  EXPECT_FALSE(has(script_with("hand-made-heads", {{"discard", "7"}}), "torch.manual_seed"));
  EXPECT_FALSE(has(script_with("hand-made-heads", {}), "torch.rand"));
  EXPECT_TRUE(has(script_with("hand-made-heads", {{"dropout", "0.5"}}), "torch.manual_seed(42)"));
  EXPECT_TRUE(has(script_with("hand-made-heads", {}), "    print(layer2_out)\n"));
}

TEST(PythonText, Lines) {
  EXPECT_EQ(indented("a\n\n  b\n"), "    a\n\n      b\n");
  EXPECT_EQ(wrapped("one two"), "one two\n");
  EXPECT_EQ(wrapped(std::string(60, 'a') + " " + std::string(38, 'b')),
            std::string(60, 'a') + " " + std::string(38, 'b') + "\n");
  EXPECT_EQ(wrapped(std::string(60, 'a') + " " + std::string(38, 'b'), 4),
            "    " + std::string(60, 'a') + "\n    " + std::string(38, 'b') + "\n");
}

constexpr const char* kSnapshots = ATTNSCOPE_SOURCE_DIR "/tests/core/scripts/";

TEST(ScriptSnapshots, AreAsTheyWere) {
  for (const System& system : systems()) {
    const std::string script = pytorch_script(*default_experiment(system.name));
    const std::string path = kSnapshots + system.name + ".py";
    if (std::getenv("ATTNSCOPE_UPDATE_SNAPSHOTS") != nullptr) std::ofstream(path, std::ios::binary) << script;
    std::ifstream file(path, std::ios::binary);
    EXPECT_EQ(script, std::string(std::istreambuf_iterator<char>(file), {}))
        << "in " << path << "; ATTNSCOPE_UPDATE_SNAPSHOTS=1 writes it anew";
  }
  const std::filesystem::directory_iterator files(kSnapshots);
  EXPECT_EQ(static_cast<std::size_t>(std::distance(begin(files), end(files))), systems().size());
}

}  // namespace
}  // namespace attnscope::test
