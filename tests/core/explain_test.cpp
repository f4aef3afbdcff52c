// Explanations compute the numbers that they explain.

#include "core/explain/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/experiment/system.h"
#include "core/operations/contract.h"
#include "core/operations/ops.h"
#include "core/operations/softmax.h"
#include "core/plan/plan_builder.h"
#include "core/trace/run.h"
#include "made_tensors.h"
#include "support/floats.h"
#include "support/sanitized.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();

using Cell = std::pair<int, std::vector<Index>>;

std::set<Cell> operand_cells(const Explanation& e) {
  std::set<Cell> cells;
  for (const Operand& operand : e.operands) cells.emplace(operand.step, operand.index);
  return cells;
}

std::set<Cell> region_cells(const Explanation& e) {
  std::set<Cell> cells;
  for (const Region& region : e.regions) {
    bool more = true;
    for (std::size_t i = 0; i < region.begin.size(); ++i) more = more && region.begin[i] < region.end[i];
    std::vector<Index> at = region.begin;
    while (more) {
      cells.emplace(region.step, at);
      more = false;
      for (std::size_t i = at.size(); i-- > 0 && !more;) {
        more = ++at[i] < region.end[i];
        if (!more) at[i] = region.begin[i];
      }
    }
  }
  return cells;
}

/// How far float32 may be from the same formula in double precision.
double rounding(const Step& step, const Explanation& e) {
  if (const auto* contract = as<ContractOperation>(step.operation)) {
    double magnitude = contract->bias.empty() ? 0 : std::abs(e.operands.back().value);
    for (const Term& term : e.terms) magnitude += std::abs(term.value);
    return (static_cast<double>(e.terms.size()) + 2) * kEpsilon * magnitude / std::abs(contract->divisor) + 1e-40;
  }
  if (const auto* softmax = as<SoftmaxOperation>(step.operation)) {
    // An error of the exponent is a relative error of the exponential.
    double exponent = 0;
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      if (e.terms[i].value > 0) exponent = std::max(exponent, std::abs(e.operands[i].value / softmax->temperature));
    }
    return std::abs(e.computed) * kEpsilon * (6 * exponent + static_cast<double>(e.operands.size()) + 16) + 1e-37;
  }
  double magnitude = std::abs(e.computed);
  for (const Operand& operand : e.operands) magnitude = std::max(magnitude, std::abs(operand.value));
  return 1e-5 * magnitude;
}

void expect_explained(const Trace& trace, int number, const std::vector<Index>& index) {
  const Step& step = trace.steps()[static_cast<std::size_t>(number)];
  const Explanation e = explain(trace, number, index);
  SCOPED_TRACE(step.name + index_text(index));
  const auto stored = static_cast<double>(step.tensor->at(index));
  EXPECT_EQ(e.step, number);
  EXPECT_EQ(e.index, index);
  EXPECT_EQ(e.value, stored);
  EXPECT_EQ(e.operation, step.operation->name());
  EXPECT_FALSE(e.formula.empty());
  if (e.computed != stored) {
    EXPECT_NEAR(e.computed, stored, rounding(step, e));
  }
  for (const Operand& operand : e.operands) {
    const Step& input = trace.steps()[static_cast<std::size_t>(operand.step)];
    ASSERT_LT(operand.step, number);
    EXPECT_EQ(operand.value, static_cast<double>(input.tensor->at(operand.index)));
  }
  for (const Region& region : e.regions) {
    const Axes& axes = trace.steps()[static_cast<std::size_t>(region.step)].axes;
    ASSERT_EQ(region.begin.size(), axes.size());
    ASSERT_EQ(region.end.size(), axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) EXPECT_TRUE(region.begin[i] >= 0 && region.end[i] <= axes[i].size);
  }
  EXPECT_EQ(operand_cells(e), region_cells(e));
  EXPECT_EQ(regions_behind(trace, number, index), e.regions);
}

/// Explains up to `most` cells of every tensor: all of them, or random ones.
void expect_all_explained(const Trace& trace, Index most, std::mt19937& random) {
  for (int number = 0; number < static_cast<int>(trace.steps().size()); ++number) {
    const Tensor& tensor = *trace.steps()[static_cast<std::size_t>(number)].tensor;
    for (Index i = 0; i < std::min(tensor.count(), most); ++i) {
      const Index at = tensor.count() <= most ? i : random_index(random, 0, tensor.count() - 1);
      expect_explained(trace, number, tensor.index_at(at));
      if (testing::Test::HasFailure()) return;  // one cell says it; thousands would bury it
    }
  }
}

TEST(Explain, ComputesWhatIsStored) {
  std::mt19937 random(1);
  for (const Experiment& experiment : variations()) {
    SCOPED_TRACE(description(experiment));
    expect_all_explained(**run(experiment), kSanitized ? 10 : 100, random);
    if (HasFailure()) return;
  }
}

