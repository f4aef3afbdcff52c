#include "core/residual/token_circuits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/operations/ops.h"
#include "core/operations/rotary.h"
#include "core/residual/embeddings.h"
#include "core/residual/head_writing.h"
#include "core/trace/lazy_matrix.h"

namespace attnscope {
namespace {

constexpr int kProduct = 2;  // the step after both factors
constexpr Index kCircuitCellsAtOnce = Index{1} << 23U;
constexpr Index kHeldCells = Index{1} << 22U;  // 16 MB

/// One row [dim] for each token of the vocabulary.
struct Factor {
  Index dim = 0;
  std::vector<float> numbers;
  bool fixed_norm = false;  ///< see TokenCircuit
};

/// Adds the numbers that are made of each of `rows`; stops between them.
void add_rows(const LayerNumbers& made, std::span<const float> rows, Factor& factor, const StopToken& stop) {
  std::vector<double> numbers(made.constants.size());
  const std::size_t features = made.factors.size() / numbers.size();
  for (std::size_t at = 0; at < rows.size() && !stop.stop_requested(); at += features) {
    made.of(rows.subspan(at, features), numbers);
    for (const double number : numbers) factor.numbers.push_back(static_cast<float>(number));
  }
}

/// The numbers of a box of queries, keys or values, if it were made from each token's embedding; [token, dim].
Result<Factor> factor_of(const Trace& trace, const Embeddings& embeddings, const Region& box, double divisor,
                         const StopToken& stop) {
  const Index dim = element_count(region_axes(trace.step(box.step).axes, box));
  std::vector<std::vector<double>> each(static_cast<std::size_t>(dim),
                                        std::vector<double>(static_cast<std::size_t>(dim)));
  for (std::size_t i = 0; i < each.size(); ++i) each[i][i] = 1 / divisor;
  const Result<LayerNumbers> made = layer_numbers(trace, box, each);
  if (!made) return tl::unexpected(made.error());
  if (std::ssize(made->factors) != embeddings.features() * dim)
    return fail("The keys are not made from the embeddings of tokens.");
  Factor factor = {dim, {}, made->fixed_norm};
  factor.numbers.reserve(static_cast<std::size_t>(embeddings.tokens() * dim));
  const Result<void> read =
      embeddings.read(stop, [&](Index /*first*/, std::span<const float> rows) { add_rows(*made, rows, factor, stop); });
  if (!read) return tl::unexpected(read.error());
  if (stop.stop_requested()) return fail("stopped before it was done");
  return factor;
}

std::shared_ptr<const Tensor> tensor_of(const Axes& axes, const std::vector<float>& numbers) {
  auto tensor = std::make_shared<Tensor>(axes);
  std::ranges::copy(numbers, tensor->values().begin());
  return tensor;
}

TokenCircuit circuit_of(const Factor& rows, const Factor& columns) {
  const Index tokens = std::ssize(rows.numbers) / rows.dim;
  const Axes row_axes = {{"row", tokens}, {"dim", rows.dim}};
  const Axes column_axes = {{"column", std::ssize(columns.numbers) / columns.dim}, {"dim", columns.dim}};
  PlanBuilder builder;
  const Value a = set_by_hand(builder, "rows", row_axes, {});
  const Value b = set_by_hand(builder, "columns", column_axes, {});
  contract(builder, "circuit", "row dim, column dim -> row column", a, b);
  std::vector<std::shared_ptr<const Tensor>> held = {tensor_of(row_axes, rows.numbers),
                                                     tensor_of(column_axes, columns.numbers), nullptr};
  TokenCircuit circuit;
  circuit.product =
      std::make_shared<const LazyTensors>(std::make_shared<const Plan>(builder.take_plan()), std::move(held), 0);
  circuit.tokens = tokens;
  if (const Index width = column_axes[0].size; tokens <= kHeldCells / width) {
    const auto all = circuit.product->numbers({kProduct, {0, 0}, {tokens, width}}, {0, nullptr, {}});
    circuit.matrix =
        std::make_shared<const ResidentMatrix>(all, MatrixView{all->values().data(), tokens, width, width, 1});
  } else {
    circuit.matrix = std::make_shared<const LazyMatrix>(circuit.product, MatrixPlace{kProduct, {}, 1}, false);
  }
  circuit.fixed_norm = rows.fixed_norm || columns.fixed_norm;
  return circuit;
}

/// Keeps the extremes of the pairs it is given, in order.
class ExtremePairs {
 public:
  explicit ExtremePairs(std::size_t count) : count_(count) {}

