// What may be asked of views that cannot show a trace.
#include <gtest/gtest.h>

#include "core/plan/validate.h"
#include "support/imported_tensors.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// Tensors without an attention: a vector, and one whose axes are too many to be an attention's.
std::shared_ptr<const Trace> trace_without_attention() {
  const auto tensors =
      std::make_shared<MadeTensors>(std::vector<MadeTensors::Made>{{"bias", {7}}, {"other", {2, 2, 2, 3, 3}}});
  const Result<Experiment> experiment = experiment_on(tensors);
  EXPECT_TRUE(experiment) << experiment.error().message;
  return *run(*experiment);
}

TEST(MissingView, AnswersWhatIsAskedOfItsOptions) {
  const std::shared_ptr<const Trace> trace = trace_without_attention();
  int missing = 0;
  for (const View& view : views()) {
    const ViewOptions options = *view_options({view.name, {}});
    const bool is_missing = !missing_for(view, *trace).empty();
    missing += is_missing ? 1 : 0;
    for (const Parameter& option : view.options) {
      const bool applies = option_applies(view, *trace, options.values, option.name);
      EXPECT_FALSE(applies && is_missing) << view.name << " " << option.name;
    }
    EXPECT_GE(option_limit(view, *trace, "page", options.values), 1) << view.name;
    EXPECT_GE(option_limit(view, *trace, "moment", options.values), 0) << view.name;
    // They may be refused, but not end the program.
    static_cast<void>(check_options(view, *trace, options.values));
    const Figure figure = figure_for_file_of(*trace, view.name);
    EXPECT_EQ(figure.only_says_why, is_missing) << view.name;
    EXPECT_EQ(figure.sentence.empty(), is_missing) << view.name;
  }
  EXPECT_GT(missing, 10);
}

}  // namespace
}  // namespace attnscope::test
