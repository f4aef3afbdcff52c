// The memory limit holds for the whole program, whatever it does.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "refusal.h"
#include "support/sanitized.h"
#include "support/tensor_bytes.h"
#include "support/tiny_model.h"

namespace attnscope::test {
namespace {

constexpr double kBesides = 150;  // MB that the program takes in addition to the limit for tensors
const std::vector<std::string> kViews = {"flow",       "qkv",     "tensor",        "heads", "head",       "lines",
                                         "image",      "compare", "metrics",       "dot",   "scaling",    "permutation",
                                         "complexity", "next",    "contributions", "text",  "importance", "patching",
                                         "training",   "words",   "vectors"};

Outcome run_within(int megabytes, const std::vector<std::string>& arguments) {
  Surroundings surroundings;
  surroundings.environment["ATTNSCOPE_MEMORY_MB"] = std::to_string(megabytes);
  return run_program(arguments, surroundings);
}

/// The program respects the limit, and either succeeds or gives the reason in one line.
void expect_within(int megabytes, const std::vector<std::string>& arguments) {
  std::string about;
  for (const std::string& argument : arguments) about += argument + " ";
  const Outcome outcome = run_within(megabytes, arguments);
  EXPECT_LT(outcome.peak_megabytes, megabytes + kBesides) << about;
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << about << outcome.code << outcome.err;
  if (outcome.code == 1) {
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << about << outcome.err;
  }
}

std::vector<std::string> figure_of(const TemporaryFolder& folder, const std::string& what, const std::string& view,
                                   const std::vector<std::string>& settings) {
  std::vector<std::string> arguments = {"figure", what, "--view", view, "--dpi", "60"};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  arguments.insert(arguments.end(), {"-o", (folder / "figure.png").string()});
  return arguments;
}

class MemoryLimit : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers take several times as much";
  }
  TemporaryFolder folder_;
};

/// An animation of scaled-dot-product on pages 3 inches high.
std::vector<std::string> animation_of(const TemporaryFolder& folder, const std::string& view, const std::string& sweep,
                                      const std::string& size) {
  return {"animate", "scaled-dot-product", "--view", view, "--sweep",  sweep, "--set", "queries=" + size,
          "--set",   "keys=" + size,       "--dpi",  "60", "--height", "3",   "-o",    (folder / "frame.png").string()};
}

/// Zeros, in a sparse file.
std::string zeros(const TemporaryFolder& folder, const std::string& name, const std::string& shape,
                  std::uintmax_t numbers) {
  const auto path = folder.file(name, npy_bytes(npy_dictionary("<f4", shape)));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + 4 * numbers);
  return path.string();
}

TEST_F(MemoryLimit, HoldsInEveryViewOfWhatIsLargerThanIt) {
  for (const std::string& view : kViews) {
    // One tensor too large for memory; and many that fit only one by one.
    expect_within(20, figure_of(folder_, "scaled-dot-product", view, {"queries=8200", "keys=8200"}));
    expect_within(100, figure_of(folder_, "packed-multihead", view, {"height=64", "heads=2"}));
    expect_within(60, figure_of(folder_, "stacked-multihead", view, {"tokens=900"}));
  }
}

TEST_F(MemoryLimit, HoldsInEveryViewOfWhatJustFits) {
  for (const std::string& view : kViews)
    expect_within(60, figure_of(folder_, "scaled-dot-product", view, {"queries=2600", "keys=2600"}));
}

TEST_F(MemoryLimit, HoldsFromFrameToFrame) {
  for (const char* sweep : {"temperature=1,2", "seed=1,2", "queries=7000,6000,5000"})
    expect_within(400, animation_of(folder_, "heads", sweep, "7000"));
}

TEST_F(MemoryLimit, HoldsForABaselineAndTheFramesTogether) {
  const std::string baseline = (folder_ / "figure.png").string();
  ASSERT_EQ(run_program(figure_of(folder_, "scaled-dot-product", "heads", {"queries=5000", "keys=5000"})).code, 0);
  std::vector<std::string> compared = animation_of(folder_, "compare", "seed=1,2", "5000");
  compared.insert(compared.end(), {"--pinned", baseline});
  const Outcome refused = run_within(400, compared);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err,
            "attnscope: pinned: the experiment takes 200 MB; allowed: 199 MB next to it; ATTNSCOPE_MEMORY_MB sets the "
            "limit\n");
  expect_within(450, compared);
}

TEST_F(MemoryLimit, HoldsWhereAFileIsLargerThanIt) {
  const std::string file = zeros(folder_, "weights.npy", "(2, 6000, 6000)", 72'000'000);
  for (const std::string& view : kViews) expect_within(20, figure_of(folder_, file, view, {}));
  expect_within(20, {"metrics", file});
  expect_within(20, {"explain", file, "weights[1,5999,5999]"});
  expect_within(20, {"trace", file, "-o", (folder_ / "trace.npz").string()});
  // So large that only a sample is examined.
  const std::string vast = zeros(folder_, "vast.npy", "(4, 80000, 80000)", 25'600'000'000);
  for (const char* view : {"lines", "compare", "metrics"}) expect_within(20, figure_of(folder_, vast, view, {}));
}

// Logits and probabilities have the form of scores and weights, but the table of words is no head's keys, to be copied.
TEST_F(MemoryLimit, IsNotNeededForASecondTableOfWords) {
  constexpr int kWords = 40000;
  constexpr int kFeatures = 256;
  Shapes shapes;
  for (auto [name, shape] : tiny_shapes()) {
    for (int& size : shape) size = size % 4 == 0 ? size / 4 * kFeatures : size;
    shapes[name] = shape;
  }
  shapes["wte.weight"] = {kWords, kFeatures};
  folder_.file("config.json", R"({"model_type": "gpt2", "vocab_size": 40000, "n_positions": 5, "n_embd": 256,
    "n_layer": 1, "n_head": 2})");
  const auto weights = folder_.file("model.safetensors", weights_file(shapes));
  const Outcome outcome = run_program({"figure", folder_.path().string(), "--tokens", "1,2,3", "--view", "next", "-o",
                                       (folder_ / "next.svg").string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const double megabytes = static_cast<double>(std::filesystem::file_size(weights)) / 1e6;
  EXPECT_LT(outcome.peak_megabytes, 1.2 * megabytes + 40);
}

}  // namespace
}  // namespace attnscope::test