  void add_row(Index row, std::span<const float> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const float number = numbers[i];
      if (number > least_of_largest_) insert(pairs_.largest, {row, static_cast<Index>(i), number}, std::greater<>());
      if (number < most_of_smallest_) insert(pairs_.smallest, {row, static_cast<Index>(i), number}, std::less<>());
    }
  }

  [[nodiscard]] TokenPairs take() { return std::move(pairs_); }

 private:
  template <typename Before>
  void insert(std::vector<TokenPair>& list, const TokenPair& pair, const Before& before) {
    if (!std::isfinite(pair.value)) return;
    list.insert(std::ranges::upper_bound(list, pair.value, before, &TokenPair::value), pair);
    if (list.size() > count_) list.pop_back();
    if (list.size() < count_) return;
    (&list == &pairs_.largest ? least_of_largest_ : most_of_smallest_) = list.back().value;
  }

  std::size_t count_;
  float least_of_largest_ = -std::numeric_limits<float>::infinity();
  float most_of_smallest_ = std::numeric_limits<float>::infinity();
  TokenPairs pairs_;
};

}  // namespace

bool turns_queries_and_keys(const Trace& trace) {
  return std::ranges::any_of(trace.steps(), [](const Step& step) { return is<RotaryOperation>(step.operation); });
}

Result<TokenCircuit> query_key_circuit(const Trace& trace, const ScoreChoice& choice, const StopToken& stop) {
  const Result<Embeddings> embeddings = embeddings_of_keys(trace, choice.weights);
  if (!embeddings) return tl::unexpected(embeddings.error());
  const auto side = [&](ScoreSide which) -> Result<Factor> {
    ScoreChoice of_side = choice;
    of_side.side = which;
    const Result<ScoreDirection> score = score_direction(trace, of_side);
    if (!score) return tl::unexpected(score.error());
    const double divisor = which == ScoreSide::query ? score->divisor : 1;
    return factor_of(trace, *embeddings, score->box, divisor, stop);
  };
  const Result<Factor> queries = side(ScoreSide::query);
  if (!queries) return tl::unexpected(queries.error());
  const Result<Factor> keys = side(ScoreSide::key);
  if (!keys) return tl::unexpected(keys.error());
  return circuit_of(*queries, *keys);
}

Result<TokenCircuit> output_value_circuit(const Trace& trace, const ScoreChoice& choice, const StopToken& stop) {
  const Result<Embeddings> embeddings = embeddings_of_keys(trace, choice.weights);
  if (!embeddings) return tl::unexpected(embeddings.error());
  const Result<HeadWriting> writing = HeadWriting::of(trace, choice);
  if (!writing) return tl::unexpected(writing.error());
  const Result<Factor> values = factor_of(trace, *embeddings, writing->value_at(choice.key), 1, stop);
  if (!values) return tl::unexpected(values.error());
  const auto dim = static_cast<std::size_t>(values->dim);
  // What each number of the value adds to the state: [feature, dim].
  LayerNumbers logits;
  logits.constants.resize(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    std::vector<float> value(dim);
    value[i] = 1;
    const std::vector<double> state = writing->state(value);
    logits.factors.resize(state.size() * dim);
    for (std::size_t feature = 0; feature < state.size(); ++feature)
      logits.factors[feature * dim + i] = state[feature] / writing->divisor();
  }
  Factor written = {values->dim, {}, false};
  const Result<void> read = writing->read_logits(
      stop, [&](Index /*first*/, std::span<const float> rows) { add_rows(logits, rows, written, stop); });
  if (!read) return tl::unexpected(read.error());
  if (stop.stop_requested()) return fail("stopped before it was done");
  return circuit_of(*values, written);
}

Result<TokenPairs> extreme_pairs(const TokenCircuit& circuit, std::size_t count, const StopToken& stop,
                                 const std::function<void(double share)>& progress) {
  ExtremePairs extremes(count);
  const Index columns = circuit.matrix->columns();
  const Index at_once = std::max<Index>(1, kCircuitCellsAtOnce / columns);
  for (Index first = 0; first < circuit.matrix->rows(); first += at_once) {
    const Index end = std::min(first + at_once, circuit.matrix->rows());
    const auto rows = circuit.product->numbers({kProduct, {first, 0}, {end, columns}}, {0, nullptr, stop});
    if (stop.stop_requested()) return fail("stopped before it was done");
    for (Index row = first; row < end; ++row)
      extremes.add_row(row, rows->values().subspan(static_cast<std::size_t>((row - first) * columns),
                                                   static_cast<std::size_t>(columns)));
    if (progress) progress(static_cast<double>(end) / static_cast<double>(circuit.matrix->rows()));
  }
  return extremes.take();
}

}  // namespace attnscope
