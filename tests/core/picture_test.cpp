// Pictures instead of noise: their numbers, and that nothing else changes. tests/golden compares whole experiments with
// PyTorch.
#include "core/experiment/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/experiment/system.h"
#include "core/explain/explain.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

/// A small experiment on every system that attends to pixels.
std::vector<Experiment> pixel_experiments() {
  std::vector<Experiment> list;
  for (const System& system : systems()) {
    if (find_parameter(system.parameters, "picture") != nullptr) list.push_back(small_experiment(system));
  }
  EXPECT_EQ(list.size(), 4U);
  return list;
}

ColorPicture three_by_two() {
  return {3, 2, {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 200, 100, 50, 255, 255, 255}};
}

PlacedPicture placed(const char* name, Index height, Index width, Index channels) {
  return {name, height, width, channels, nullptr};
}

std::vector<float> token(const PlacedPicture& picture, Index row, Index column) {
  std::vector<float> numbers;
  for (Index channel = 0; channel < picture.channels; ++channel)
    numbers.push_back(static_cast<float>(picture.value(channel, row, column)));
  return numbers;
}

std::vector<Index> color(const PlacedPicture& picture, Index row, Index column) {
  return {picture.color(row, column, 0), picture.color(row, column, 1), picture.color(row, column, 2)};
}

TEST(AreaShare, DividesTheLineAmongTheNewNumbers) {
  for (Index from = 1; from <= 12; ++from) {
    for (Index to = 1; to <= 12; ++to) {
      std::vector<Index> used(static_cast<std::size_t>(from), 0);
      for (Index at = 0; at < to; ++at) {
        const AreaShare share(from, to, at);
        Index all = 0;
        for (Index old = share.first; old <= share.last; ++old) {
          EXPECT_GT(share.parts(old), 0);
          all += share.parts(old);
          used[static_cast<std::size_t>(old)] += share.parts(old);
        }
        EXPECT_EQ(all, from);
      }
      for (const Index parts : used) EXPECT_EQ(parts, to);
    }
  }
}

TEST(Picture, ShapesAreDiscsAndASquareOnAGround) {
  const PlacedPicture picture = placed("shapes", 16, 16, 3);
  const std::vector<Index> ground = {235, 230, 215};
  const std::vector<Index> red = {230, 90, 40};
  const std::vector<Index> blue = {20, 60, 160};
  for (const auto& [row, column] : {std::pair(0, 0), {0, 15}, {15, 15}, {7, 0}, {2, 13}})
    EXPECT_EQ(color(picture, row, column), ground) << row << " " << column;
  EXPECT_EQ(color(picture, 4, 4), red);
  EXPECT_EQ(color(picture, 12, 3), red);
  EXPECT_EQ(color(picture, 10, 11), blue);
  EXPECT_EQ(color(picture, 13, 14), blue);
  // Wide pictures have the same shapes in the middle.
  const PlacedPicture wide = placed("shapes", 16, 40, 3);
  for (Index row = 0; row < 16; ++row) {
    for (Index column = 0; column < 16; ++column)
      EXPECT_EQ(color(wide, row, column + 12), color(picture, row, column)) << row << " " << column;
  }
}

TEST(Picture, StripesTakeTurns) {
  const PlacedPicture picture = placed("stripes", 16, 24, 3);
  for (Index row = 1; row < 16; ++row) {
    for (Index column = 0; column < 23; ++column)
      EXPECT_EQ(color(picture, row, column), color(picture, row - 1, column + 1));
  }
  EXPECT_EQ(color(picture, 0, 0), color(picture, 0, 1));
  EXPECT_NE(color(picture, 0, 1), color(picture, 0, 2));
  EXPECT_EQ(color(picture, 0, 1), color(picture, 0, 6));
}

TEST(Picture, PixelsHaveTheSameTokenWhereTheyHaveTheSameColour) {
  for (const char* name : {"shapes", "stripes"}) {
    for (const Index channels : {1, 2, 3, 4, 5, 8, 32, 33, 64}) {
      const PlacedPicture picture = placed(name, 16, 16, channels);
      std::set<std::vector<Index>> colors;
      std::set<std::vector<float>> tokens;
      std::set<std::pair<std::vector<Index>, std::vector<float>>> both;
      for (Index pixel = 0; pixel < 256; ++pixel) {
        colors.insert(color(picture, pixel / 16, pixel % 16));
        tokens.insert(token(picture, pixel / 16, pixel % 16));
        both.emplace(color(picture, pixel / 16, pixel % 16), token(picture, pixel / 16, pixel % 16));
      }
      EXPECT_EQ(colors.size(), 3U);
      EXPECT_EQ(tokens.size(), 3U) << name << " " << channels;
      EXPECT_EQ(both.size(), 3U) << name << " " << channels;
      for (const std::vector<float>& numbers : tokens) {
        for (const float number : numbers) EXPECT_LE(std::abs(number), 1.0F);
      }
    }
  }
}

