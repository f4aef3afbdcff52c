// The views as text, one line for each mark, against tests/figure/snapshots: two figures of each view, and one of every
// diagram that the view Flow draws, all small enough to be read. To accept an intended change of the layout, run these
// tests with ATTNSCOPE_UPDATE_SNAPSHOTS=1 and read the difference before you commit it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

struct Snapshot {
  std::string file;
  std::string view;
  Settings settings;
  ParameterValues options;
  double width = 672;
  double height = 0;
  std::string system = "worked-example";
  std::string model = {};  ///< family of a made model, instead of a system

  friend void PrintTo(const Snapshot& snapshot, std::ostream* out) { *out << snapshot.file; }
};

const Settings kSmallPicture = {{"batch", "3"}, {"channels", "8"}, {"height", "3"}, {"width", "4"}};

const std::vector<Snapshot>& snapshots() {
  static const std::vector<Snapshot> list = {
      {"flow", "flow", {}, {}},
      {"flow_masked",
       "flow",
       {{"mask", "causal"}, {"scale", "sqrt_head_dim"}, {"dropout", "0.1"}},
       {{"head", Index{2}}},
       1200,
       800},
      {"flow_single_cross",
       "flow",
       {},
       {{"stage", std::string("single")}, {"attention", std::string("cross")}},
       900,
       700},
      {"flow_rotary", "flow", {{"positions", "rotary"}, {"mask", "causal"}}, {}, 1000, 700},
      {"flow_sinusoidal", "flow", {{"positions", "sinusoidal"}}, {}},
      {"flow_scaled_dot_product", "flow", {}, {}, 672, 0, "scaled-dot-product"},
      {"flow_image", "flow", kSmallPicture, {{"item", Index{2}}}, 672, 0, "image-self-attention"},
      {"flow_image_multihead", "flow", kSmallPicture, {{"head", Index{2}}}, 1000, 800, "image-multihead"},
      {"flow_packed", "flow", kSmallPicture, {}, 672, 0, "packed-multihead"},
      {"flow_conv", "flow", kSmallPicture, {}, 672, 0, "conv-attention"},
      {"flow_projected", "flow", {{"mask", "padding:3"}}, {}, 672, 0, "projected-multihead"},
      {"flow_additive_rotary",
       "flow",
       {{"score", "additive"}, {"positions", "rotary"}, {"hidden", "8"}},
       {},
       1000,
       700,
       "projected-multihead"},
      {"flow_alibi", "flow", {{"positions", "alibi"}}, {}, 1000, 700, "stacked-multihead"},
      {"qkv", "qkv", {}, {}},
      {"qkv_wide", "qkv", {{"heads", "8"}, {"head_dim", "16"}}, {}, 1400, 900},
      {"heads", "heads", {}, {}},
      {"heads_self", "heads", {{"heads", "8"}, {"tokens", "16"}}, {{"attention", std::string("self")}}, 1000, 700},
      {"head", "head", {}, {}},
      {"head_many", "head", {{"queries", "20"}, {"keys", "200"}}, {}, 900, 600, "scaled-dot-product"},
      {"lines_all",
       "lines",
       {{"mask", "causal"}, {"scale", "sqrt_head_dim"}},
       {{"heads", std::string("all")}, {"head", Index{2}}, {"mass", 0.9}},
       1000,
       700},
      {"lines_query", "lines", {}, {{"query", Index{2}}, {"head", Index{4}}}, 420},
      {"dot", "dot", {}, {{"query", Index{2}}, {"key", Index{4}}}},
      {"vectors", "vectors", {}, {{"query", Index{2}}, {"key", Index{4}}}},
      {"vectors_two",
       "vectors",
       {{"mask", "causal"}},
       {{"query", Index{2}}, {"key", Index{1}}},
       900,
       600,
       "scaled-dot-product"},
      {"dot_causal",
       "dot",
       {{"mask", "causal"}, {"temperature", "2"}},
       {{"head", Index{2}}, {"query", Index{4}}, {"key", Index{5}}},
       420,
       600,
       "stacked-multihead"},
      {"image", "image", kSmallPicture, {{"query", Index{3}}, {"channel", Index{2}}}, 672, 0, "image-self-attention"},
      {"image_heads", "image", kSmallPicture, {{"item", Index{2}}}, 1000, 700, "packed-multihead"},
      {"text", "text", {}, {{"leave_out", std::string("first")}}, 672, 0, {}, "gpt2"},
      {"text_cross",
       "text",
       {},
       {{"attention", std::string("cross")}, {"heads", std::string("maximum")}, {"direction", std::string("to")}},
       1000,
       700},
      {"next", "next", {}, {}, 672, 0, {}, "gpt2"},
      {"next_layer",
       "next",
       {},
       {{"after", Index{1}}, {"position", Index{2}}, {"top", Index{3}}},
       1000,
       700,
       {},
       "bert"},
      {"contributions", "contributions", {}, {}, 672, 0, {}, "gpt2"},
      {"contributions_against",
       "contributions",
       {},
       {{"position", Index{3}}, {"token", Index{5}}, {"other_token", Index{19}}},
       1000,
       700,
       {},
       "attention-only"},
      {"importance", "importance", {}, {}, 672, 0, {}, "gpt2"},
      {"patching", "patching", {}, {}, 1000, 700, {}, "gpt2"},
      {"words", "words", {}, {{"layer", Index{2}}, {"query", Index{4}}, {"key", Index{2}}}, 900, 700, {}, "gpt2"},
      {"training",
       "training",
       {},
       {{"of", std::string("text")}, {"measure", std::string("first_token")}},
       1000,
       700,
       {},
       "gpt2"},
      {"compare", "compare", {{"mask", "causal"}}, {}},
      {"compare_both",
       "compare",
       {{"tokens", "4"}, {"scale", "sqrt_head_dim"}},
       {{"show", std::string("both")}, {"of", std::string("scores")}, {"head", Index{3}}},
       1000,
       700},
      {"metrics",
       "metrics",
       {{"heads", "2"}, {"mask", "causal"}},
       {{"head", Index{2}}, {"sort", std::string("first_token")}, {"order", std::string("up")}}},
      {"metrics_found",
       "metrics",
       {},
       {{"of", std::string("random")}, {"sort", std::string("induction")}},
       900,
       600,
       {},
       "gpt2"},
      {"metrics_layers", "metrics", {}, {{"layer", Index{2}}}, 1000, 700, "hand-made-heads"},
      {"scaling", "scaling", {}, {}},
      {"scaling_narrow", "scaling", {{"head_dim", "4096"}}, {{"keys", Index{2}}, {"samples", Index{8}}}, 420, 600},
      {"permutation", "permutation", {}, {}},
      {"permutation_rotary",
       "permutation",
       {{"positions", "rotary"}, {"scale", "sqrt_head_dim"}},
       {{"order", std::string("6 5 4 3 2")}, {"head", Index{3}}},
       1000,
       700},
      {"complexity", "complexity", {}, {}},
      {"complexity_narrow", "complexity", {{"heads", "1"}}, {{"kernel", Index{2}}, {"window", Index{400}}}, 420, 700},
      {"tensor", "tensor", {}, {{"tensor", Index{5}}}},
      {"tensor_pixels", "tensor", kSmallPicture, {}, 1000, 700, "packed-multihead"},
  };
  return list;
}

