// The hand-made heads do exactly what their names say, and the measures confirm it: the tests derive both from the
// tokens alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/explain/explain.h"
#include "core/heads/head_measures.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"

namespace attnscope::test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;
using Labels = std::vector<std::string>;

enum : Index { kPrevious, kFirst, kDuplicate, kDiagonal, kNext, kUniform, kWindow, kHeads };

Experiment experiment_with(const Settings& settings, const Labels& labels) {
  Experiment experiment = *default_experiment("hand-made-heads");
  for (const auto& [name, text] : settings) EXPECT_TRUE(set_parameter_text(experiment, name, text)) << name;
  experiment.labels = labels;
  EXPECT_TRUE(validate(experiment));
  return experiment;
}

/// `count` tokens, each one of `kinds` words.
Labels random_words(std::mt19937& random, Index count, int kinds) {
  Labels labels;
  for (Index i = 0; i < count; ++i)
    labels.push_back(std::string(1, static_cast<char>('a' + std::uniform_int_distribution<int>(0, kinds - 1)(random))));
  return labels;
}

bool same_token(const Labels& labels, Index a, Index b) {
  if (a == b) return true;
  return std::max(a, b) < std::ssize(labels) &&
         labels[static_cast<std::size_t>(a)] == labels[static_cast<std::size_t>(b)];
}

/// The keys that the induction head should attend to.
std::vector<Index> after_earlier_ones(const Labels& labels, Index query) {
  std::vector<Index> keys;
  for (Index earlier = 0; earlier < query; ++earlier) {
    if (same_token(labels, earlier, query)) keys.push_back(earlier + 1);
  }
  return keys.empty() ? std::vector<Index>{0} : keys;
}

std::vector<Index> keys_of(Index head, const Labels& labels, Index tokens, Index radius, Index query) {
  std::vector<Index> keys;
  switch (head) {
    case kPrevious: return {std::max<Index>(0, query - 1)};
    case kFirst: return {0};
    case kDuplicate:
      for (Index key = 0; key < query; ++key) {
        if (same_token(labels, key, query)) keys.push_back(key);
      }
      return keys.empty() ? std::vector<Index>{query} : keys;
    case kDiagonal: return {query};
    case kNext: return {std::min(tokens - 1, query + 1)};
    default:
      for (Index key = 0; key < tokens; ++key) {
        if (head == kUniform || std::abs(key - query) <= radius) keys.push_back(key);
      }
      return keys;
  }
}

void expect_even_on(const std::vector<Index>& keys, const Tensor& weights, Index head, Index query) {
  std::vector<float> expected(static_cast<std::size_t>(weights.size(-1)), 0.0F);
  for (const Index key : keys) expected[static_cast<std::size_t>(key)] = 1.0F / static_cast<float>(keys.size());
  for (Index key = 0; key < weights.size(-1); ++key) {
    const std::vector<Index> at = {head, query, key};
    EXPECT_FLOAT_EQ(weights.at(at), expected[static_cast<std::size_t>(key)]) << head << " " << query << " " << key;
    // Exactly 0, not just nearly.
    EXPECT_EQ(weights.at(at) == 0, expected[static_cast<std::size_t>(key)] == 0) << head << " " << query << " " << key;
  }
}

TEST(HandMadeHeads, AttendToExactlyWhatTheyAreNamedAfter) {
  std::mt19937 random(1);
  const std::string sentence = "the cat sat on the mat and the cat sat on the";
  EXPECT_EQ(join(default_experiment("hand-made-heads")->labels, " "), sentence);
  std::vector<Labels> sequences = {split(sentence, ' '), {}, {"a", "b", "a"}, Labels(20, "a")};
  for (int i = 0; i < 20; ++i) sequences.push_back(random_words(random, 1 + i, 1 + i % 4));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Index tokens = std::array<Index, 4>{12, 1, 17, 20}[i % 4];
    const auto radius = static_cast<Index>(i % 5);
    const auto trace =
        *run(experiment_with({{"tokens", std::to_string(tokens)}, {"radius", std::to_string(radius)}}, sequences[i]));
    SCOPED_TRACE(join(sequences[i], " ") + ", tokens " + std::to_string(tokens));
    for (Index query = 0; query < tokens; ++query) {
      for (Index head = 0; head < kHeads; ++head)
        expect_even_on(keys_of(head, sequences[i], tokens, radius, query), trace->tensor("weights"), head, query);
      expect_even_on(after_earlier_ones(sequences[i], query), trace->tensor("layer2.weights"), 0, query);
    }
    EXPECT_TRUE(trace->warnings().empty());
    if (HasFailure()) return;
  }
}

