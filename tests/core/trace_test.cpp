// A trace for another view or other labels shares the numbers without examining them again.
#include "core/trace/trace.h"

#include <gtest/gtest.h>

#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"

namespace attnscope::test {
namespace {

TEST(TraceForExperiment, LooksAtNothingAgain) {
  // Resident weights, and lazy ones.
  for (const std::vector<Index>& shape : {std::vector<Index>{4, 8, 8}, std::vector<Index>{2, 9000, 9000}}) {
    const auto tensors = made({{"attentions", shape}});
    const auto trace = *run(*experiment_on(tensors));
    ASSERT_FALSE(trace->warnings().empty()) << "these numbers are no weights";
    EXPECT_EQ(trace->lazy() == nullptr, shape.back() < 9000);
    const Index read = tensors->numbers_read;
    Experiment labelled = trace->experiment();
    labelled.labels.assign(static_cast<std::size_t>(shape.back()), "a");
    labelled.view = {"lines", {}};
    const auto other = trace->for_experiment(labelled);
    EXPECT_EQ(other->experiment(), labelled);
    EXPECT_EQ(tensors->numbers_read, read) << "of the file";
    EXPECT_EQ(other->lazy(), trace->lazy()) << "with all that it has found out";
    EXPECT_EQ(other->plan(), trace->plan());
    ASSERT_EQ(other->warnings().size(), trace->warnings().size());
    EXPECT_TRUE(std::equal(other->warnings().begin(), other->warnings().end(), trace->warnings().begin()));
    ASSERT_EQ(other->steps().size(), trace->steps().size());
    EXPECT_EQ(other->steps()[0].tensor, trace->steps()[0].tensor);
    EXPECT_EQ(other->compute_seconds(), trace->compute_seconds());
  }
}

}  // namespace
}  // namespace attnscope::test
