// The user's own tensors in the window.
#include "core/run.h"
#include "interface_test.h"
#include "io/trace_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class OwnTensorFiles : public Interface {
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

  TemporaryFolder folder_;
};

TEST_F(OwnTensorFiles, OpenAsHeadsOfEveryLayer) {
  screen().settle();
  screen().workbench().open_file(weights().string());
  screen().settle();
  EXPECT_FALSE(screen().transient().message_is_error) << screen().transient().message;
  EXPECT_EQ(screen().experiment().system, "own-tensors");
  EXPECT_EQ(screen().experiment().view.name, "heads");
  EXPECT_EQ(screen().workbench().figure().heatmaps.size(), 48U);
  EXPECT_EQ(screen().workbench().window_title(), "model.safetensors — attnscope");
  // A cell of the fourth layer says where it is from.
  screen().move(screen().cell_center(3 * 8 + 2, 1, 5));
  screen().frame(2);
  ASSERT_TRUE(screen().transient().hovered);
  EXPECT_EQ(screen().transient().hovered->tensor, "layer4.weights");
  EXPECT_EQ(screen().trace().value(3, std::vector<Index>{2, 1, 5}), 1.0F);
}

TEST_F(OwnTensorFiles, AreNeverSavedOver) {
  screen().settle();
  const auto path = weights();
  const std::string before = bytes_of(path);
  screen().workbench().open_file(path.string());
  screen().settle();
  screen().key_with_control('S');
  EXPECT_EQ(screen().transient().dialog, ui::Dialog::save);
  EXPECT_EQ(screen().transient().dialog_path, (folder_ / "model.json").string());
  screen().key(kEnter);
  screen().frame(3);
  EXPECT_EQ(bytes_of(path), before);
}

TEST_F(OwnTensorFiles, TheAxesCanBeCorrectedAndThatUndone) {
  screen().settle();
  screen().workbench().open_file(weights().string());
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

TEST_F(OwnTensorFiles, ATextThatIsDroppedLabelsTheTokens) {
  screen().settle();
  screen().workbench().open_file(weights().string());
  screen().settle();
  screen().workbench().open_file(folder_.file("tokens.txt", "[CLS]\nthe\ncat\n").string());
  screen().settle();
  EXPECT_EQ(screen().experiment().labels, (std::vector<std::string>{"[CLS]", "the", "cat"}));
  EXPECT_EQ(screen().experiment().system, "own-tensors");
}

TEST_F(OwnTensorFiles, WhatCannotBeOpenedLeavesTheDocument) {
  screen().settle();
  const Experiment before = screen().experiment();
  screen().workbench().open_file(folder_.file("x.npz", "PK\x05\x06 and nothing").string());
  screen().settle();
  EXPECT_TRUE(screen().transient().message_is_error);
  EXPECT_NE(screen().transient().message.find("x.npz: "), std::string::npos) << screen().transient().message;
  EXPECT_EQ(screen().experiment(), before);
}

}  // namespace
}  // namespace attnscope::test
