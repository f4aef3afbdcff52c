// The user's own tensors in the window.
#include "support/imported_tensors.h"

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "interface_test.h"
#include "io/traces/trace_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class ImportedTensorFiles : public Interface {
 protected:
  /// Weights of six layers with eight heads of twelve tokens each, as another program may have written them.
  std::filesystem::path weights() {
    std::string header = "{\"attentions\":{\"dtype\":\"F32\",\"shape\":[6,8,12,12],\"data_offsets\":[0,27648]}}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size());
    bytes += header;
    for (int i = 0; i < 6 * 8 * 12 * 12; ++i) {
      // Each query attends to one key.
      const float weight = i % 12 == (i / 12 * 5) % 12 ? 1.0F : 0.0F;
      bytes.append(reinterpret_cast<const char*>(&weight), sizeof weight);
    }
    return folder_.file("model.safetensors", bytes);
  }

  /// Frames until `done`, for a time that is far too long.
  bool wait_for(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < end) {
      screen().frame(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return done();
  }

  TemporaryFolder folder_;
};

TEST_F(ImportedTensorFiles, OpenAsHeadsOfEveryLayer) {
  screen().settle();
  screen().workbench().open_files({weights().string()});
  screen().settle();
  EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  EXPECT_EQ(screen().experiment().system, "own-tensors");
  EXPECT_EQ(screen().experiment().view.name, "heads");
  EXPECT_EQ(screen().workbench().shown_figure().figure().heatmaps.size(), 48U);
  EXPECT_EQ(screen().workbench().window_title(), "model.safetensors — attnscope");
  // A cell of the fourth layer says where it is from.
  screen().move(screen().cell_center(3 * 8 + 2, 1, 5));
  screen().frame(2);
  ASSERT_TRUE(screen().state().hovered);
  EXPECT_EQ(screen().state().hovered->tensor, "layer4.weights");
  EXPECT_EQ(screen().trace().value(3, std::vector<Index>{2, 1, 5}), 1.0F);
}

TEST_F(ImportedTensorFiles, AreNeverSavedOver) {
  screen().settle();
  const auto path = weights();
  const std::string before = bytes_of(path);
  screen().workbench().open_files({path.string()});
  screen().settle();
  screen().key_with_control('S');
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::save);
  EXPECT_EQ(screen().state().dialog.path, (folder_ / "model.json").string());
  screen().key(kEnter);
  screen().frame(3);
  EXPECT_EQ(bytes_of(path), before);
}

TEST_F(ImportedTensorFiles, TheAxesCanBeCorrectedAndThatUndone) {
  screen().settle();
  screen().workbench().open_files({weights().string()});
  screen().settle();
  ASSERT_EQ(screen().trace().steps().size(), 6U);
  const Rect axes = screen().item("Parameters", {std::string("Axes"), std::string("##choice")});
  screen().click(axes.center());
  screen().frame(2);
  // Below the guess stand the orders, the likeliest first: the second one is a batch.
  const double line = axes.height;
  screen().click({axes.center().x, axes.bottom() + 2.4 * line});
  screen().settle();
  EXPECT_EQ(screen().experiment().choice("axes"), "batch head query key");
  EXPECT_EQ(screen().trace().steps().size(), 1U);
  screen().key_with_control('Z');
  screen().settle();
  EXPECT_EQ(screen().experiment().choice("axes"), "guess");
  EXPECT_EQ(screen().trace().steps().size(), 6U);
}

TEST_F(ImportedTensorFiles, ATextThatIsDroppedLabelsTheTokens) {
  screen().settle();
  screen().workbench().open_files({weights().string()});
  screen().settle();
  screen().workbench().open_files({folder_.file("tokens.txt", "[CLS]\nthe\ncat\n").string()});
  screen().settle();
  EXPECT_EQ(screen().experiment().labels, (std::vector<std::string>{"[CLS]", "the", "cat"}));
  EXPECT_EQ(screen().experiment().system, "own-tensors");
}

