// Which lengths are timed; the times themselves cannot be tested.

#include "core/studies/attention_timing.h"

#include <gtest/gtest.h>

#include "core/base/stop.h"

namespace attnscope {
namespace {

TEST(AttentionTiming, LengthsDouble) {
  const std::vector<AttentionTime> times = time_attention(8, 0.05, {});
  ASSERT_FALSE(times.empty());
  EXPECT_LE(times.back().tokens, kMaxTimedTokens);
  Index tokens = kFewestTimedTokens;
  for (const AttentionTime& time : times) {
    EXPECT_EQ(time.tokens, tokens);
    EXPECT_GT(time.seconds, 0);
    tokens *= 2;
  }
}

TEST(AttentionTiming, WithoutTimeOnlyTheShortest) { EXPECT_EQ(time_attention(8, 0, {}).size(), 1U); }

TEST(AttentionTiming, StopsWhenAsked) {
  StopSource source;
  source.request_stop();
  EXPECT_TRUE(time_attention(8, 1000, source.token()).empty());
}

}  // namespace
}  // namespace attnscope
