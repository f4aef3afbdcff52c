// A new operation is one file: this one records an operation of its own, and everything that asks operations works.

#include "core/plan/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/explain/explain.h"
#include "core/operations/shared.h"
#include "core/trace/lazy_tensors.h"
#include "core/trace/magnitude_bound.h"
#include "made_tensors.h"

namespace attnscope::test {
namespace {

/// start + the sum of this number and those after it along the last axis.
struct SuffixSumOperation {
  double start = 0;

  [[nodiscard]] std::string name() const { return "suffix_sum"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    return exact_text(start) + " + suffix_sum " + input_text(step);
  }

  void compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const { sum(*inputs[0], out); }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    Region from = same_cells(step, region);
    from.end.back() = step.step.axes.back().size;
    return {from};
  }

  void compute_part(const StepPart& /*part*/, Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
    sum(*inputs[0], out);
  }

  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const {
    return std::abs(start) + static_cast<double>(axes.back().size) * inputs[0];
  }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    e.formula = exact_text(start) + " + Σ_j≥" + std::to_string(cell.index.back()) + " " + cell.input(0).name;
    e.computed = start;
    std::vector<Index> at(cell.index.begin(), cell.index.end());
    for (; at.back() < cell.step.axes.back().size; ++at.back()) {
      e.operands.push_back(cell.operand(0, at));
      e.computed += e.operands.back().value;
    }
  }

  friend bool operator==(const SuffixSumOperation&, const SuffixSumOperation&) = default;

 private:
  /// `in` may have more columns than `out`, which begins with the same.
  void sum(const Tensor& in, Tensor& out) const {
    const Index columns = in.size(-1);
    for (Index row = 0; row * columns < in.count(); ++row) {
      auto so_far = static_cast<float>(start);
      for (Index column = columns; column-- > 0;) {
        so_far += in.values()[static_cast<std::size_t>(row * columns + column)];
        if (column < out.size(-1)) out.values()[static_cast<std::size_t>(row * out.size(-1) + column)] = so_far;
      }
    }
  }
};

/// The absolute values. It has no `compute_part`: a number depends on nothing but its own cell.
struct AbsoluteOperation {
  [[nodiscard]] std::string name() const { return "absolute"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const { return "|" + input_text(step) + "|"; }
  void compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
    std::ranges::transform(inputs[0]->values(), out.values().begin(), [](float value) { return std::abs(value); });
  }
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    return {same_cells(step, region)};
  }
  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const { return inputs[0]; }
  void explain(const ExplainedCell& cell, Explanation& e) const {
    e.computed = std::abs(add_same_cell(cell, e));
    e.formula = "|" + cell.name(0) + "|";
  }

  friend bool operator==(const AbsoluteOperation&, const AbsoluteOperation&) = default;
};

const Axes kAxes = {{"head", 2}, {"query", 3}, {"key", 5}};

/// The steps x, which is drawn, and `sums` and `sizes`, which are made from it.
std::shared_ptr<const Plan> made_plan(double start) {
  PlanBuilder builder;
  const Value x = draw_normal(builder, "x", kAxes);
  const Value sums = record_elementwise(builder, "sums", x, SuffixSumOperation{start}, 1);
  record_elementwise(builder, "sizes", sums, AbsoluteOperation{}, 1);
  return std::make_shared<const Plan>(builder.take_plan());
}

std::shared_ptr<const Trace> made_trace(double start) {
  return *Executor().run(*default_experiment("worked-example"), made_plan(start), {}, {});
}

TEST(Operation, OfOneFileIsComputed) {
  const auto trace = made_trace(0.5);
  const std::span<const float> x = trace->tensor("x").values();
  const std::span<const float> sums = trace->tensor("sums").values();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(sums[i], (i % 5 == 4 ? 0.5F : sums[i + 1]) + x[i]);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(trace->tensor("sizes").values()[i], std::abs(sums[i]));
  EXPECT_EQ(formula(trace->plan()->steps, 1), "0.5 + suffix_sum x[head, query, key]");
  EXPECT_TRUE(trace->warnings().empty());
}