TEST(Explain, ComputesEveryCellOfSmallExperiments) {
  std::mt19937 random(2);
  for (const System& system : systems()) {
    SCOPED_TRACE(system.name);
    expect_all_explained(**run(small_experiment(system)), std::numeric_limits<Index>::max(), random);
    if (HasFailure()) return;
  }
}

TEST(Explain, ComputesTenThousandCellsOfLargeExperiments) {
  std::mt19937 random(3);
  for (const System& system : systems()) {
    SCOPED_TRACE(system.name);
    Experiment experiment = *default_experiment(system.name);
    if (find_parameter(system.parameters, "batch") != nullptr) {
      ASSERT_TRUE(set_parameter_text(experiment, "batch", "3"));
    }
    if (system.name == "worked-example") {
      ASSERT_TRUE(set_parameter_text(experiment, "tokens", "40"));
    }
    const std::shared_ptr<const Trace> trace = *run(experiment);
    expect_all_explained(*trace, (kSanitized ? 500 : 10'000) / std::ssize(trace->steps()) + 1, random);
    if (HasFailure()) return;
  }
}

TEST(Explain, NumbersThatAreNotFinite) {
  const std::vector<float> numbers = {-kInfinity, -kInfinity, -kInfinity,  //
                                      -kInfinity, kNaN,       -kInfinity,  //
                                      kNaN,       0,          1,           //
                                      kInfinity,  0,          1,           //
                                      1e30F,      -1e30F,     1e30F};
  ComputingRecorder recorder(1);
  const Value scores = given(recorder, "scores", {{"query", 5}, {"key", 3}}, numbers);
  const Value weights = softmax(recorder, "weights", scores);
  const Value sums = contract(recorder, "sums", "query key, other key -> query other", scores, scores);
  const std::shared_ptr<const Trace> made = recorder.trace();
  const Trace& trace = *made;
  for (const Value value : {weights, sums}) {
    const Tensor& tensor = *trace.steps()[static_cast<std::size_t>(value.step)].tensor;
    for (Index at = 0; at < tensor.count(); ++at) {
      const Explanation e = explain(trace, value.step, tensor.index_at(at));
      if (std::isnan(e.value)) {
        EXPECT_TRUE(std::isnan(e.computed)) << at;
      } else if (std::abs(e.computed) < 1e38) {
        EXPECT_NEAR(e.value, e.computed, 1e-6) << at;
      } else {
        EXPECT_TRUE(std::isinf(e.value)) << at;  // more than float32 holds
      }
    }
  }
  EXPECT_NE(explain(trace, weights.step, std::vector<Index>{0, 1}).note, "");
}

TEST(Explain, WritesTheArithmetic) {
  Experiment experiment = *default_experiment("worked-example");
  ASSERT_TRUE(set_parameter_text(experiment, "scale", "sqrt_head_dim"));
  ASSERT_TRUE(set_parameter_text(experiment, "mask", "causal"));
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const auto cell = [&](const std::string& text) {
    const CellReference at = *parse_cell(*trace, text);
    return explain(*trace, at.step, at.index);
  };
  const Explanation score = cell("scores[1,2,4]");
  EXPECT_EQ(score.formula, "Σ_dim q[1, 2, dim] · k[1, 4, dim] / √7");
  EXPECT_EQ(score.terms.size(), 7U);
  EXPECT_EQ(score.operands.size(), 14U);
  ASSERT_EQ(score.results.size(), 2U);
  EXPECT_NEAR(score.results[0].value / std::sqrt(7.0), score.results[1].value, 1e-12);

  EXPECT_EQ(cell("masked_scores[1,2,4]").formula, "−9.000e+15");
  EXPECT_EQ(cell("masked_scores[1,2,4]").note, "masked (causal mask)");
  EXPECT_EQ(cell("masked_scores[1,2,1]").formula, "scores[1, 2, 1]");
  EXPECT_EQ(cell("weights[1,2,1]").formula, "exp(masked_scores[1, 2, 1] − m) / Σ_j exp(masked_scores[1, 2, j] − m)");
  const Explanation weight = cell("weights[1,2,1]");
  ASSERT_EQ(weight.own_term, std::size_t{1});
  EXPECT_EQ(weight.terms[1].value, weight.results.back().value) << "the numerator";
  EXPECT_EQ(score.own_term, std::nullopt);
  EXPECT_EQ(cell("merged[2,8]").formula, "head_outputs[1, 2, 1]");
  EXPECT_EQ(cell("x[0,0]").note, "random value 1 of seed 42");
  // After 6 × 9 numbers of x and 3 × 9 of x2, the single-head stage first draws the key weights.
  EXPECT_EQ(cell("single.w_k[0,1]").note, "random value 83 of seed 42");
}

TEST(Explain, ARowWithoutKeysHasNoNaN) {
  Mask mask;
  mask.kind = Mask::Kind::array;
  mask.shape = {2, 3};
  mask.keep = {false, false, false, true, false, true};
  PlanBuilder builder;
  const Value scores = constant(builder, "scores", {{"query", 2}, {"key", 3}}, 0.5);
  const double infinity = std::numeric_limits<double>::infinity();
  softmax(builder, "weights", apply_mask(builder, "masked", scores, MaskField(mask, {1, 1, 2, 3}), -infinity));
  const auto plan = std::make_shared<const Plan>(builder.take_plan());
  const std::shared_ptr<const Trace> trace = *Executor().run(*default_experiment("worked-example"), plan, {}, {});
  const Explanation none = explain(*trace, 2, std::vector<Index>{0, 1});
  for (const Term& term : none.terms) EXPECT_EQ(term.text, "exp(−∞)");
  EXPECT_EQ(none.computed, 0);
  const Explanation two = explain(*trace, 2, std::vector<Index>{1, 0});
  EXPECT_EQ(two.terms[0].text, "exp(0)");
  EXPECT_EQ(two.terms[1].text, "exp(−∞)");
  EXPECT_EQ(two.computed, 0.5);
}

TEST(ParseCell, FindsTheCell) {
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  for (const char* text : {"scores[1,2,4]", "scores[1, 2, 4]", "scores[ 1 ,2,  4 ]"}) {
    const Result<CellReference> cell = parse_cell(*trace, text);
    ASSERT_TRUE(cell) << text;
    EXPECT_EQ(trace->steps()[static_cast<std::size_t>(cell->step)].name, "scores");
    EXPECT_EQ(cell->index, (std::vector<Index>{1, 2, 4}));
  }
}

TEST(ParseRegion, ReadsIndicesAndRanges) {
  const std::vector<PlannedStep> steps = plan(*default_experiment("worked-example")).steps;
  const auto region = [&](const char* text) {
    const Result<Region> read = parse_region(steps, text);
    EXPECT_TRUE(read) << text;
    return read.value_or(Region{});
  };
  const Region all = region("scores");
  EXPECT_EQ(steps[static_cast<std::size_t>(all.step)].name, "scores");
  EXPECT_EQ(all, (Region{all.step, {0, 0, 0}, {4, 6, 6}}));
  EXPECT_EQ(region("scores[1]"), (Region{all.step, {1, 0, 0}, {2, 6, 6}}));
  EXPECT_EQ(region("scores[ 1, 2:5 ,:]"), (Region{all.step, {1, 2, 0}, {2, 5, 6}}));
  EXPECT_EQ(region("scores[:2,3:,5]"), (Region{all.step, {0, 3, 5}, {2, 6, 6}}));
  for (const char* text :
       {"scores[", "scores[]", "scores[4]", "scores[-1]", "scores[1:1]", "scores[2:1]", "scores[0:5]", "scores[x]",
        "scores[1,2,3,4]", "scores[1 2]", "scores[1]]", "scores[0::2]"}) {
    const Result<Region> read = parse_region(steps, text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, Error::Kind::usage) << text;
    EXPECT_NE(read.error().message.find("head 0:4, query 0:6, key 0:6"), std::string::npos) << read.error().message;
  }
  EXPECT_FALSE(parse_region(steps, "scroes[1]"));
}

TEST(ParseCell, SaysWhatIsWrong) {
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  const auto message = [&](const char* text) {
    const Result<CellReference> cell = parse_cell(*trace, text);
    EXPECT_FALSE(cell) << text;
    return cell ? Error{} : cell.error();
  };
  for (const char* text : {"", "scores", "scores[1,2,4", "scores]", "scores 1,2,4]", "scores[1,2,4] "}) {
    EXPECT_NE(message(text).message.find("write TENSOR[i,j,…]"), std::string::npos) << text;
    EXPECT_EQ(message(text).kind, Error::Kind::usage) << text;
  }
  for (const char* text : {"scores[]", "scores[1,,2]", "scores[a,b,c]", "scores[1.0,2,4]", "scores[1 2,2,4]",
                           "scores[1,2,99999999999999999999]"}) {
    EXPECT_NE(message(text).message.find("is not a whole number"), std::string::npos) << text;
    EXPECT_EQ(message(text).kind, Error::Kind::usage) << text;
  }
  EXPECT_NE(message("scors[1,2,4]").message.find("did you mean scores"), std::string::npos);
  EXPECT_NE(message("[1,2,4]").message.find("it has x, x2"), std::string::npos);
  for (const char* text : {"scores[4,0,0]", "scores[0,6,0]", "scores[0,0,-1]", "scores[0,0]", "scores[0,0,0,0]",
                           "scores[9223372036854775807,0,0]"}) {
    const Error error = message(text);
    EXPECT_NE(error.message.find("head < 4, query < 6, key < 6"), std::string::npos) << error.message;
    EXPECT_EQ(error.kind, Error::Kind::failure) << text;
  }
}

}  // namespace
}  // namespace attnscope::test
