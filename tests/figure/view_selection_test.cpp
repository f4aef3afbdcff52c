#include "figure/views/view_selection.h"

#include <gtest/gtest.h>

#include "traces.h"

namespace attnscope::test {
namespace {

ParameterValues options_of(const std::string& view) { return view_options({view, {}})->values; }

TEST(ViewSelection, ViewsOfOneHeadShowTheHeadThatAKeyAsksFor) {
  const std::shared_ptr<const Trace> trace = trace_with({{"heads", "3"}});
  const View& head = *find_view("head");
  EXPECT_EQ(selected_head(head, *trace, {{"head", Index{2}}}), 1);
  EXPECT_EQ(show_head(head, *trace, options_of("head"), 2), ClickIntent(SetOptions{{{"head", Index{3}}}}));
  EXPECT_EQ(show_head(head, *trace, options_of("head"), 3), ClickIntent()) << "the trace has three heads";
  EXPECT_EQ(selected_head(*find_view("heads"), *trace, options_of("heads")), std::nullopt);
  EXPECT_EQ(show_head(*find_view("heads"), *trace, options_of("heads"), 0), ClickIntent());
}

TEST(ViewSelection, AViewOfAPairTakesTheOptionsThatDifferFromAPinnedCell) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const std::vector<Index> index = {0, 2, 4};
  const ParameterValues now = options_of("dot");
  const SetOptions pair = show_pair(*find_view("dot"), *trace->find("weights"), index, now);
  EXPECT_EQ(pair, (SetOptions{{{"query", Index{3}}, {"key", Index{5}}}})) << "head 1 is shown anyway";
  const SetOptions cross = show_pair(*find_view("dot"), *trace->find("cross_weights"), index, now);
  EXPECT_EQ(cross.values.at("attention"), ParameterValue(std::string("cross")));
  EXPECT_EQ(show_pair(*find_view("dot"), *trace->find("q"), index, now), SetOptions()) << "no pair";
  EXPECT_EQ(show_pair(*find_view("head"), *trace->find("weights"), index, options_of("head")), SetOptions());
}

TEST(ViewSelection, BaselineAndOrderBelongToTheViewsThatSaySo) {
  ViewChoice choice = {baseline_view().name, {}};
  EXPECT_FALSE(shows_baseline(choice)) << "not before it is asked to";
  choice.options = baseline_view().with_baseline;
  EXPECT_TRUE(shows_baseline(choice));
  EXPECT_TRUE(view_options(choice)) << "options that the view has";
  EXPECT_FALSE(shows_baseline({"heads", {}}));
  EXPECT_FALSE(shows_baseline({"no such view", {}}));
  const Parameter* order = find_parameter(token_order_view().options, token_order_view().token_order);
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->kind, Parameter::Kind::order);
}

}  // namespace
}  // namespace attnscope::test