double measured(const HeadMeasures& heads, Index head, std::string_view name) {
  const MeasureRow& row = head < 0 ? heads.uniform : heads.heads[static_cast<std::size_t>(head)];
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (measures()[i].name == name) return row[i].value_or(std::nan(""));
  }
  return std::nan("");
}

HeadMeasures measures_of(const Trace& trace, std::string_view tensor) {
  const auto step = static_cast<int>(trace.find(tensor) - trace.steps().data());
  return *measure_heads(trace, step, 0);
}

TEST(HandMadeHeads, AreMeasuredAsWhatTheyAre) {
  const auto trace = *run(*default_experiment("hand-made-heads"));
  const HeadMeasures heads = measures_of(*trace, "weights");
  ASSERT_EQ(std::ssize(heads.heads), kHeads);
  EXPECT_EQ(measured(heads, kPrevious, "previous_token"), 1);
  EXPECT_EQ(measured(heads, kFirst, "first_token"), 1);
  EXPECT_EQ(measured(heads, kDiagonal, "diagonal"), 1);
  EXPECT_EQ(measured(heads, kNext, "next_token"), 1);
  EXPECT_NEAR(measured(heads, kUniform, "entropy"), std::log(12), 1e-6);
  EXPECT_NEAR(measured(heads, kUniform, "entropy_share"), 1, 1e-6);
  // Three keys for each query, at distances 1, 0, 1; two at the ends, at distances 0, 1.
  EXPECT_NEAR(measured(heads, kWindow, "distance"), (10 * 2.0 / 3 + 2 * 0.5) / 12, 1e-6);
  for (const Index head : {kPrevious, kFirst, kDiagonal, kNext}) {
    EXPECT_EQ(measured(heads, head, "max_weight"), 1) << head;
    EXPECT_EQ(measured(heads, head, "entropy"), 0) << head;
  }
  // Six of the twelve tokens occurred before; the others cannot score.
  EXPECT_NEAR(measured(heads, kDuplicate, "duplicate_token"), 6.0 / 12, 1e-6);
  const HeadMeasures second = measures_of(*trace, "layer2.weights");
  EXPECT_NEAR(measured(second, 0, "induction"), 6.0 / 12, 1e-6);
  // Uniform attention: the matching pairs among 12 × 12; "the" occurs four times, three other words twice.
  EXPECT_NEAR(measured(second, -1, "duplicate_token"), (1 + 2 + 3 + 3) / 144.0, 1e-6);
  EXPECT_NEAR(measured(second, -1, "induction"), (1 + 2 + 3 + 3) / 144.0, 1e-6);
}

TEST(HandMadeHeads, InductionIsNearlyOneWhereNearlyEverythingRepeats) {
  std::mt19937 random(2);
  const auto trace = *run(experiment_with({{"tokens", "512"}}, random_words(random, 512, 4)));
  const HeadMeasures first = measures_of(*trace, "weights");
  const HeadMeasures second = measures_of(*trace, "layer2.weights");
  EXPECT_NEAR(measured(second, 0, "induction"), 508.0 / 512, 1e-6);  // all but the first of each word
  EXPECT_GT(measured(second, 0, "induction"), 0.99);
  EXPECT_LT(measured(second, -1, "induction"), 0.2);
  EXPECT_NEAR(measured(first, kDuplicate, "duplicate_token"), 508.0 / 512, 1e-6);
  // No head of the first layer is an induction head.
  for (Index head = 0; head < kHeads; ++head) EXPECT_LT(measured(first, head, "induction"), 0.4) << head;
}

