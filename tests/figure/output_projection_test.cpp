// Views of attention whose output projection was imported.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "figure/style/markup.h"
#include "support/imported_tensors.h"
#include "traces.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Trace> projected_trace(const MadeTensors::Made& output) {
  return *run(*experiment_on(made({{"q", {3, 2, 4}}, {"k", {3, 6, 4}}, {"v", {3, 6, 4}}, output, {"b_o", {5}}})));
}

TEST(ImportedOutputViews, FlowEndsWithTheOutput) {
  for (const MadeTensors::Made& output :
       {MadeTensors::Made{"w_o", {12, 5}}, MadeTensors::Made{"o_proj.weight", {5, 12}},
        MadeTensors::Made{"W_O", {3, 4, 5}}}) {
    const auto trace = projected_trace(output);
    const Figure figure = figure_of(*trace, "flow");
    const auto shows = [&](const char* tensor) {
      return std::ranges::any_of(figure.heatmaps, [&](const HeatmapMark& mark) {
        return trace->steps()[static_cast<std::size_t>(mark.step)].name == tensor;
      });
    };
    EXPECT_TRUE(shows("merged")) << output.name;
    EXPECT_TRUE(shows("out")) << output.name;
    const bool transposed = output.name == "o_proj.weight";
    EXPECT_TRUE(std::ranges::any_of(figure.texts, [&](const TextMark& text) {
      return plain_text(text.markup) == (transposed ? "= heads WOT + bO" : "= heads WO + bO");
    })) << output.name;
  }
}

TEST(ImportedOutputViews, HeadsCanBeSwitchedOff) {
  const auto switches = [](const Trace& trace) {
    const Figure figure = figure_of(trace, "heads");
    return std::ranges::count_if(figure.targets,
                                 [](const TargetMark& target) { return target.id.ends_with(".switch"); });
  };
  EXPECT_EQ(switches(*projected_trace({"w_o", {12, 5}})), 3);
  EXPECT_EQ(switches(*projected_trace({"w_o", {11, 5}})), 0);
}

}  // namespace
}  // namespace attnscope::test