std::string path_of(const std::string& file) { return ATTNSCOPE_SOURCE_DIR "/tests/figure/snapshots/" + file + ".txt"; }

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class FigureSnapshot : public testing::TestWithParam<Snapshot> {};

TEST_P(FigureSnapshot, IsAsItWas) {
  const Snapshot& snapshot = GetParam();
  const std::shared_ptr<const Trace> trace = snapshot.model.empty() ? trace_with(snapshot.settings, snapshot.system)
                                                                    : made_trace(snapshot.model, {1, 2, 5, 9, 2, 7});
  const std::string text =
      describe(figure_of(*trace, snapshot.view, snapshot.options, snapshot.width, snapshot.height));
  const std::string path = path_of(snapshot.file);
  if (std::getenv("ATTNSCOPE_UPDATE_SNAPSHOTS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << path << " is written anew";
  }
  EXPECT_EQ(text, text_of(path)) << "in " << path << "; ATTNSCOPE_UPDATE_SNAPSHOTS=1 writes it anew";
}

INSTANTIATE_TEST_SUITE_P(Views, FigureSnapshot, testing::ValuesIn(snapshots()),
                         [](const auto& snapshot) { return snapshot.param.file; });

TEST(FigureSnapshots, EveryFileIsCompared) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ATTNSCOPE_SOURCE_DIR "/tests/figure/snapshots")) {
    files += entry.path().extension() == ".txt" ? 1U : 0U;
  }
  EXPECT_EQ(files, snapshots().size());
}

}  // namespace
}  // namespace attnscope::test
