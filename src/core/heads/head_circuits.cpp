#include "core/heads/head_circuits.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/heads/spectra.h"
#include "core/operations/add.h"
#include "core/operations/contract.h"
#include "core/operations/dropout.h"
#include "core/operations/import.h"
#include "core/operations/intervene.h"
#include "core/operations/mask.h"
#include "core/operations/normalize.h"
#include "core/operations/rearrange.h"
#include "core/operations/rearranged_index.h"

namespace attnscope {
namespace {

/// One number of a trace, by its position in the tensor.
struct Cell {
  int step = 0;
  Index offset = 0;
};

/// Traces a cell back through rearrangements, scalings and interventions to the step that computed its number.
Cell origin(const Trace& trace, Cell cell) {
  for (;;) {
    const Step& step = trace.step(cell.step);
    if (const auto* rearranged = as<RearrangeOperation>(step.operation)) {
      cell.offset = RearrangedIndex(*rearranged, step.axes).source(cell.offset);
    } else if (!is<ScaleOperation>(step.operation) && !is<DropoutOperation>(step.operation) &&
               !is<KeepHeadsOperation>(step.operation) && !is<InterveneOperation>(step.operation)) {
      return cell;
    }
    cell.step = step.inputs.front();
  }
}

/// The operation of a layer, i.e. a product with a tensor named "w_…"; otherwise null.
const ContractOperation* layer(const Trace& trace, int position) {
  const Step& step = trace.step(position);
  const auto* contract = as<ContractOperation>(step.operation);
  if (contract == nullptr) return nullptr;
  const std::string& factor = trace.step(step.inputs[1]).name;
  const std::size_t dot = factor.rfind('.');
  const std::string_view name = std::string_view(factor).substr(dot == std::string::npos ? 0 : dot + 1);
  return name.starts_with("w_") ? contract : nullptr;
}

bool has(const std::vector<int>& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The labels that a layer sums over; both factors have them.
std::vector<int> summed_labels(const ContractOperation& layer) {
  std::vector<int> labels;
  for (const int label : layer.b) {
    if (!has(layer.out, label)) labels.push_back(label);
  }
  return labels;
}

Index count_of(const ContractOperation& layer, const std::vector<int>& labels) {
  Index count = 1;
  for (const int label : labels) count *= layer.sizes[static_cast<std::size_t>(label)];
  return count;
}

/// Sets the values of `labels` for the combination number `at`; the last label varies fastest.
void set_values(const ContractOperation& layer, const std::vector<int>& labels, Index at, std::vector<Index>& values) {
  for (std::size_t i = labels.size(); i-- > 0;) {
    const auto label = static_cast<std::size_t>(labels[i]);
    values[label] = at % layer.sizes[label];
    at /= layer.sizes[label];
  }
}

/// Offset of the element with these label `values` in a tensor with axes `labels`.
Index offset_at(const ContractOperation& layer, const std::vector<int>& labels, const std::vector<Index>& values) {
  Index offset = 0;
  for (const int label : labels) {
    const auto at = static_cast<std::size_t>(label);
    offset = offset * layer.sizes[at] + values[at];
  }
  return offset;
}

/// The weight of each input feature in `cell`, which belongs to the result of a layer.
std::optional<std::vector<float>> factors_of(const Trace& trace, const Cell& cell) {
  const ContractOperation* const operation = layer(trace, cell.step);
  if (operation == nullptr) return std::nullopt;
  std::vector<Index> values(operation->sizes.size(), 0);
  set_values(*operation, operation->out, cell.offset, values);
  const std::vector<int> summed = summed_labels(*operation);
  const std::shared_ptr<const Tensor>& held = trace.step(trace.step(cell.step).inputs[1]).tensor;
  if (held == nullptr) return std::nullopt;
  const Tensor& weights = *held;
  std::vector<float> factors(static_cast<std::size_t>(count_of(*operation, summed)));
  for (std::size_t i = 0; i < factors.size(); ++i) {
    set_values(*operation, summed, static_cast<Index>(i), values);
    factors[i] = weights.values()[static_cast<std::size_t>(offset_at(*operation, operation->b, values))];
  }
  return factors;
}

/// Offset of the cell with this head and dim, and index 0 on all other axes.
Index offset_of(const Axes& axes, Index head, Index dim) {
  Index offset = 0;
  for (const Axis& axis : axes)
    offset = offset * axis.size + (axis.name == "head" ? head : axis.name == "dim" ? dim : 0);
  return offset;
}

/// [feature, dim]: the projection that computed the queries, keys or values at step `position`.
std::optional<Tensor> projection(const Trace& trace, int position, Index head) {
  const Axes& axes = trace.step(position).axes;
  const Axis* const dim = find_axis(axes, "dim");
  if (dim == nullptr) return std::nullopt;
  std::optional<Tensor> matrix;
  for (Index j = 0; j < dim->size; ++j) {
    const auto factors = factors_of(trace, origin(trace, {position, offset_of(axes, head, j)}));
    if (!factors) return std::nullopt;
    if (!matrix) matrix.emplace(Axes{{"feature", std::ssize(*factors)}, *dim});
    for (std::size_t i = 0; i < factors->size(); ++i)
      matrix->values()[i * static_cast<std::size_t>(dim->size) + static_cast<std::size_t>(j)] = (*factors)[i];
  }
  return matrix;
}

/// [feature, dim]: the projection `w_v` that a file has beside its values, which are those at step `position`.
std::optional<Tensor> imported_projection(const Trace& trace, int position, Index head) {
  const Step& values = trace.step(position);
  if (!is<ImportOperation>(values.operation)) return std::nullopt;
  const std::string prefix = values.name.substr(0, values.name.rfind('.') + 1);
  const Step* const weights = trace.find(prefix + "w_v");
  if (weights == nullptr || weights->tensor == nullptr) return std::nullopt;
  const Axis dim = *find_axis(values.axes, "dim");
  const Axis feature = *find_axis(weights->axes, "feature");
  Tensor matrix({feature, dim});
  std::vector<Index> at(weights->axes.size());
  for (Index row = 0; row < feature.size; ++row) {
    for (Index column = 0; column < dim.size; ++column) {
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const std::string& name = weights->axes[axis].name;
        at[axis] = name == "feature" ? row : name == "head" ? head : name == "dim" ? column : head * dim.size + column;
      }
      matrix.values()[static_cast<std::size_t>(row * dim.size + column)] = weights->tensor->at(at);
    }
  }
  return matrix;
}

/// The step that multiplies the weights at step `weights` by the values; −1: none.
int weighting_step(const Trace& trace, int weights) {
  for (int i = weights + 1; i < static_cast<int>(trace.steps().size()); ++i) {
    const Step& step = trace.step(i);
    const auto* contract = as<ContractOperation>(step.operation);
    // A product that keeps the key axis is not a weighted sum.
    if (contract == nullptr || has(contract->out, contract->a.back())) continue;
    if (origin(trace, {step.inputs[0], 0}).step == weights) return i;
  }
  return -1;
}

/// [dim, output feature]: the part of the output projection, after the head outputs at step `outputs`, for one head.
std::optional<Tensor> output_projection(const Trace& trace, int outputs, Index head) {
  const Axes& axes = trace.step(outputs).axes;
  const Axis* const dim = find_axis(axes, "dim");
  if (dim == nullptr) return std::nullopt;
  for (int i = outputs + 1; i < static_cast<int>(trace.steps().size()); ++i) {
    const ContractOperation* const operation = layer(trace, i);
    const Step& step = trace.step(i);
    if (operation == nullptr || origin(trace, {step.inputs[0], 0}).step != outputs) continue;
    const std::vector<int> summed = summed_labels(*operation);
    std::vector<int> features;
    for (const int label : operation->b) {
      if (has(operation->out, label)) features.push_back(label);
    }
    if (trace.step(step.inputs[1]).tensor == nullptr) return std::nullopt;
    const Tensor& weights = *trace.step(step.inputs[1]).tensor;
    const Index count = count_of(*operation, features);
    Tensor matrix({*dim, {"output feature", count}});
    std::vector<Index> values(operation->sizes.size(), 0);
    const Index first = offset_of(axes, head, 0);
    const Index apart = std::max<Index>(1, offset_of(axes, head, 1) - first);
    for (Index at = 0; at < count_of(*operation, summed); ++at) {
      set_values(*operation, summed, at, values);
      const Index from = origin(trace, {step.inputs[0], offset_at(*operation, operation->a, values)}).offset - first;
      // Belongs to another head.
      if (from < 0 || from % apart != 0 || from / apart >= dim->size) continue;
      for (Index feature = 0; feature < count; ++feature) {
        set_values(*operation, features, feature, values);
        matrix.values()[static_cast<std::size_t>(from / apart * count + feature)] =
            weights.values()[static_cast<std::size_t>(offset_at(*operation, operation->b, values))];
      }
    }
    return matrix;
  }
  return std::nullopt;
}

using Matrix = Eigen::MatrixXd;

Matrix matrix_of(const Tensor& tensor) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(tensor.values().data(), tensor.size(0), tensor.size(1)).cast<double>();
}

/// A matrix [feature, dim], and its transpose times it.
struct WithSquare {
  explicit WithSquare(Matrix of) : matrix(std::move(of)) {
    Matrix half = Matrix::Zero(matrix.cols(), matrix.cols());
    half.selfadjointView<Eigen::Lower>().rankUpdate(matrix.transpose());
    square = half.selfadjointView<Eigen::Lower>();
  }

