// Lazy matrices: every part at every level, compared with the resident matrix.
#include "core/trace/lazy_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/trace/run.h"
#include "made_tensors.h"
#include "support/sanitized.h"

namespace attnscope::test {
namespace {

constexpr float kNothing = 1e30F;

/// More tokens than an overview has texels: there are several levels.
std::shared_ptr<const Trace> trace_of(const char* mask, Index heads = 2) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["tokens"] = Index{2500};
  experiment.parameters["heads"] = heads;
  experiment.parameters["scale"] = std::string("sqrt_head_dim");
  experiment.parameters["temperature"] = 3.0;
  experiment.parameters["mask"] = *parse_mask(mask);
  return *run(experiment);
}

std::shared_ptr<const LazyTensors> lazy_without_large(const Trace& trace) {
  std::vector<std::shared_ptr<const Tensor>> held;
  for (const Step& step : trace.steps()) {
    const bool small = step.tensor->count() < 2500 * 100;
    held.push_back(small ? step.tensor : nullptr);
  }
  return std::make_shared<const LazyTensors>(trace.plan(), std::move(held), trace.experiment().seed);
}

MatrixPlace place_of(const Trace& trace, std::string_view name, Index head) {
  return {static_cast<int>(trace.find(name) - trace.steps().data()), {head}, 1};
}

std::shared_ptr<const ResidentMatrix> resident_of(const Trace& trace, const MatrixPlace& place, bool transposed) {
  const std::shared_ptr<const Tensor>& tensor = trace.steps()[static_cast<std::size_t>(place.step)].tensor;
  const MatrixView view = tensor->matrix(place.leading);
  return std::make_shared<ResidentMatrix>(tensor, transposed ? view.transposed() : view);
}

std::vector<float> texels_of(const MatrixSource& source, const MatrixPart& part) {
  std::vector<float> texels(static_cast<std::size_t>(part.rows * part.columns));
  EXPECT_TRUE(source.read(part, texels, {}));
  return texels;
}

MatrixPart random_part_at_level(std::mt19937& random, const MatrixSource& source, int level) {
  MatrixPart part = {level, level, 0, 0, 0, 0};
  const Index rows = texels_at(source.rows(), level);
  const Index columns = texels_at(source.columns(), level);
  part.first_row = random_index(random, 0, rows - 1);
  part.first_column = random_index(random, 0, columns - 1);
  part.rows = std::min<Index>(random_index(random, 1, 300), rows - part.first_row);
  part.columns = std::min<Index>(random_index(random, 1, 300), columns - part.first_column);
  return part;
}

/// The next number of the same sign or the same number: largest weights come from largest scores.
void expect_nearly(const std::vector<float>& actual, const std::vector<float>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    ASSERT_EQ(std::nextafter(actual[i], expected[i]), expected[i]) << what << " " << i;
  }
}

TEST(LazyMatrix, HasTheTexelsOfTheMatrixThatIsHeld) {
  std::mt19937 random(8);
  for (const char* mask : {"none", "causal", "window:300", "padding:2000"}) {
    if (kSanitized && std::string_view(mask) != "causal") continue;
    const auto trace = trace_of(mask);
    const auto lazy = lazy_without_large(*trace);
    for (const char* name : {"scores", "masked_scores", "weights"}) {
      if (trace->find(name) == nullptr) continue;
      const MatrixPlace place = place_of(*trace, name, 1);
      for (const bool transposed : {false, true}) {
        if (kSanitized && transposed != (std::string_view(name) == "weights")) continue;
        const LazyMatrix matrix(lazy, place, transposed);
        const auto held = resident_of(*trace, place, transposed);
        ASSERT_EQ(matrix.rows(), held->rows());
        for (const int level : {0, 1, 2, 3, 5}) {
          const MatrixPart part = random_part_at_level(random, matrix, level);
          const std::string what = std::string(name) + " " + mask + " level " + std::to_string(level);
          if (level < 2) {
            EXPECT_EQ(texels_of(matrix, part), texels_of(*held, part)) << what;
          } else {
            expect_nearly(texels_of(matrix, part), texels_of(*held, part), what);
          }
        }
      }
    }
  }
}

