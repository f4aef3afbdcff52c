// Operations whose axes carry labels, as in Einstein's notation: what contractions and sums share.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// Two operands whose axes, like those of the result, carry labels. Inputs: a, b.
struct EinsumOperation {
  std::vector<std::string> labels;
  std::vector<Index> sizes;  ///< per label
  std::vector<int> a;        ///< label of each axis of the first operand
  std::vector<int> b;
  std::vector<int> out;

  friend bool operator==(const EinsumOperation&, const EinsumOperation&) = default;
};

/// Whether both are the same but for the sizes.
bool same_labels(const EinsumOperation& a, const EinsumOperation& b);
/// The operation that `pattern` ("head query dim, head key dim -> head query key") makes of operands with these axes.
EinsumOperation einsum_operation(std::string_view pattern, const Axes& a, const Axes& b);
/// The labels of `text`, all of which the operation has.
std::vector<int> known_labels(const EinsumOperation& operation, std::string_view text);
/// Axes that are named after the labels of the result.
Axes result_axes(const EinsumOperation& operation);
/// The position of `label` among the `labels`; a new label is added with its size.
int label_position(std::vector<std::string>& labels, std::vector<Index>& sizes, std::string_view label, Index size);

/// Whether the label is summed over: the result lacks it.
bool is_summed(const EinsumOperation& operation, int label);

/// The box of an input whose axes have those labels: labels of the result take the region's range, summed ones run over
/// everything.
Region einsum_region(const EinsumOperation& operation, int input_step, const std::vector<int>& labels,
                     const Region& region);

/// The operation for boxes of its operands.
template <typename Einsum>
Einsum with_sizes_of(Einsum operation, std::span<const Region> sources) {
  const auto take = [&](const std::vector<int>& labels, const Region& box) {
    for (std::size_t i = 0; i < labels.size(); ++i) operation.sizes[static_cast<std::size_t>(labels[i])] = box.size(i);
  };
  take(operation.a, sources[0]);
  take(operation.b, sources[1]);
  return operation;
}

/// Numbers that are `step` elements apart; 0 repeats the same one.
struct Strided {
  const float* first = nullptr;
  Index step = 0;
  float operator[](Index i) const { return first[i * step]; }
};

void copy_run(const Strided& from, Index length, float* to);

/// The elements of the result along its last axis.
inline Index run_length(const Tensor& out) { return out.rank() == 0 ? 1 : out.size(-1); }

/// An operand that is repeated along the labels of the result that it lacks.
class Repeated {
 public:
  Repeated(const EinsumOperation& operation, const Tensor& tensor, const std::vector<int>& labels);

  /// The numbers for run `run` of the result, whose runs lie along its last axis.
  [[nodiscard]] Strided along(const Axes& out, Index run) const;

 private:
  const float* values_;
  std::vector<Index> strides_;
};

/// Calls `visit(run)` for `runs` runs of `length` elements each, in any order and on several threads. Skips runs once
/// the context asks to stop.
template <typename Visit>
void share_out(const StepContext& context, Index runs, Index length, const Visit& visit) {
  // About how many elements are one piece of work for a thread.
  constexpr Index kAtOnce = Index{1} << 14;
  const Index together = std::max<Index>(1, kAtOnce / std::max<Index>(1, length));
  const auto work = static_cast<double>(runs) * static_cast<double>(length);
  run_blocks(context.pool, work, (runs + together - 1) / together, [&](Index block) {
    if (context.stop.stop_requested()) return;
    const Index end = std::min(runs, (block + 1) * together);
    for (Index run = block * together; run < end; ++run) visit(run);
  });
}

/// Values of an operation's labels in an explanation: those of the result are known, the summed ones run.
class LabelValues {
 public:
  LabelValues(const EinsumOperation& operation, std::span<const Index> index);

  /// The next combination of the summed labels; false after the last one.
  bool advance();
  [[nodiscard]] std::vector<Index> index(const std::vector<int>& axes) const;
  /// "[1, 2, dim]": numbers where known, names where summed over.
  [[nodiscard]] std::string text(const std::vector<int>& axes) const;
  [[nodiscard]] std::vector<std::string> summed() const;

 private:
  const EinsumOperation& operation_;
  std::vector<Index> values_;
  std::vector<bool> summed_;
};

/// "q[head, query, dim]": an input with the labels of its axes.
std::string operand_text(const StepInPlan& step, std::size_t input, const EinsumOperation& operation,
                         const std::vector<int>& labels);

}  // namespace attnscope
