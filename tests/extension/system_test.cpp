// A system in one file: it is listed, has sliders, is validated, computed, explained, shown and written as PyTorch.
#include "core/experiment/system.h"

#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "core/operations/ops.h"
#include "core/plan/validate.h"
#include "core/script/script.h"
#include "core/trace/run.h"
#include "figure/views/view.h"

namespace attnscope {
namespace {

MaskSizes mask_sizes(const Experiment& e) { return {1, 1, e.integer("tokens"), e.integer("tokens")}; }

void run_system(const Experiment& e, PlanBuilder& plan) {
  const Axis dim = {"dim", 2};
  const Value q = draw_normal(plan, "q", {{"query", e.integer("tokens")}, dim});
  const Value k = draw_normal(plan, "k", {{"key", e.integer("tokens")}, dim});
  const Value scores = contract(plan, "scores", "query dim, key dim -> query key", q, k);
  softmax(plan, "weights", scores, e.real("temperature"));
}

void write_script(Script& s) {
  s.code(R"(
q = torch.randn(tokens, 2)
k = torch.randn(tokens, 2)
)");
  s.edits();
  s.code(R"(
scores = q @ k.T
weights = torch.softmax(scores / temperature, dim=-1)
)");
}

}  // namespace

System dummy_system() {
  System system;
  system.name = "dummy-system";
  system.title = "Dummy";
  system.summary = "Queries and keys drawn at random, and the weights between them.";
  system.source = "a test";
  system.parameters = {integer_parameter("tokens", "Tokens", "How many there are.", 3, 1, 8)};
  system.mask_sizes = mask_sizes;
  system.run = run_system;
  system.script = write_script;
  return system;
}

namespace test {
namespace {

TEST(DummySystem, IsListedWithItsParametersAndThoseOfAllSystems) {
  const System* system = find_system("dummy-system");
  ASSERT_NE(system, nullptr);
  EXPECT_EQ(system, &systems().back());
  EXPECT_NE(find_parameter(system->parameters, "tokens"), nullptr);
  EXPECT_NE(find_parameter(system->parameters, "temperature"), nullptr);
  Experiment experiment = *default_experiment("dummy-system");
  EXPECT_FALSE(set_parameter_text(experiment, "tokens", "0"));
}

TEST(DummySystem, IsComputedExplainedAndShown) {
  Experiment experiment = *default_experiment("dummy-system");
  ASSERT_TRUE(set_parameter_text(experiment, "tokens", "4"));
  ASSERT_TRUE(validate(experiment));
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const Step& weights = *trace->find("weights");
  const MatrixView matrix = weights.tensor->matrix({});
  ASSERT_EQ(matrix.rows, 4);
  for (Index row = 0; row < 4; ++row) {
    double sum = 0;
    for (Index column = 0; column < 4; ++column) sum += static_cast<double>(matrix.at(row, column));
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const std::vector<Index> cell = {1, 2};
  const Explanation explanation = explain(*trace, static_cast<int>(&weights - trace->steps().data()), cell);
  EXPECT_EQ(explanation.value, static_cast<double>(matrix.at(1, 2)));
  const Figure figure = build_view("head", *trace, *view_options({"head", {}}));
  EXPECT_EQ(figure.heatmaps.front().rows(), 4);
}

TEST(DummySystem, IsWrittenAsPyTorch) {
  const std::string script = pytorch_script(*default_experiment("dummy-system"));
  EXPECT_NE(script.find("tokens = 3"), std::string::npos) << script;
  EXPECT_NE(script.find("weights = torch.softmax(scores / temperature, dim=-1)"), std::string::npos) << script;
}

}  // namespace
}  // namespace test
}  // namespace attnscope