TEST(Operation, OfOneFileIsComputedBoxByBox) {
  const auto trace = made_trace(0.5);
  // Only x is resident: boxes of `sizes` ask for boxes of `sums`.
  const LazyTensors lazy(trace->plan(), {trace->steps()[0].tensor, nullptr, nullptr}, 0);
  std::mt19937 random(5);
  for (int step = 1; step <= 2; ++step) {
    for (int i = 0; i < 40; ++i) {
      Region region = whole_region(step, kAxes);
      for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
        region.begin[axis] = random_index(random, 0, kAxes[axis].size - 1);
        region.end[axis] = random_index(random, region.begin[axis] + 1, kAxes[axis].size);
      }
      const auto part = lazy.numbers(region, {});
      const auto whole = part_of(trace->steps()[static_cast<std::size_t>(step)].tensor, region);
      EXPECT_TRUE(std::ranges::equal(part->values(), whole->values()));
    }
  }
}

TEST(Operation, OfOneFileIsExplained) {
  const auto trace = made_trace(0.5);
  for (Index at = 0; at < element_count(kAxes); ++at) {
    const std::vector<Index> index = index_in(kAxes, at);
    const Explanation e = explain(*trace, 1, index);
    EXPECT_EQ(e.operation, "suffix_sum");
    EXPECT_EQ(e.value, static_cast<double>(trace->value(1, index)));
    EXPECT_NEAR(e.computed, e.value, 1e-5);
    ASSERT_EQ(e.operands.size(), static_cast<std::size_t>(5 - index.back()));
    for (const Operand& operand : e.operands) {
      EXPECT_EQ(operand.value, static_cast<double>(trace->value(operand.step, operand.index)));
      EXPECT_TRUE(e.regions[0].contains(operand.index));
    }
    EXPECT_EQ(e.regions[0].count(), std::ssize(e.operands));
    const Explanation size = explain(*trace, 2, index);
    EXPECT_EQ(size.computed, size.value);
    EXPECT_EQ(size.formula, "|sums" + index_text(index) + "|");
  }
}

TEST(Operation, OfOneFileIsBounded) {
  const auto trace = made_trace(-2);
  const std::array<double, 1> of_x = {magnitude_of(trace->tensor("x").values())};
  const std::array<double, 1> of_sums = {magnitude_bound(trace->plan()->steps[1], of_x)};
  EXPECT_EQ(of_sums[0], 2 + 5 * of_x[0]);
  EXPECT_GE(of_sums[0], magnitude_of(trace->tensor("sums").values()));
  EXPECT_EQ(magnitude_bound(trace->plan()->steps[2], of_sums), of_sums[0]);
}

TEST(Operation, OfOneFileIsReusedWhileItsRecordIsTheSame) {
  const Experiment experiment = *default_experiment("worked-example");
  Executor executor;
  const auto reused = [&](double start) {
    EXPECT_TRUE(executor.run(experiment, made_plan(start), {}, {}));
    return executor.steps_reused();
  };
  EXPECT_EQ(reused(1), 0);
  EXPECT_EQ(reused(1), 3);
  EXPECT_EQ(reused(2), 1);  // x alone
}

TEST(Operation, GivesItsRecordByType) {
  const Operation one = SuffixSumOperation{3};
  ASSERT_TRUE(is<SuffixSumOperation>(one));
  EXPECT_EQ(as<SuffixSumOperation>(one)->start, 3);
  EXPECT_FALSE(is<AbsoluteOperation>(one));
  const Operation copy = one;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  EXPECT_EQ(as<SuffixSumOperation>(copy), as<SuffixSumOperation>(one)) << "copies share the record";
  EXPECT_EQ(copy, one);
  EXPECT_EQ(Operation(SuffixSumOperation{3}), one);
  EXPECT_NE(Operation(SuffixSumOperation{4}), one);
  EXPECT_NE(Operation(AbsoluteOperation{}), one);
}

}  // namespace
}  // namespace attnscope::test
