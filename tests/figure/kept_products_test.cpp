// Flow of some tensors alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "figure/views/view.h"
#include "traces.h"

namespace attnscope::test {
namespace {

class KeptProducts : public testing::Test {
 protected:
  [[nodiscard]] Figure flow_of(const std::vector<std::string>& tensors, double height = 700) const {
    ViewOptions options = *view_options({"flow", {}});
    options.width = 900;
    options.height = height;
    options.tensors = tensors;
    return build_view("flow", *trace_, options);
  }

  [[nodiscard]] static std::vector<std::string> matrices(const Figure& figure) {
    std::vector<std::string> ids;
    for (const HeatmapMark& mark : figure.heatmaps) ids.push_back(mark.id);
    return ids;
  }

  [[nodiscard]] static double width_of(const Figure& figure, const std::string& id) {
    return std::ranges::find(figure.heatmaps, id, &HeatmapMark::id)->box.width;
  }

  std::shared_ptr<const Trace> trace_ = trace_with({});
};

using MatrixIds = std::vector<std::string>;

TEST_F(KeptProducts, AreAllWithoutTensorsAndWhereNoneIsThere) {
  const MatrixIds all = matrices(flow_of({}));
  EXPECT_GT(all.size(), 12U);
  EXPECT_EQ(matrices(flow_of({"nothing"})), all);
}

TEST_F(KeptProducts, HaveWhatATensorIsComputedFrom) {
  EXPECT_EQ(matrices(flow_of({"q"})), (MatrixIds{"x", "w_q", "q"}));
  EXPECT_EQ(matrices(flow_of({"w_q"})), (MatrixIds{"x", "w_q", "q"}));
  EXPECT_EQ(matrices(flow_of({"scores"})), (MatrixIds{"attend.q", "attend.k.transposed", "scores"}));
  EXPECT_EQ(matrices(flow_of({"weights"})), (MatrixIds{"attend.q", "attend.k.transposed", "scores", "weights"}));
  EXPECT_EQ(matrices(flow_of({"head_outputs"})), (MatrixIds{"weights", "attend.v", "head_outputs"}));
  EXPECT_EQ(matrices(flow_of({"out"})), (MatrixIds{"merge.merged", "w_out", "out"}));
}

TEST_F(KeptProducts, AreAsFewAsShowAllOfTheTensors) {
  EXPECT_EQ(matrices(flow_of({"q", "scores"})), (MatrixIds{"attend.q", "attend.k.transposed", "scores"}));
  EXPECT_EQ(matrices(flow_of({"out", "x", "nothing"})), (MatrixIds{"x", "merge.merged", "w_out.transposed", "out"}));
  EXPECT_EQ(matrices(flow_of({"q", "k", "v"})), (MatrixIds{"x", "w_q", "q", "w_k", "k", "w_v", "v"}));
}

TEST_F(KeptProducts, HaveLargerCellsAndTheNamesOfTheirRows) {
  const Figure outputs = flow_of({"head_outputs"});
  EXPECT_GT(width_of(outputs, "weights"), 1.5 * width_of(flow_of({}), "weights"));
  EXPECT_EQ(outputs.heatmaps.front().row_labels.front(), "the");
  EXPECT_LE(outputs.width, 900);
  EXPECT_LE(outputs.height, 700);
}

}  // namespace
}  // namespace attnscope::test