TEST(HandMadeHeads, PredictWhatFollowedLastTime) {
  // "the cat sat the": after "the" came "cat".
  const auto trace = *run(experiment_with({{"tokens", "4"}}, {"the", "cat", "sat", "the"}));
  const Tensor& out = trace->tensor("layer2.out");
  EXPECT_EQ(out.at(std::array<Index, 2>{3, 1}), 1);
  // Layer 1 wrote the previous token; the first token has none.
  const Tensor& x = trace->tensor("layer2.x");
  const Index previous = 3 + 4;
  for (Index token = 0; token < 4; ++token) {
    for (Index kind = 0; kind < 3; ++kind)
      EXPECT_EQ(x.at(std::array<Index, 2>{token, previous + kind}), token > 0 && kind == token - 1 ? 1 : 0) << token;
  }
}

TEST(HandMadeHeads, LabelsChangeWhatIsComputed) {
  const Experiment sentence = *default_experiment("hand-made-heads");
  Experiment other = sentence;
  other.labels = {"a", "b", "c"};
  EXPECT_FALSE(same_plan(sentence, other));
  Experiment renamed = *default_experiment("worked-example");
  const Experiment before = renamed;
  renamed.labels = {"a"};
  EXPECT_TRUE(same_plan(before, renamed));
  // An executor that has computed one of them recomputes the other.
  Executor runner;
  ASSERT_TRUE(runner.run(sentence));
  const auto trace = *runner.run(other);
  expect_even_on({4}, trace->tensor("weights"), kDuplicate, 4);
}

TEST(HandMadeHeads, TheSeedChangesNothing) {
  const auto one = *run(experiment_with({}, {"a", "b", "a"}));
  const auto other = *run(experiment_with({{"seed", "7"}, {"discard", "100"}}, {"a", "b", "a"}));
  for (std::size_t i = 0; i < one->steps().size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(one->steps()[i].tensor->values(), other->steps()[i].tensor->values()))
        << one->steps()[i].name;
  }
}

TEST(HandMadeHeads, BecomeUniformWithoutSharpness) {
  const auto trace = *run(experiment_with({{"tokens", "5"}, {"sharpness", "0"}}, {}));
  for (const char* name : {"weights", "layer2.weights"}) {
    for (const float weight : trace->tensor(name).values()) EXPECT_FLOAT_EQ(weight, 0.2F);
  }
}

TEST(HandMadeHeads, HaveNames) {
  const Experiment experiment = *default_experiment("hand-made-heads");
  EXPECT_EQ(head_title(experiment, "weights", kPrevious), "head 1: previous token");
  EXPECT_EQ(head_name(experiment, "weights", kWindow), "local window");
  EXPECT_EQ(head_name(experiment, "layer2.weights", 0), "induction");
  EXPECT_EQ(head_name(experiment, "layer2.weights", 1), "");
  EXPECT_EQ(head_name(experiment, "layer9.weights", 0), "");
  EXPECT_EQ(head_title(*default_experiment("worked-example"), "weights", 2), "head 3");
}

TEST(HandMadeHeads, SayWhyANumberWasSet) {
  const auto trace = *run(*default_experiment("hand-made-heads"));
  const auto explained = [&](const char* name, std::vector<Index> index) {
    return explain(*trace, static_cast<int>(trace->find(name) - trace->steps().data()), index);
  };
  // Six different tokens: positions start at feature 6.
  const Explanation wanted = explained("w_q", {kPrevious, 6 + 5, 6 + 4});
  EXPECT_EQ(wanted.formula, "set by hand");
  EXPECT_NE(wanted.note.find("the position before its own"), std::string::npos) << wanted.note;
  EXPECT_EQ(wanted.computed, 120);
  EXPECT_EQ(explained("w_q", {kUniform, 6, 6}).note, "Not set by hand, so it is 0.");
}

}  // namespace
}  // namespace attnscope::test