TEST(Picture, ChannelsShareTheThreeColours) {
  PlacedPicture picture = {"file", 3, 2, 3, std::make_shared<const ColorPicture>(three_by_two())};
  EXPECT_EQ(token(picture, 0, 0), (std::vector<float>{1, -1, -1}));
  EXPECT_EQ(token(picture, 2, 1), (std::vector<float>{1, 1, 1}));
  picture.channels = 1;
  EXPECT_FLOAT_EQ(token(picture, 2, 0)[0], 2 * (350.0F / 765) - 1);
  picture.channels = 2;
  EXPECT_FLOAT_EQ(token(picture, 2, 0)[0], 2 * ((2 * 200 + 100) / 765.0F) - 1);
  EXPECT_FLOAT_EQ(token(picture, 2, 0)[1], 2 * ((100 + 2 * 50) / 765.0F) - 1);
  picture.channels = 6;
  EXPECT_EQ(token(picture, 0, 1), (std::vector<float>{-1, -1, 1, 1, -1, -1}));
}

TEST(Picture, IsAveragedByAreaToTheSizeOfX) {
  PlacedPicture picture = {"file", 1, 1, 3, std::make_shared<const ColorPicture>(three_by_two())};
  for (Index which = 0; which < 3; ++which) {
    Index sum = 0;
    for (Index pixel = 0; pixel < 6; ++pixel) sum += picture.file->color(pixel / 2, pixel % 2, which);
    EXPECT_EQ(picture.color(0, 0, which), sum);
  }
  EXPECT_EQ(picture.full_color(), 6 * 255);
  // Two rows from three: the first takes two thirds from the first row and one third from the second.
  picture.height = 2;
  picture.width = 2;
  EXPECT_DOUBLE_EQ(picture.value(0, 0, 0), 2 * (2.0 / 3) - 1);
  // Enlarging repeats rows.
  picture.height = 9;
  picture.width = 4;
  for (Index row = 0; row < 9; ++row) {
    for (Index column = 0; column < 4; ++column)
      EXPECT_EQ(picture.color(row, column, 0), 6 * picture.file->color(row / 3, column / 2, 0));
  }
}

TEST(Picture, ChangesOnlyThePictureAndWhatIsComputedFromIt) {
  for (const Experiment& noise : pixel_experiments()) {
    const auto drawn = *run(noise);
    std::vector<Experiment> others = {set(noise, "picture", "shapes"), set(noise, "picture", "stripes"), noise};
    ASSERT_TRUE(set_picture(others[2], three_by_two()));
    for (const Experiment& other : others) {
      ASSERT_TRUE(validate(other));
      EXPECT_FALSE(same_plan(noise, other));
      const auto placed_trace = *run(other);
      for (std::size_t i = 0; i < drawn->steps().size(); ++i) {
        const Step& before = drawn->steps()[i];
        const Step& after = placed_trace->steps()[i];
        ASSERT_EQ(before.name, after.name);
        if (!before.inputs.empty()) continue;
        const bool same =
            std::equal(before.tensor->values().begin(), before.tensor->values().end(), after.tensor->values().begin());
        EXPECT_EQ(same, before.name != "x") << before.name << " of " << description(other);
      }
      const Tensor& x = placed_trace->tensor("x");
      const auto item = static_cast<std::ptrdiff_t>(x.stride(0));
      for (Index batch = 1; batch < x.size(0); ++batch)
        EXPECT_TRUE(std::equal(x.values().begin(), x.values().begin() + item, x.values().begin() + batch * item));
    }
  }
}