TEST_F(ImportedTensorFiles, AreReadAgainWhenTheyChange) {
  screen().settle();
  const auto path = weights();
  screen().workbench().open_files({path.string()});
  screen().settle();
  ASSERT_EQ(screen().trace().value(0, std::vector<Index>{0, 0, 0}), 1.0F);
  // As PyTorch writes: the file is made anew, with other numbers.
  std::string bytes = bytes_of(path);
  const float other = 0.25F;
  const std::size_t first = bytes.size() - std::size_t{6} * 8 * 12 * 12 * 4;
  bytes.replace(first, sizeof other, reinterpret_cast<const char*>(&other), sizeof other);
  std::filesystem::rename(folder_.file("new", bytes), path);
  ASSERT_TRUE(wait_for(
      [&] { return screen().state().message.text.find("which another program changed") != std::string::npos; }));
  screen().settle();
  EXPECT_EQ(screen().trace().value(0, std::vector<Index>{0, 0, 0}), 0.25F);
  EXPECT_FALSE(screen().workbench().session().modified());
  // What has become useless is said, and what was there stays.
  std::ofstream(path) << "no tensors";
  ASSERT_TRUE(wait_for([&] { return screen().state().message.is_error; }));
  EXPECT_NE(screen().state().message.text.find("model.safetensors: "), std::string::npos)
      << screen().state().message.text;
  EXPECT_EQ(screen().experiment().system, "own-tensors");
}

TEST_F(ImportedTensorFiles, ThatAreNoAttentionAreShownAsTheyAre) {
  screen().settle();
  std::string header =
      R"({"fc.bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"fc.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[12,36]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  bytes += header;
  for (int i = 0; i < 9; ++i) {
    const auto number = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  screen().workbench().open_files({folder_.file("layer.safetensors", bytes).string()});
  screen().settle();
  EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  EXPECT_EQ(screen().experiment().view.name, "tensor");
  ASSERT_EQ(screen().workbench().shown_figure().figure().heatmaps.size(), 1U);
  EXPECT_EQ(screen().workbench().shown_figure().figure().heatmaps[0].columns(), 3);
  // Its name is chosen from a list.
  const Rect list = screen().item("Figure", {std::string("Tensor"), std::string("##choice")});
  screen().click(list.center());
  screen().frame(2);
  screen().click_item("##Combo_", {std::string("fc.weight")});
  screen().settle();
  EXPECT_EQ(screen().workbench().shown_figure().figure().heatmaps[0].rows(), 2);
  screen().move(screen().cell_center(0, 1, 2));
  screen().frame(2);
  ASSERT_TRUE(screen().state().hovered);
  EXPECT_EQ(screen().state().hovered->tensor, "given.fc.weight");
  // Nothing of it is a token.
  EXPECT_THROW(screen().item("Parameters", {std::string("##labels")}), std::runtime_error);
}

TEST_F(ImportedTensorFiles, TheInspectorHasTheColoursOfTheFigure) {
  const auto trace = *run(*experiment_on(made({{"a", {2, 3, 4}}, {"b", {5}}})));
  const ViewOptions options = *view_options({"tensor", {}});
  const Figure figure = build_view("tensor", *trace, options);
  const ui::NamedCell cell = {"given.a", {1, 2, 3}};
  EXPECT_EQ(ui::inspected_scale(*trace, figure, cell), figure.heatmaps[1].scale);
  // Where it is not shown, the scale that its own matrix would have: not that of another.
  const ColorScale second = ui::inspected_scale(*trace, {}, cell);
  EXPECT_EQ(second, natural_scale(trace->steps()[0], *figure.heatmaps[1].source));
  EXPECT_NE(second, natural_scale(trace->steps()[0], *figure.heatmaps[0].source));
  EXPECT_GT(ui::inspected_scale(*trace, {}, {"given.b", {4}}).high, 0);
}

TEST_F(ImportedTensorFiles, WhatCannotBeOpenedLeavesTheDocument) {
  screen().settle();
  const Experiment before = screen().experiment();
  screen().workbench().open_files({folder_.file("x.npz", "PK\x05\x06 and nothing").string()});
  screen().settle();
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_NE(screen().state().message.text.find("x.npz: "), std::string::npos) << screen().state().message.text;
  EXPECT_EQ(screen().experiment(), before);
}

}  // namespace
}  // namespace attnscope::test
