// The reader and the measure that the other tests rely on.

#include "support/golden.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "support/floats.h"

namespace attnscope::test {
namespace {

using Three = std::array<float, 3>;

TEST(LargestDifference, IsRelativeToTheLargestMagnitude) {
  EXPECT_EQ(largest_difference(Three{1, 2, 4}, Three{1, 2, 4}), 0.0);
  EXPECT_DOUBLE_EQ(largest_difference(Three{1, 3, 4}, Three{1, 2, -4}), 2.0);
  EXPECT_DOUBLE_EQ(largest_difference(Three{0, 0.5F, 0}, Three{0, 0, 0}), 0.5);
}

TEST(LargestDifference, ComparesWhatIsNotFiniteByKind) {
  EXPECT_EQ(largest_difference(Three{kNaN, kInfinity, -kInfinity}, Three{kNaN, kInfinity, -kInfinity}), 0.0);
  EXPECT_DOUBLE_EQ(largest_difference(Three{kNaN, kInfinity, 1.0F}, Three{kNaN, kInfinity, 2.0F}), 0.5);
  EXPECT_TRUE(std::isinf(largest_difference(Three{0, 0, 1}, Three{0, 0, kNaN})));
  EXPECT_TRUE(std::isinf(largest_difference(Three{0, 0, kNaN}, Three{0, 0, 1})));
  EXPECT_TRUE(std::isinf(largest_difference(Three{0, 0, kInfinity}, Three{0, 0, -kInfinity})));
}

TEST(LargestDifference, OfDifferentShapesIsInfinite) {
  EXPECT_TRUE(std::isinf(largest_difference(Tensor({{"a", 2}, {"b", 3}}), Tensor({{"a", 3}, {"b", 2}}))));
  EXPECT_EQ(largest_difference(Tensor({{"a", 2}, {"b", 3}}), Tensor({{"c", 2}, {"d", 3}})), 0.0);
}

TEST(Golden, ReadsExperimentTensorsAndAxes) {
  const Golden golden = read_golden(golden_path("worked-example/01.safetensors"));
  EXPECT_EQ(golden.experiment.at("system"), "worked-example");
  EXPECT_EQ(golden.experiment.at("seed"), 42);
  EXPECT_EQ(golden.tensors.size(), 33U);
  const Tensor& scores = golden.at("scores");
  EXPECT_EQ(scores.axes(), (Axes{{"head", 4}, {"query", 6}, {"key", 6}}));
  EXPECT_NEAR(scores.at(std::array<Index, 3>{1, 2, 4}), 27.504F, 5e-4F);
  EXPECT_EQ(golden.tolerance("x"), 1e-5);
}

TEST(Golden, NamesWhatIsMissing) {
  EXPECT_THROW(read_golden("no/such/file"), std::runtime_error);
  EXPECT_THROW(static_cast<void>(Golden{}.at("scores")), std::runtime_error);
}

}  // namespace
}  // namespace attnscope::test