TEST(LazyMatrix, ASketchIsThereBeforeTheOverview) {
  const auto trace = trace_of("none");
  const auto lazy = lazy_without_large(*trace);
  for (const char* name : {"weights", "scores"}) {
    const LazyMatrix matrix(lazy, place_of(*trace, name, 0), false);
    const MatrixPart overview = overview_part(matrix, 256);
    std::vector<float> guess(static_cast<std::size_t>(overview.rows * overview.columns));
    EXPECT_FALSE(matrix.coarse(overview, guess));
    EXPECT_TRUE(matrix.needs_sketch());
    EXPECT_FALSE(matrix.ready(overview));
    EXPECT_EQ(matrix.progress(), 0);

    ASSERT_TRUE(matrix.sketch({}));
    EXPECT_FALSE(matrix.needs_sketch());
    ASSERT_TRUE(matrix.coarse(overview, guess));
    const std::uint64_t revision = matrix.revision();
    const std::vector<float> exact = texels_of(matrix, overview);
    EXPECT_GT(matrix.revision(), revision);
    EXPECT_TRUE(matrix.ready(overview));
    EXPECT_EQ(matrix.progress(), 1);
    // An estimate uses some of the cells: it never exceeds the maximum.
    for (std::size_t i = 0; i < guess.size() && name == std::string("weights"); ++i)
      ASSERT_LE(std::abs(guess[i]), std::abs(exact[i]) * 1.000001F) << name << " " << i;
    ASSERT_TRUE(matrix.coarse(overview, guess));
    EXPECT_EQ(guess, exact);

    // Later reads of the same part return at once.
    const LazyMatrix again(lazy, place_of(*trace, name, 0), false);
    EXPECT_TRUE(again.ready(overview));
    EXPECT_TRUE(same_numbers(again, matrix));
    EXPECT_FALSE(same_numbers(again, LazyMatrix(lazy, place_of(*trace, name, 1), false)));
    EXPECT_FALSE(same_numbers(again, LazyMatrix(lazy, place_of(*trace, name, 0), true)));
  }
}

TEST(LazyMatrix, StopsAndGoesOnWhereItStopped) {
  const auto trace = trace_of("none", 1);
  const LazyMatrix matrix(lazy_without_large(*trace), place_of(*trace, "weights", 0), false);
  const MatrixPart overview = overview_part(matrix, 256);
  std::vector<float> texels(static_cast<std::size_t>(overview.rows * overview.columns));
  StopSource stopped;
  stopped.request_stop();
  EXPECT_FALSE(matrix.read(overview, texels, stopped.token()));
  EXPECT_FALSE(matrix.sketch(stopped.token()));
  EXPECT_TRUE(matrix.needs_sketch());
  EXPECT_TRUE(matrix.read(overview, texels, {}));
}

TEST(LazyMatrix, AHotColumnIsNeverLost) {
  const auto trace = trace_of("none", 1);
  const auto keys = std::make_shared<Tensor>(*trace->find("k")->tensor);
  // One key that all queries match.
  for (Index dim = 0; dim < keys->size(-1); ++dim) keys->values()[static_cast<std::size_t>(1777 * 7 + dim)] = 90;
  std::vector<std::shared_ptr<const Tensor>> held;
  for (const Step& step : trace->steps()) {
    const bool is_k = step.name == "k";
    held.push_back(is_k ? keys : step.tensor->count() < 2500 * 100 ? step.tensor : nullptr);
  }
  const auto lazy = std::make_shared<const LazyTensors>(trace->plan(), std::move(held), 42);
  const LazyMatrix matrix(lazy, place_of(*trace, "weights", 0), false);
  for (int level = 0; level < 12; ++level) {
    const Index column = 1777 >> level;
    const MatrixPart part = {level, level, 0, column, texels_at(2500, level), 1};
    for (const float texel : texels_of(matrix, part)) ASSERT_GT(texel, 0.9F) << level;
  }
}

TEST(LazyMatrix, SomeRowsTellWhatIsUsual) {
  const auto trace = trace_of("none");
  const MatrixPlace place = place_of(*trace, "weights", 1);
  const LazyMatrix matrix(lazy_without_large(*trace), place, false);
  const auto held = resident_of(*trace, place, false);
  const auto rows = matrix.some_rows(kNothing);
  ASSERT_EQ(rows.size(), 8U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<float> row = texels_of(*held, {0, 0, static_cast<Index>(i) * 2500 / 8, 0, 1, 2500});
    EXPECT_EQ(rows[i].high, *std::max_element(row.begin(), row.end()));
    EXPECT_EQ(rows[i].low, 0);
  }
}

}  // namespace
}  // namespace attnscope::test