TEST(Picture, LargeOnesAreAveragedByArea) {
  // Each pixel is the mean of 2 × 2.
  ColorPicture large = {64, 128, {}};
  for (Index at = 0; at < 64 * 128 * kColors; ++at) large.rgb.push_back(static_cast<std::uint8_t>(at * 7 % 251));
  const ColorPicture small = averaged(large, kMaxTokenPictureSide);
  ASSERT_EQ(small.rows, 32);
  ASSERT_EQ(small.columns, 64);
  for (Index row = 0; row < 32; ++row) {
    for (Index column = 0; column < 64; ++column) {
      for (Index color = 0; color < kColors; ++color) {
        Index sum = 0;
        for (const Index down : {0, 1}) {
          for (const Index right : {0, 1}) sum += large.color(2 * row + down, 2 * column + right, color);
        }
        EXPECT_EQ(small.color(row, column, color), (sum + 2) / 4);
      }
    }
  }
  EXPECT_EQ(averaged(small, 64), small);
  // The shorter side keeps a pixel.
  const ColorPicture line = averaged({1, 9000, std::vector<std::uint8_t>(27'000, 127)}, 64);
  EXPECT_EQ(line, (ColorPicture{1, 64, std::vector<std::uint8_t>(192, 127)}));
  Experiment experiment = small_experiment(*find_system("conv-attention"));
  ASSERT_TRUE(set_picture(experiment, large));
  EXPECT_EQ(experiment.picture, small);
}

TEST(Picture, OfOneRunnerIsTheSameAsAlone) {
  const Experiment noise = small_experiment(*find_system("conv-attention"));
  Experiment one = noise;
  ASSERT_TRUE(set_picture(one, three_by_two()));
  Experiment other = one;
  ColorPicture darker = three_by_two();
  darker.rgb[0] = 1;
  other.picture = darker;
  Executor runner;
  for (const Experiment& experiment : {noise, set(noise, "picture", "shapes"), one, other, set(one, "seed", "7"),
                                       set(one, "picture", "stripes"), noise}) {
    const auto again = *runner.run(experiment);
    const auto alone = *run(experiment);
    for (std::size_t i = 0; i < alone->steps().size(); ++i) {
      const auto a = again->steps()[i].tensor->values();
      const auto b = alone->steps()[i].tensor->values();
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()))
          << alone->steps()[i].name << " of " << description(experiment);
    }
  }
}

TEST(Picture, ExplainsItsNumbers) {
  Experiment experiment = set(small_experiment(*find_system("image-self-attention")), "picture", "shapes");
  experiment.edits = {{"x", {1, 2, 0, 1}, 0.5}};
  const auto trace = *run(experiment);
  const auto x = static_cast<int>(trace->find("x") - trace->steps().data());
  const std::vector<Index> mixed = {0, 2, 0, 0};
  const Explanation e = explain(*trace, x, mixed);
  EXPECT_EQ(e.operation, "picture");
  EXPECT_EQ(e.formula, "2 · (2 red + 1 green) / 3 − 1");
  EXPECT_EQ(e.note, "from the built-in picture shapes: independent of the seed");
  ASSERT_EQ(e.results.size(), 2U);
  EXPECT_DOUBLE_EQ(e.results[0].value, 230.0 / 255);
  EXPECT_NEAR(e.computed, 2 * ((2 * 230.0 + 90) / 765) - 1, 1e-12);
  EXPECT_NEAR(e.value, e.computed, 1e-7);
  const std::vector<Index> edited = {1, 2, 0, 1};
  EXPECT_EQ(explain(*trace, x, edited).note, "edited; replaces the value from the picture");
  EXPECT_EQ(explain(*trace, x, edited).value, 0.5);
  EXPECT_EQ(explain(*trace, x, edited).computed, 0.5);
  EXPECT_EQ(formula(trace->plan()->steps, x), "2 · colour of shapes − 1");
  ASSERT_TRUE(set_picture(experiment, three_by_two()));
  const auto given = *run(experiment);
  EXPECT_EQ(explain(*given, x, mixed).note,
            "from the picture of 3 × 2 pixels, averaged to 3 × 3: independent of the seed");
  EXPECT_EQ(formula(given->plan()->steps, x), "2 · colour of the picture − 1");
}

TEST(Picture, WithoutOneThereIsNoFileAndWithoutPixelsThereIsNone) {
  const Experiment pixels = small_experiment(*find_system("packed-multihead"));
  const Result<void> none = validate(set(pixels, "picture", "file"));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("picture: file needs a picture; allowed without one: noise, shapes"),
            std::string::npos)
      << none.error().message;
  // An unused picture may stay.
  Experiment kept = pixels;
  ASSERT_TRUE(set_picture(kept, three_by_two()));
  EXPECT_TRUE(validate(set(kept, "picture", "noise")));
  Experiment words = *default_experiment("worked-example");
  for (const Result<void>& refused : {set_picture(words, three_by_two()), validate(words)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "picture: worked-example has no picture; allowed with image-self-attention, image-multihead, "
              "packed-multihead, conv-attention");
  }
}

TEST(Picture, TooLargeIsRefusedBeforeMemoryIsTaken) {
  for (const char* name : {"shapes", "stripes"}) {
    Experiment large = set(small_experiment(*find_system("conv-attention")), "picture", name);
    large = set(set(large, "height", "2147483647"), "width", "2147483647");
    EXPECT_FALSE(validate(large));
  }
}

}  // namespace
}  // namespace attnscope::test
