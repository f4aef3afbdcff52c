// From an experiment to its trace, beside what Eigen and the standard library need for the same work in the same run.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <set>

#include "core/operations/contract.h"
#include "core/operations/draw.h"
#include "core/operations/softmax.h"
#include "core/plan/plan.h"
#include "core/trace/run.h"
#include "figure/views/view.h"

namespace attnscope::test {
namespace {

using Clock = std::chrono::steady_clock;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Experiment default_size() { return *default_experiment("worked-example"); }

Experiment large() {
  Experiment experiment = default_size();
  experiment.parameters["tokens"] = Index{16};
  experiment.parameters["features"] = Index{32};
  experiment.parameters["heads"] = Index{8};
  experiment.parameters["head_dim"] = Index{32};
  return experiment;
}

/// A batch of matrix products: rows × inner by inner × columns.
struct Products {
  Index batch = 1;
  Index rows = 1;
  Index inner = 1;
  Index columns = 1;
};

Products products_of(const ContractOperation& contract) {
  const auto has = [](const std::vector<int>& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  Products products;
  for (int label = 0; label < static_cast<int>(contract.labels.size()); ++label) {
    const Index size = contract.sizes[static_cast<std::size_t>(label)];
    const bool in_a = has(contract.a, label);
    const bool in_b = has(contract.b, label);
    const bool in_out = has(contract.out, label);
    (in_a && in_b && in_out ? products.batch
     : in_a && in_b         ? products.inner
     : in_a                 ? products.rows
                            : products.columns) *= size;
  }
  return products;
}

/// The same work by others: numbers from std::mt19937, products and exponentials by Eigen, into memory that is there.
class Peer {
 public:
  explicit Peer(const Trace& trace) : trace_(trace) {
    for (const Step& step : trace.steps()) results_.emplace_back(static_cast<std::size_t>(step.tensor->count()));
  }

  void run() {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const Step& step = trace_.steps()[i];
      std::vector<float>& out = results_[i];
      if (is<DrawOperation>(step.operation)) {
        for (float& value : out) value = static_cast<float>(generator_() >> 8U) * 0x1p-24F;
      } else if (const auto* contract = as<ContractOperation>(step.operation)) {
        multiply(products_of(*contract), *trace_.steps()[static_cast<std::size_t>(step.inputs[0])].tensor,
                 *trace_.steps()[static_cast<std::size_t>(step.inputs[1])].tensor, out);
      } else if (is<SoftmaxOperation>(step.operation)) {
        const Tensor& in = *trace_.steps()[static_cast<std::size_t>(step.inputs[0])].tensor;
        const Index columns = in.size(-1);
        const Eigen::Map<const Matrix> logits(in.values().data(), in.count() / columns, columns);
        Eigen::Map<Matrix> weights(out.data(), in.count() / columns, columns);
        weights = (logits.colwise() - logits.rowwise().maxCoeff()).array().exp();
        weights.array().colwise() /= weights.rowwise().sum().array().eval();
      } else {
        const std::span<const float> in = trace_.steps()[static_cast<std::size_t>(step.inputs[0])].tensor->values();
        std::copy_n(in.begin(), std::min(in.size(), out.size()), out.begin());
      }
    }
    benchmark::ClobberMemory();
  }

  /// The shortest of many runs.
  double seconds() {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 200; ++i) {
      const auto start = Clock::now();
      run();
      best = std::min(best, seconds_since(start));
    }
    return best;
  }

 private:
  static void multiply(const Products& p, const Tensor& a, const Tensor& b, std::vector<float>& out) {
    for (Index i = 0; i < p.batch; ++i) {
      const Eigen::Map<const Matrix> left(a.values().data() + i * p.rows * p.inner, p.rows, p.inner);
      const Eigen::Map<const Matrix> right(b.values().data() + i * p.inner * p.columns, p.inner, p.columns);
      Eigen::Map<Matrix>(out.data() + i * p.rows * p.columns, p.rows, p.columns).noalias() = left * right;
    }
  }

  const Trace& trace_;
  std::vector<std::vector<float>> results_;
  std::mt19937 generator_{42};
};

/// How many multiplications and additions a second one core does in a large product.
double largest_flops() {
  const Matrix a = Matrix::Random(384, 384);
  const Matrix b = Matrix::Random(384, 384);
  Matrix c(384, 384);
  double best = 0;
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    c.noalias() = a * b;
    benchmark::DoNotOptimize(c.data());
    best = std::max(best, 2.0 * 384 * 384 * 384 / seconds_since(start));
  }
  return best;
}

void update(benchmark::State& state, const Experiment& experiment) {
  const auto trace = *run(experiment);
  const double peer = Peer(*trace).seconds();
  double best = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const auto start = Clock::now();
    benchmark::DoNotOptimize(run(experiment));
    best = std::min(best, seconds_since(start));
  }
  const Cost cost = cost_of(experiment);
  state.SetItemsProcessed(state.iterations() * cost.numbers);
  state.counters["flops"] = benchmark::Counter(cost.flops, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_largest_flops"] = cost.flops / best / largest_flops();
  state.counters["times_eigen"] = best / peer;
  state.counters["tensors"] = static_cast<double>(cost.tensors);
}
BENCHMARK_CAPTURE(update, default_size, default_size())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update, large, large())->Unit(benchmark::kMicrosecond);

void build(benchmark::State& state, const std::string& name, const Experiment& experiment) {
  const auto trace = *run(experiment);
  ViewOptions options = *view_options({name, {}});
  options.width = 788;
  options.height = 620;
  std::size_t marks = 0;
  for (auto _ : state) {
    const Figure figure = build_view(name, *trace, options);
    marks = figure.heatmaps.size() + figure.texts.size() + figure.lines.size() + figure.color_bars.size();
    double width = figure.width;
    benchmark::DoNotOptimize(width);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(marks));
  state.counters["marks"] = static_cast<double>(marks);
}

[[maybe_unused]] const bool registered = [] {
  for (const View& view : views()) {
    benchmark::RegisterBenchmark(("build/" + view.name + "/default_size").c_str(), build, view.name, default_size())
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("build/" + view.name + "/large").c_str(), build, view.name, large())
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace attnscope::test
