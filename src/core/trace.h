// A finished computation: every tensor, with the operation that made it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/experiment.h"
#include "core/mask.h"
#include "core/tensor.h"

namespace attnscope {

/// Drawn from the seeded generator.
struct DrawOperation {
  enum class Distribution { uniform, normal };

  Distribution distribution = Distribution::uniform;
  double from = 0;  ///< uniform: [from, to)
  double to = 1;
  std::string range_text;            ///< uniform: "±1/√32"; empty: the numbers themselves
  std::uint64_t numbers_before = 0;  ///< how many numbers the seed gave before the first of this tensor
};

/// The same number everywhere, whatever the seed.
struct ConstantOperation {
  double value = 0;
};

/// Two operands whose axes, like those of the result, carry labels as in Einstein's notation. Inputs: a, b.
struct LabelledOperation {
  std::vector<std::string> labels;
  std::vector<Index> sizes;  ///< per label
  std::vector<int> a;        ///< label of each axis of the first operand
  std::vector<int> b;
  std::vector<int> out;
};

/// out[…] = Σ a[…] · b[…] / divisor, summed over the labels that the result lacks. With a bias (a third input, whose
/// axes are labelled `bias`) the sum starts from that instead of 0; there is no divisor then.
struct ContractOperation : LabelledOperation {
  double divisor = 1;
  std::string divisor_text;  ///< "√7"; empty: no divisor
  std::vector<int> bias;
};

/// out[…] = a[…] + b[…], or the hyperbolic tangent of that; operands are repeated along labels that they lack.
struct AddOperation : LabelledOperation {
  bool tanh = false;
};

/// Input / divisor.
struct ScaleOperation {
  double divisor = 1;
  std::string divisor_text;
};

/// (Input − mean) / √(variance + epsilon), both over the axes marked in `over`; the variance is the biased one.
struct NormalizeOperation {
  std::vector<bool> over;  ///< per axis
  double epsilon = 1e-5;
};

/// Mean over one axis, which the result lacks.
struct MeanOperation {
  int axis = 0;
};

/// Scores with the masked ones replaced by `fill`; axes […, query, key].
struct MaskOperation {
  std::shared_ptr<const MaskField> field;
  double fill = 0;
};

/// Softmax over the last axis of input / temperature. A row of nothing but −∞ becomes zeros.
struct SoftmaxOperation {
  double temperature = 1;
};

/// Input · keep / (1 − probability), keep drawn from attnscope's own stream.
struct DropoutOperation {
  double probability = 0;
  std::shared_ptr<const std::vector<bool>> keep;
};

/// The same numbers in other places: the axes of the input, each perhaps split into several labels, in another order
/// and perhaps merged again. A label that the result lacks stands still at one value: the result is a slice.
struct RearrangeOperation {
  std::vector<std::string> labels;
  std::vector<Index> sizes;           ///< per label
  std::vector<Index> at;              ///< per label: where it stands if the result lacks it
  std::vector<std::vector<int>> in;   ///< labels of each axis of the input, slowest first
  std::vector<std::vector<int>> out;  ///< labels of each axis of the result
};

using Operation =
    std::variant<DrawOperation, ConstantOperation, ContractOperation, AddOperation, ScaleOperation, NormalizeOperation,
                 MeanOperation, MaskOperation, SoftmaxOperation, DropoutOperation, RearrangeOperation>;

/// "draw", "contract", "mask", …: the operation's name in messages and JSON.
std::string operation_name(const Operation& operation);

/// One tensor of a trace and how it came about.
struct Step {
  std::string name;
  Operation operation;
  std::vector<int> inputs;  ///< positions of earlier steps
  std::string formula;      ///< with axis names for indices: "Σ_dim q[head, query, dim] · k[head, key, dim]"
  Axes axes;
  std::shared_ptr<const Tensor> tensor;
};

/// The recorded steps of one experiment, immutable.
class Trace {
 public:
  Trace(Experiment experiment, std::vector<Step> steps, std::vector<std::string> warnings, double compute_seconds);

  [[nodiscard]] const Experiment& experiment() const { return experiment_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  /// The step that made the tensor of that name, or nothing.
  [[nodiscard]] const Step* find(std::string_view name) const;
  /// The same, for a tensor that the system always makes.
  [[nodiscard]] const Tensor& tensor(std::string_view name) const;
  /// What the user should know about the numbers: rows without any key, dropout, values that are not finite.
  [[nodiscard]] std::span<const std::string> warnings() const { return warnings_; }
  [[nodiscard]] double compute_seconds() const { return compute_seconds_; }
  [[nodiscard]] Index number_count() const { return number_count_; }

 private:
  Experiment experiment_;
  std::vector<Step> steps_;
  std::vector<std::string> warnings_;
  double compute_seconds_ = 0;
  Index number_count_ = 0;
};

}  // namespace attnscope
