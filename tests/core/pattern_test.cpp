// Patterns, and the two operations that use them.

#include "core/base/pattern.h"

#include <gtest/gtest.h>

#include <map>

#include "core/base/text.h"
#include "core/compute/rearranged_copy.h"
#include "core/operations/rearrange.h"
#include "core/operations/rearranged_index.h"
#include "made_tensors.h"

namespace attnscope::test {
namespace {

TEST(Pattern, IsReadIntoGroups) {
  const Pattern product = parse_pattern("head query dim, head key dim -> head query key");
  ASSERT_EQ(product.inputs.size(), 2U);
  EXPECT_EQ(product.inputs[0], (LabelGroups{{"head"}, {"query"}, {"dim"}}));
  EXPECT_EQ(product.inputs[1], (LabelGroups{{"head"}, {"key"}, {"dim"}}));
  EXPECT_EQ(product.output, (LabelGroups{{"head"}, {"query"}, {"key"}}));

  const Pattern grouped = parse_pattern("batch (head dim) row->batch  row head ( dim )");
  ASSERT_EQ(grouped.inputs.size(), 1U);
  EXPECT_EQ(grouped.inputs[0], (LabelGroups{{"batch"}, {"head", "dim"}, {"row"}}));
  EXPECT_EQ(grouped.output, (LabelGroups{{"batch"}, {"row"}, {"head"}, {"dim"}}));
}

TEST(Pattern, MayLeaveOutASideAndTouchParentheses) {
  EXPECT_TRUE(parse_pattern("a b ->").output.empty());
  EXPECT_EQ(parse_pattern("(a b)c(d)->c").inputs[0], (LabelGroups{{"a", "b"}, {"c"}, {"d"}}));
  // An empty group is an axis of size 1.
  EXPECT_EQ(parse_pattern("a -> a ()").output, (LabelGroups{{"a"}, {}}));
}

/// Randomly groups `labels` into axes, in order.
LabelGroups random_groups(std::mt19937& random, const std::vector<std::string>& labels) {
  LabelGroups groups;
  for (const std::string& label : labels) {
    if (groups.empty() || random_index(random, 0, 2) > 0) groups.emplace_back();
    groups.back().push_back(label);
  }
  return groups;
}

std::string groups_text(const LabelGroups& groups) {
  std::vector<std::string> parts;
  for (const LabelGroup& group : groups) parts.push_back(group.size() == 1 ? group[0] : "(" + join(group, " ") + ")");
  return join(parts, " ");
}

Axes axes_of(const LabelGroups& groups, const std::map<std::string, Index>& sizes) {
  Axes axes;
  for (const LabelGroup& group : groups) {
    axes.push_back({join(group, "·"), 1});
    for (const std::string& label : group) axes.back().size *= sizes.at(label);
  }
  return axes;
}

/// The offset of label values in a tensor, by Horner's method over axes and labels.
Index position(const LabelGroups& groups, const std::map<std::string, Index>& sizes,
               const std::map<std::string, Index>& values) {
  Index at = 0;
  for (const LabelGroup& group : groups) {
    for (const std::string& label : group) at = at * sizes.at(label) + values.at(label);
  }
  return at;
}

TEST(Rearrange, AgreesWithTheObviousLoop) {
  std::mt19937 random(12);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 400; ++i) {
    std::vector<std::string> labels(names.begin(), names.begin() + random_index(random, 1, 5));
    std::map<std::string, Index> sizes;
    Index count = 1;
    for (const std::string& label : labels) count *= sizes[label] = random_index(random, 1, 4);
    const LabelGroups in = random_groups(random, labels);
    std::shuffle(labels.begin(), labels.end(), random);
    const LabelGroups out = random_groups(random, labels);
    const std::string pattern = groups_text(in) + " -> " + groups_text(out);
    SCOPED_TRACE(pattern);

    // The sizes of all labels of a group except the first must be given.
    std::map<std::string, Index> told;
    for (const LabelGroup& group : in) {
      for (std::size_t at = 1; at < group.size(); ++at) told[group[at]] = sizes[group[at]];
    }
    ComputingRecorder recorder(1);
    const std::vector<float> numbers = random_numbers(random, count);
    const Value input = given(recorder, "input", axes_of(in, sizes), numbers);
    const Value result = rearrange(recorder, "result", pattern, input, told);
    EXPECT_EQ(recorder.axes(result), axes_of(out, sizes));

    std::vector<float> expected(numbers.size());
    std::map<std::string, Index> values;
    for (Index n = 0; n < count; ++n) {
      Index rest = n;
      for (const std::string& label : labels) {
        values[label] = rest % sizes[label];
        rest /= sizes[label];
      }
      expected[static_cast<std::size_t>(position(out, sizes, values))] =
          numbers[static_cast<std::size_t>(position(in, sizes, values))];
    }
    EXPECT_EQ(numbers_of(recorder, result), expected);
  }
}

/// A rearrangement with its input and result.
struct Rearranged {
  std::shared_ptr<const Trace> trace;
  const Step* step = nullptr;
  const RearrangeOperation* operation = nullptr;
  std::span<const float> input;
};

Rearranged rearranged(std::mt19937& random, std::string_view pattern, Axes axes,
                      const std::map<std::string, Index>& told, const std::map<std::string, Index>& stands = {}) {
  ComputingRecorder recorder(1);
  const std::vector<float> numbers = random_numbers(random, element_count(axes));
  rearrange(recorder, "result", pattern, recorder.give("input", std::move(axes), numbers), told, stands);
  Rearranged made;
  made.trace = recorder.trace();
  made.step = made.trace->find("result");
  made.operation = as<RearrangeOperation>(made.step->operation);
  made.input = made.trace->tensor("input").values();
  return made;
}

/// The input, as rows of `width` and a rest, cut into random blocks.
void copy_in_blocks(std::mt19937& random, const RearrangedCopy& copy, std::span<const float> input, Index width) {
  const auto count = std::ssize(input);
  for (Index row = 0; row * width < count;) {
    const bool whole = (row + 1) * width <= count;
    const Index rows = whole ? random_index(random, 1, count / width - row) : 1;
    const Index wide = whole ? width : count - row * width;
    for (Index column = 0; column < wide;) {
      const Index columns = random_index(random, 1, wide - column);
      const Index first = row * width + column;
      copy.copy(first, input.data() + first, columns, rows, width);
      column += columns;
    }
    row += rows;
  }
}

TEST(Rearrange, PartByPartIsTheSame) {
  std::mt19937 random(14);
  const std::vector<Rearranged> all = {
      rearranged(random, "batch token (head part dim) -> batch head token dim", {{"b", 2}, {"t", 7}, {"f", 3 * 2 * 20}},
                 {{"head", 3}, {"part", 2}}, {{"part", 1}}),
      rearranged(random, "batch head token dim -> batch token (head dim)", {{"b", 1}, {"h", 4}, {"t", 9}, {"dim", 16}},
                 {}),
      rearranged(random, "a b c d -> c b a d", {{"a", 3}, {"b", 1}, {"c", 5}, {"d", 17}}, {}),
      rearranged(random, "a b -> all=(a b)", {{"a", 5}, {"b", 33}}, {}),
      rearranged(random, "a b -> b", {{"a", 5}, {"b", 33}}, {}, {{"a", 2}})};
  for (const Rearranged& each : all) {
    SCOPED_TRACE(shape_text(each.step->axes));
    ASSERT_TRUE(RearrangedCopy::keeps_runs(*each.operation));
    const std::span<const float> expected = each.step->tensor->values();
    std::vector<float> computed(expected.size(), -7);
    const RearrangedCopy copy(*each.operation, computed.data());
    const auto count = std::ssize(each.input);
    const Index run = each.trace->tensor("input").size(-1);
    for (int i = 0; i < 20; ++i) {
      const Index width = i % 2 == 0 ? random_index(random, 1, count) : run * random_index(random, 1, count / run);
      std::fill(computed.begin(), computed.end(), -7.0F);
      copy_in_blocks(random, copy, each.input, width);
      EXPECT_TRUE(std::ranges::equal(computed, expected)) << "rows of " << width;
    }
  }
}

TEST(Rearrange, PartByPartOnlyWhereNeighboursStayTogether) {
  std::mt19937 random(15);
  const auto keeps = [&](const char* pattern, Axes axes) {
    return RearrangedCopy::keeps_runs(*rearranged(random, pattern, std::move(axes), {}).operation);
  };
  EXPECT_TRUE(keeps("a b c -> b a c", {{"a", 2}, {"b", 3}, {"c", 16}}));
  EXPECT_FALSE(keeps("a b c -> b a c", {{"a", 2}, {"b", 3}, {"c", 15}}));
  EXPECT_FALSE(keeps("a b c -> a c b", {{"a", 2}, {"b", 3}, {"c", 16}}));
}

TEST(Rearrange, ThereAndBackIsTheSame) {
  std::mt19937 random(13);
  ComputingRecorder recorder(1);
  const std::vector<float> numbers = random_numbers(random, 2 * 12 * 5);
  const Value input = given(recorder, "input", {{"batch", 2}, {"channel", 12}, {"token", 5}}, numbers);
  const Value heads =
      rearrange(recorder, "heads", "batch (head dim) token -> head batch token dim", input, {{"head", 4}});
  EXPECT_EQ(recorder.axes(heads), (Axes{{"head", 4}, {"batch", 2}, {"token", 5}, {"dim", 3}}));
  const Value back = rearrange(recorder, "back", "head batch token dim -> batch (head dim) token", heads);
  EXPECT_EQ(recorder.axes(back), (Axes{{"batch", 2}, {"head·dim", 12}, {"token", 5}}));
  EXPECT_EQ(numbers_of(recorder, back), numbers);
}

TEST(Contract, NamesAxesAndWritesItsFormula) {
  PlanBuilder recorder;
  const Value q = draw_uniform(recorder, "q", {{"head", 4}, {"token", 6}, {"dim", 7}});
  const Value k = draw_uniform(recorder, "k", {{"head", 4}, {"token", 5}, {"dim", 7}});
  const Value scores =
      contract(recorder, "scores", "head query dim, head key dim -> head query key", q, k, {std::sqrt(7.0), "√7"});
  EXPECT_EQ(recorder.axes(scores), (Axes{{"head", 4}, {"query", 6}, {"key", 5}}));
  EXPECT_EQ(formula_of(recorder, scores), "Σ_dim q[head, query, dim] · k[head, key, dim] / √7");
  EXPECT_EQ(recorder.step(scores).inputs, (std::vector<int>{0, 1}));
  const Value products =
      contract(recorder, "products", "head query key, head key dim -> head key query dim", scores, k);
  EXPECT_EQ(formula_of(recorder, products), "scores[head, query, key] · k[head, key, dim]");
  const Value total = contract(recorder, "total", "head query dim, head key dim -> ", q, k);
  EXPECT_TRUE(recorder.axes(total).empty());
}

TEST(Contract, AgreesWithTheObviousLoop) {
  std::mt19937 random(14);
  ComputingRecorder recorder(1);
  const std::vector<float> a = random_numbers(random, 3 * 4 * 5);
  const std::vector<float> b = random_numbers(random, 5 * 3 * 2);
  const Value left = given(recorder, "a", {{"i", 3}, {"j", 4}, {"k", 5}}, a);
  const Value right = given(recorder, "b", {{"k", 5}, {"i", 3}, {"l", 2}}, b);
  const Value result = contract(recorder, "out", "i j k, k i l -> l j", left, right, {2, "2"});
  const std::vector<float> out = numbers_of(recorder, result);
  for (Index l = 0; l < 2; ++l) {
    for (Index j = 0; j < 4; ++j) {
      double sum = 0;
      for (Index i = 0; i < 3; ++i) {
        for (Index k = 0; k < 5; ++k) {
          sum += static_cast<double>(a[static_cast<std::size_t>((i * 4 + j) * 5 + k)]) *
                 static_cast<double>(b[static_cast<std::size_t>((k * 3 + i) * 2 + l)]);
        }
      }
      EXPECT_NEAR(static_cast<double>(out[static_cast<std::size_t>(l * 4 + j)]), sum / 2, 1e-5);
    }
  }
}

}  // namespace
}  // namespace attnscope::test