  Matrix matrix;
  Matrix square;
};

/// ‖a · cᵀ‖².
double squared_norm(const WithSquare& a, const WithSquare& c) { return a.square.cwiseProduct(c.square).sum(); }

/// ‖a · b · cᵀ‖².
double squared_norm(const WithSquare& a, const Matrix& b, const WithSquare& c) {
  return (a.square * b).cwiseProduct(b * c.square).sum();
}

}  // namespace

std::optional<HeadCircuit> head_circuit(const Trace& trace, int weights, Index head) {
  const int outputs = weighting_step(trace, weights);
  if (outputs < 0) return std::nullopt;
  const int values = trace.step(outputs).inputs[1];
  std::optional<Tensor> w_v = projection(trace, values, head);
  if (!w_v) w_v = imported_projection(trace, values, head);
  std::optional<Tensor> w_o = output_projection(trace, outputs, head);
  if (!w_v || !w_o) return std::nullopt;
  HeadCircuit circuit = {std::nullopt, std::nullopt, std::move(*w_v), std::move(*w_o)};
  if (const int scores = product_before(trace, weights); scores >= 0) {
    circuit.w_q = projection(trace, trace.step(scores).inputs[0], head);
    circuit.w_k = projection(trace, trace.step(scores).inputs[1], head);
  }
  return circuit;
}

