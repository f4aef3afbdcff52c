// When numbers are sent to the graphics card, and when their memory is given back.
#include "drawing.h"

namespace attnscope::platform {
namespace {

TEST_F(Drawing, UnchangedMatrixIsSentOnce) {
  const Numbers numbers = Numbers::random(8, 8, 0, 255, 21);
  for (int frame = 0; frame < 10; ++frame) draw({quad(numbers.view())});
  EXPECT_EQ(renderer->uploads(), 1U);
  EXPECT_EQ(renderer->textures(), 1U);
  EXPECT_EQ(renderer->bytes(), 8U * 8U * 4U);

  // Neither colour, limits nor place need new numbers.
  HeatmapQuad changed = quad(numbers.view());
  changed.low = 50;
  changed.area = {10, 10, 30, 60};
  changed.gap = 1;
  draw({changed, quad(numbers.view())});
  EXPECT_EQ(renderer->uploads(), 1U);
}

TEST_F(Drawing, OtherIdentityOrViewIsSent) {
  Numbers numbers(8, 8, 10);
  draw({quad(numbers.view(), 1)});
  std::fill(numbers.values.begin(), numbers.values.end(), 20.0F);
  EXPECT_TRUE(near(draw({quad(numbers.view(), 2)}).pixel(5, 5), pixel_of(20)));
  EXPECT_EQ(renderer->uploads(), 2U);
  draw({quad(numbers.view().transposed(), 2)});
  EXPECT_EQ(renderer->uploads(), 3U);
  draw({quad({numbers.values.data() + 8, 7, 8, 8, 1}, 2)});
  EXPECT_EQ(renderer->uploads(), 4U);
}

TEST_F(Drawing, DraggingReusesTextures) {
  for (std::uint64_t frame = 1; frame <= 50; ++frame) {
    const Numbers numbers(8, 8, static_cast<float>(frame));
    const Image image = draw({quad(numbers.view(), frame)});
    ASSERT_TRUE(near(image.pixel(40, 40), pixel_of(static_cast<int>(frame))));
  }
  EXPECT_EQ(renderer->uploads(), 50U);
  EXPECT_LE(renderer->textures(), 2U);
}

TEST_F(Drawing, UnusedTexturesAreReleased) {
  const Numbers first(8, 8, 1);
  const Numbers second(4, 16, 2);
  draw({quad(first.view()), quad(second.view())});
  EXPECT_EQ(renderer->textures(), 2U);
  for (int frame = 0; frame < 3; ++frame) draw({quad(first.view())});
  EXPECT_EQ(renderer->textures(), 2U);
  draw({quad(first.view())});
  EXPECT_EQ(renderer->textures(), 1U);
  for (int frame = 0; frame < 4; ++frame) draw({});
  EXPECT_EQ(renderer->textures(), 0U);
  EXPECT_EQ(renderer->bytes(), 0U);
  EXPECT_EQ(renderer->uploads(), 2U);
}

TEST_F(Drawing, LevelsAreMadeWhenNeeded) {
  const Numbers numbers = Numbers::random(512, 512, 0, 255, 22);
  HeatmapQuad small = quad(numbers.view());
  draw({small});  // 8 cells per pixel: 64 × 64 texels
  EXPECT_EQ(renderer->bytes(), 64U * 64U * 4U);
  small.area = {0, 0, 32, 64};  // 16 per pixel along the columns only
  draw({small});
  EXPECT_EQ(renderer->uploads(), 2U);
  EXPECT_EQ(renderer->bytes(), (64U * 64U + 64U * 32U) * 4U);
}

}  // namespace
}  // namespace attnscope::platform
