// Models of pictures in the window: the example, one of the user's own, and the attention between patches.
#include <algorithm>

#include "core/experiment/resample.h"
#include "figure/slices/matrix.h"
#include "interface_test.h"
#include "io/figures/png_picture.h"
#include "support/png_bytes.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

const std::filesystem::path kDigits = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/digits";

class ModelPictures : public Interface {
 protected:
  void SetUp() override {
    start({});
    screen().settle();
    screen().workbench().open_files({kDigits.string()});
    screen().settle();
  }

  const Figure& figure() { return screen().workbench().shown_figure().figure(); }

  std::string words(const std::string& id) {
    const auto found = std::ranges::find(figure().texts, id, &TextMark::id);
    return found == figure().texts.end() ? "" : found->markup;
  }
};

TEST_F(ModelPictures, OpenWithAnExampleAndWhatTheModelSaysOfIt) {
  EXPECT_EQ(*screen().experiment().picture, *read_png_picture(kDigits / "example.png"));
  EXPECT_EQ(screen().experiment().view.name, "image");
  EXPECT_EQ(words("title"), "Attention from the class token, layer 1");
  EXPECT_EQ(words("picture.title"), "the picture");
  const std::span<const float> probabilities = screen().trace().tensor("probabilities").values();
  const auto best = std::ranges::max_element(probabilities);
  EXPECT_GT(*best, 0.9F);
  const std::string digit = std::to_string(best - probabilities.begin());
  EXPECT_TRUE(words("answer").starts_with("answer “" + digit + "” 0.9")) << words("answer");
  EXPECT_FALSE(screen().workbench().session().modified());
}

TEST_F(ModelPictures, EveryHeadShowsTheWeightsOfThePatches) {
  ASSERT_EQ(figure().heatmaps.size(), 5U);
  const Tensor& weights = screen().trace().tensor("layer1.weights");
  for (Index head = 0; head < 4; ++head) {
    const HeatmapMark& mark = figure().heatmaps[static_cast<std::size_t>(head) + 1];
    ASSERT_EQ(mark.rows(), 4);
    ASSERT_EQ(mark.columns(), 4);
    for (Index patch = 0; patch < 16; ++patch) {
      const std::vector<Index> index = {head, 0, 1 + patch};
      EXPECT_EQ(mark.index_of(patch / 4, patch % 4), index);
      EXPECT_EQ(mark.source->held()->at(patch / 4, patch % 4), weights.at(index));
    }
    const std::string caption = words("layer1.weights.query." + std::to_string(head) + ".title");
    EXPECT_TRUE(caption.starts_with("head " + std::to_string(head + 1) + ", class 0.")) << caption;
  }
  EXPECT_EQ(axis_position_text(screen().trace(), "layer1.weights", {"key", 17}, 0), "key 1 (class token)");
  EXPECT_EQ(axis_position_text(screen().trace(), "layer1.weights", {"key", 17}, 6), "key 7 (row 2, column 2)");
}

TEST_F(ModelPictures, AClickOnAPatchShowsWhereItAttends) {
  const Rect box = figure().heatmaps.front().box;
  // The last pixel of the third row belongs to the last patch of the second one.
  screen().click(screen().on_screen({box.right() - box.width / 16, box.y + box.height * 5 / 16}));
  screen().settle();
  EXPECT_EQ(view_options(screen().experiment().view)->integer("query"), 1 + 8);
  EXPECT_EQ(words("title"), "Attention from patch (2, 4), layer 1");
  EXPECT_EQ(figure().heatmaps.back().leading.back(), 8);
  undo();
  EXPECT_EQ(words("title"), "Attention from the class token, layer 1");
}

TEST_F(ModelPictures, APictureOfAnySizeIsResizedAsTheModelWants) {
  const Experiment before = screen().experiment();
  const TemporaryFolder folder;
  std::string pixels;
  for (int at = 0; at < 150 * 120 * 3; ++at) pixels += static_cast<char>(at * 31 % 253);
  const std::filesystem::path png = folder.file("large.png", png_bytes_of(150, 120, pixels));
  screen().workbench().open_files({png.string()});
  screen().settle();
  EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  EXPECT_EQ(*screen().experiment().picture, resampled(*read_png_picture(png), 8, 8, Resampling::bilinear));
  EXPECT_EQ(screen().trace().experiment(), screen().experiment());
  undo();
  EXPECT_EQ(screen().experiment(), before);
}

TEST_F(ModelPictures, TheButtonAsksForAPicture) {
  screen().click_item("Parameters", {std::string("Open…")});
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::open_picture);
}

}  // namespace
}  // namespace attnscope::test