int product_before(const Trace& trace, int weights) {
  int step = weights;
  do {
    if (trace.step(step).inputs.empty()) return -1;
    step = trace.step(step).inputs.front();
  } while (is<MaskOperation>(trace.step(step).operation) || is<AddOperation>(trace.step(step).operation));
  const Step& product = trace.step(step);
  return is<ContractOperation>(product.operation) && product.inputs.size() == 2 ? step : -1;
}

std::optional<double> copying(const HeadCircuit& head) {
  if (head.w_v.size(0) != head.w_o.size(1) || head.w_o.size(0) > kMaxForEigenvalues) return std::nullopt;
  const Matrix small = matrix_of(head.w_o) * matrix_of(head.w_v);
  if (!small.allFinite()) return std::nullopt;
  const double all = sum_of_eigenvalue_magnitudes({small.data(), static_cast<std::size_t>(small.size())}, small.rows());
  return all > 0 ? std::optional(small.trace() / all) : std::nullopt;
}

struct ComposedCircuit::Matrices {
  std::optional<WithSquare> q;
  std::optional<WithSquare> k;
  WithSquare v;
  WithSquare o;  ///< w_oᵀ, [output feature, dim]
};

ComposedCircuit::ComposedCircuit(const HeadCircuit& circuit) {
  const auto prepared = [](const std::optional<Tensor>& matrix) {
    return matrix ? std::optional<WithSquare>(matrix_of(*matrix)) : std::nullopt;
  };
  matrices_ = std::make_shared<const Matrices>(Matrices{prepared(circuit.w_q), prepared(circuit.w_k),
                                                        WithSquare(matrix_of(circuit.w_v)),
                                                        WithSquare(matrix_of(circuit.w_o).transpose())});
}

std::optional<double> ComposedCircuit::with(const ComposedCircuit& earlier, Composition through) const {
  const Matrices& later = *matrices_;
  if (through != Composition::value && (!later.q || !later.k)) return std::nullopt;
  // M = read · otherᵀ.
  const WithSquare& read = through == Composition::query ? *later.q : through == Composition::key ? *later.k : later.v;
  const WithSquare& other = through == Composition::query ? *later.k : through == Composition::key ? *later.q : later.o;
  const WithSquare& v = earlier.matrices_->v;
  const WithSquare& o = earlier.matrices_->o;
  if (o.matrix.rows() != read.matrix.rows() || read.matrix.cols() != other.matrix.cols()) return std::nullopt;
  const double written = squared_norm(v, o);
  const double reads = squared_norm(read, other);
  const double both = squared_norm(v, o.matrix.transpose() * read.matrix, other);
  if (!(written > 0) || !(reads > 0) || !std::isfinite(both)) return std::nullopt;
  return std::sqrt(std::max(0.0, both) / (written * reads));
}

}  // namespace attnscope
