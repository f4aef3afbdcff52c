#include "core/experiment/mask.h"

#include <gtest/gtest.h>

#include <random>

namespace attnscope {
namespace {

TEST(Mask, IsReadAndWritten) {
  for (const char* text :
       {"none", "causal", "window:0", "window:2147483647", "padding:0", "padding:4", "padding:1,2,3"}) {
    const Result<Mask> mask = parse_mask(text);
    ASSERT_TRUE(mask) << text << ": " << mask.error().message;
    EXPECT_EQ(mask_text(*mask), text);
  }
  EXPECT_EQ(parse_mask("window:2")->radius, 2);
  EXPECT_EQ(parse_mask("padding:4,0")->lengths, (std::vector<Index>{4, 0}));
}

TEST(Mask, OtherTextIsRefusedWithWhatIsAllowed) {
  for (const char* text :
       {"", "Causal", "causal ", "window", "padding", "windows:3", "array[6 × 6]", "none:1", ":", ":3"}) {
    const Result<Mask> mask = parse_mask(text);
    ASSERT_FALSE(mask) << text;
    EXPECT_NE(mask.error().message.find("allowed: none, causal, window:R"), std::string::npos) << mask.error().message;
  }
  for (const char* text :
       {"window:", "window:-1", "window:2.5", "window:x", "window:1,2", "window:2147483648", "padding:", "padding:1,",
        "padding:,1", "padding:1,,2", "padding:-3", "padding:99999999999999999999"}) {
    const Result<Mask> mask = parse_mask(text);
    ASSERT_FALSE(mask) << text;
    EXPECT_NE(mask.error().message.find("whole numbers from 0 to 2147483647"), std::string::npos)
        << mask.error().message;
    EXPECT_NE(mask.error().message.find(text), std::string::npos) << mask.error().message;
  }
}

TEST(Mask, KeepsWhatItSays) {
  const MaskSizes sizes = {2, 3, 5, 7};
  const MaskField none(Mask{}, sizes);
  const MaskField causal(*parse_mask("causal"), sizes);
  const MaskField window(*parse_mask("window:1"), sizes);
  const MaskField wide(*parse_mask("window:2147483647"), sizes);
  const MaskField padding(*parse_mask("padding:4"), sizes);
  const MaskField paddings(*parse_mask("padding:4,0"), sizes);
  for (Index batch = 0; batch < 2; ++batch) {
    for (Index query = 0; query < 5; ++query) {
      for (Index key = 0; key < 7; ++key) {
        EXPECT_TRUE(none.keeps(batch, 1, query, key));
        EXPECT_EQ(causal.keeps(batch, 1, query, key), key <= query);
        EXPECT_EQ(window.keeps(batch, 1, query, key), key - query >= -1 && key - query <= 1);
        EXPECT_TRUE(wide.keeps(batch, 1, query, key));
        EXPECT_EQ(padding.keeps(batch, 1, query, key), key < 4);
        EXPECT_EQ(paddings.keeps(batch, 1, query, key), batch == 0 && key < 4);
      }
      EXPECT_EQ(paddings.keeps_any(batch, 0, query), batch == 0);
    }
  }
}

Mask array_mask(std::vector<Index> shape, std::mt19937& random) {
  Mask mask;
  mask.kind = Mask::Kind::array;
  Index count = 1;
  for (const Index size : shape) count *= size;
  mask.shape = std::move(shape);
  for (Index i = 0; i < count; ++i) mask.keep.push_back(random() % 2 == 0);
  return mask;
}

TEST(Mask, ArraysBroadcastOverBatchAndHeads) {
  std::mt19937 random(2);
  const MaskSizes sizes = {2, 3, 4, 5};
  for (const std::vector<Index>& shape :
       {std::vector<Index>{4, 5}, std::vector<Index>{2, 4, 5}, std::vector<Index>{1, 4, 5},
        std::vector<Index>{2, 3, 4, 5}, std::vector<Index>{2, 1, 4, 5}, std::vector<Index>{1, 3, 4, 5},
        std::vector<Index>{1, 1, 4, 5}}) {
    const Mask mask = array_mask(shape, random);
    SCOPED_TRACE(mask_text(mask));
    EXPECT_TRUE(check_mask(mask, sizes));
    const MaskField field(mask, sizes);
    const bool by_batch = shape.size() >= 3 && shape[0] == 2;
    const bool by_head = shape.size() == 4 && shape[1] == 3;
    for (Index batch = 0; batch < 2; ++batch) {
      for (Index head = 0; head < 3; ++head) {
        const Index layer = (by_batch ? batch : 0) * (by_head ? 3 : 1) + (by_head ? head : 0);
        for (Index at = 0; at < 20; ++at) {
          EXPECT_EQ(field.keeps(batch, head, at / 5, at % 5), mask.keep[static_cast<std::size_t>(layer * 20 + at)]);
        }
      }
    }
  }
}

TEST(Mask, ArraysHaveAsManyValuesAsTheirShapeSays) {
  std::mt19937 random(2);
  const MaskSizes sizes = {2, 3, 4, 5};
  for (const std::size_t count : {0U, 19U, 21U}) {
    Mask mask = array_mask({4, 5}, random);
    mask.keep.resize(count);
    const Result<void> fits = check_mask(mask, sizes);
    ASSERT_FALSE(fits) << count;
    EXPECT_EQ(fits.error().message,
              "mask: array[4 × 5] has " + std::to_string(count) + " values; allowed: 20, as its shape says");
  }
  // Sizes whose product is 2⁶⁴, which overflows to 0.
  constexpr Index kLarge = Index{1} << 32U;
  Mask huge;
  huge.kind = Mask::Kind::array;
  huge.shape = {kLarge, kLarge};
  EXPECT_FALSE(check_mask(huge, {1, 1, kLarge, kLarge}));
}

TEST(Mask, ArraysHaveTwoToFourAxes) {
  std::mt19937 random(2);
  EXPECT_FALSE(check_mask(array_mask({}, random), {1, 1, 1, 1}));
  EXPECT_FALSE(check_mask(array_mask({5}, random), {1, 1, 1, 5}));
  EXPECT_FALSE(check_mask(array_mask({1, 1, 4, 5, 2}, random), {1, 1, 4, 5}));
}

TEST(Mask, WhatDoesNotFitIsRefused) {
  std::mt19937 random(2);
  const MaskSizes sizes = {2, 3, 4, 5};
  for (const std::vector<Index>& shape :
       {std::vector<Index>{5, 4}, std::vector<Index>{4, 4}, std::vector<Index>{3, 4, 5}, std::vector<Index>{2, 2, 4, 5},
        std::vector<Index>{3, 3, 4, 5}, std::vector<Index>{1, 1}}) {
    const Mask mask = array_mask(shape, random);
    const Result<void> fits = check_mask(mask, sizes);
    ASSERT_FALSE(fits) << mask_text(mask);
    EXPECT_NE(fits.error().message.find(mask_text(mask)), std::string::npos) << fits.error().message;
    EXPECT_NE(fits.error().message.find("[4 × 5]"), std::string::npos) << fits.error().message;
  }
  EXPECT_TRUE(check_mask(*parse_mask("padding:5"), sizes));
  EXPECT_TRUE(check_mask(*parse_mask("padding:5,0"), sizes));
  for (const char* text : {"padding:6", "padding:0,6", "padding:1,2,3"})
    EXPECT_FALSE(check_mask(*parse_mask(text), sizes)) << text;
  EXPECT_TRUE(check_mask(*parse_mask("causal"), sizes));
  EXPECT_TRUE(check_mask(*parse_mask("window:2147483647"), sizes));
}

/// Every pair of `mask`, which fits `sizes`, in order.
std::vector<bool> pairs_of(const Mask& mask, const MaskSizes& sizes) {
  const MaskField field(mask, sizes);
  std::vector<bool> pairs;
  for (Index i = 0; i < sizes.batch * sizes.heads * sizes.queries * sizes.keys; ++i) {
    const Index row = i / sizes.keys;
    pairs.push_back(field.keeps(row / sizes.queries / sizes.heads, row / sizes.queries % sizes.heads,
                                row % sizes.queries, i % sizes.keys));
  }
  return pairs;
}

TEST(Mask, OnePairIsChangedAndNoOther) {
  const MaskSizes sizes = {2, 3, 5, 7};
  Mask per_head;
  per_head.kind = Mask::Kind::array;
  per_head.shape = {1, 3, 5, 7};
  per_head.keep.assign(3 * 5 * 7, true);
  for (const Mask& mask : {Mask{}, *parse_mask("causal"), *parse_mask("window:1"), *parse_mask("padding:4"),
                           *parse_mask("padding:4,2"), per_head}) {
    const bool tells_items = mask_text(mask) == "padding:4,2";
    const bool tells_heads = mask == per_head;
    for (const bool keep : {false, true}) {
      const Result<Mask> painted = with_pair(mask, sizes, 1, 2, 3, 4, keep);
      ASSERT_TRUE(painted) << mask_text(mask);
      ASSERT_TRUE(check_mask(*painted, sizes)) << mask_text(mask);
      std::vector<bool> expected = pairs_of(mask, sizes);
      for (Index item = 0; item < 2; ++item) {
        for (Index head = 0; head < 3; ++head) {
          const bool its_own = (!tells_items || item == 1) && (!tells_heads || head == 2);
          if (its_own) expected[static_cast<std::size_t>(((item * 3 + head) * 5 + 3) * 7 + 4)] = keep;
        }
      }
      EXPECT_EQ(pairs_of(*painted, sizes), expected) << mask_text(mask);
    }
  }
}

TEST(Mask, WhereEverythingIsKeptAgainThereIsNone) {
  const MaskSizes sizes = {1, 4, 6, 6};
  const Mask hidden = *with_pair(Mask{}, sizes, 0, 0, 2, 3, false);
  EXPECT_EQ(mask_text(hidden), "array[6 × 6]");
  EXPECT_EQ(*with_pair(hidden, sizes, 0, 1, 2, 3, true), Mask{});
}

TEST(Mask, APairThatIsNotThereIsRefused) {
  const Mask causal = *parse_mask("causal");
  const MaskSizes sizes = {1, 2, 3, 4};
  EXPECT_TRUE(with_pair(causal, sizes, 0, 1, 2, 3, true));
  EXPECT_FALSE(with_pair(causal, sizes, 1, 0, 0, 0, false));
  EXPECT_FALSE(with_pair(causal, sizes, 0, 2, 0, 0, false));
  EXPECT_FALSE(with_pair(causal, sizes, 0, 0, 0, -1, false));
  EXPECT_FALSE(with_pair(causal, sizes, 0, 0, 0, 4, false));
  EXPECT_EQ(with_pair(causal, sizes, 0, 0, 3, 0, false).error().message,
            "mask: query 4 and key 1 are not there; allowed: up to 3 and 4");
}

TEST(Mask, TooLargeToBePaintedIsRefused) {
  const Result<Mask> painted = with_pair(Mask{}, {1, 1, 4096, 4096}, 0, 0, 0, 0, false);
  ASSERT_FALSE(painted);
  EXPECT_EQ(painted.error().message,
            "mask: array[4096 × 4096] is too large to edit; allowed: at most 4194304 query–key pairs");
}

TEST(Mask, AnArrayIsFittedToOtherSizes) {
  const MaskSizes before = {1, 2, 3, 3};
  const Mask mask = *with_pair(*parse_mask("causal"), before, 0, 0, 2, 0, false);
  for (const MaskSizes& after : {MaskSizes{1, 2, 5, 5}, MaskSizes{1, 2, 2, 2}, MaskSizes{1, 2, 3, 3}}) {
    const Mask made = fitted(mask, after);
    ASSERT_TRUE(check_mask(made, after));
    const MaskField field(made, after);
    const MaskField old(mask, before);
    for (Index query = 0; query < after.queries; ++query) {
      for (Index key = 0; key < after.keys; ++key) {
        const bool known = query < 3 && key < 3;
        EXPECT_EQ(field.keeps(0, 1, query, key), !known || old.keeps(0, 1, query, key)) << query << " " << key;
      }
    }
  }
  EXPECT_EQ(fitted(*parse_mask("causal"), {1, 1, 9, 9}), *parse_mask("causal"));
  Mask per_head;
  per_head.kind = Mask::Kind::array;
  per_head.shape = {1, 2, 1, 2};
  per_head.keep = {true, false, false, true};
  EXPECT_EQ(fitted(per_head, {1, 3, 1, 2}).keep, (std::vector<bool>{true, false, false, true, true, true}));
}

}  // namespace
}  // namespace attnscope
