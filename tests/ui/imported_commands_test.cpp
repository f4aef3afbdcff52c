// What keys and the inspector do with weights that another program computed.
#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "interface_test.h"
#include "support/imported_tensors.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"
#include "ui/panels/panels.h"

namespace attnscope::test {
namespace {

class ImportedCommands : public Interface {
 protected:
  void show_weights() {
    const std::string array =
        npy_bytes(npy_dictionary("<f4", "(4, 6, 6)"), float_bytes(std::vector<float>(4 * 6 * 6, 1 / 6.0F)));
    screen().settle();
    screen().workbench().open_files({folder_.file("attn.npy", array).string()});
    screen().settle();
    ASSERT_EQ(screen().experiment().system, "own-tensors");
  }

  TemporaryFolder folder_;
};

TEST_F(ImportedCommands, SayWhyThereIsNothingToMaskOrSwitchOff) {
  show_weights();
  screen().state().pinned = ui::NamedCell{"weights", {1, 2, 3}};
  screen().settle();
  screen().key('M');
  screen().settle();
  EXPECT_EQ(screen().state().message.text,
            "M masks scores before the softmax; this file has only the weights after it");
  EXPECT_EQ(screen().experiment().mask().kind, Mask::Kind::none);
  screen().key('X');
  screen().settle();
  EXPECT_EQ(screen().state().message.text,
            "X switches off a head where the heads are merged; the file has no output projection");
}

TEST_F(ImportedCommands, AnotherViewIsNoEdit) {
  show_weights();
  for (int i = 0; i < 4; ++i) {
    const std::string before = screen().experiment().view.name;
    screen().key_with_control(platform::KeyPress::kPageDown);
    screen().settle();
    EXPECT_NE(screen().experiment().view.name, before);
    EXPECT_FALSE(screen().workbench().session().modified()) << screen().experiment().view.name;
    EXPECT_EQ(screen().workbench().window_title(), "attn.npy — attnscope");
  }
}

TEST(Inspector, ListsTheLargestWeightsOfALongRow) {
  const auto tensors = made({{"attn", {1, 2, 100}}});
  for (Index key = 0; key < 100; ++key) tensors->instead[{0, 100 + key}] = key == 57 ? 0.5F : key == 31 ? 0.3F : 0.002F;
  const auto trace = *run(*experiment_on(tensors));
  const std::optional<ui::Inspection> inspection = ui::inspect(*trace, {"weights", {0, 1, 99}});
  ASSERT_TRUE(inspection);
  EXPECT_EQ(inspection->row_title, "this row, largest first");
  ASSERT_EQ(inspection->row_listed.size(), 17U) << "16 and the gap";
  EXPECT_EQ(inspection->row_listed[0], 57U);
  EXPECT_EQ(inspection->row_listed[1], 31U);
  EXPECT_EQ(inspection->row_listed[15], 99U) << "the cell itself";
  EXPECT_EQ(inspection->row_listed[16], 100U) << "what is left out";
  EXPECT_EQ(inspection->row[57].first, "key 58");
}

}  // namespace
}  // namespace attnscope::test
