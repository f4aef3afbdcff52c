#include "core/operations/einsum.h"

#include <cassert>

#include "core/base/pattern.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

/// Labels of an operand with these axes; those that are new are added to the operation's.
std::vector<int> operand_labels(EinsumOperation& operation, std::string_view text, const Axes& axes) {
  std::vector<int> labels;
  labels.reserve(axes.size());
  Words words(text);
  for (const Axis& axis : axes)
    labels.push_back(label_position(operation.labels, operation.sizes, words.next(), axis.size));
  assert(words.next().empty());
  return labels;
}

Index stride_of(const std::vector<int>& axis_labels, const Tensor& tensor, int label) {
  const auto found = std::find(axis_labels.begin(), axis_labels.end(), label);
  return found == axis_labels.end() ? 0 : tensor.stride(static_cast<int>(found - axis_labels.begin()));
}

}  // namespace

int label_position(std::vector<std::string>& labels, std::vector<Index>& sizes, std::string_view label, Index size) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  const auto at = static_cast<std::size_t>(found - labels.begin());
  if (found == labels.end()) {
    labels.emplace_back(label);
    sizes.push_back(size);
  }
  assert(sizes[at] == size);
  return static_cast<int>(at);
}

bool is_summed(const EinsumOperation& operation, int label) {
  return std::find(operation.out.begin(), operation.out.end(), label) == operation.out.end();
}

bool same_labels(const EinsumOperation& a, const EinsumOperation& b) {
  return a.labels == b.labels && a.a == b.a && a.b == b.b && a.out == b.out;
}

std::vector<int> known_labels(const EinsumOperation& operation, std::string_view text) {
  std::vector<int> labels;
  labels.reserve(operation.labels.size());
  Words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const auto found = std::find(operation.labels.begin(), operation.labels.end(), word);
    assert(found != operation.labels.end());
    labels.push_back(static_cast<int>(found - operation.labels.begin()));
  }
  return labels;
}

EinsumOperation einsum_operation(std::string_view text, const Axes& a, const Axes& b) {
  const PlainPattern pattern = split_pattern(text);
  EinsumOperation operation;
  operation.labels.reserve(a.size() + b.size());
  operation.sizes.reserve(a.size() + b.size());
  operation.a = operand_labels(operation, pattern.a, a);
  operation.b = operand_labels(operation, pattern.b, b);
  operation.out = known_labels(operation, pattern.out);
  return operation;
}

Axes result_axes(const EinsumOperation& operation) {
  Axes axes;
  axes.reserve(operation.out.size());
  for (const int label : operation.out) {
    const auto at = static_cast<std::size_t>(label);
    axes.push_back({operation.labels[at], operation.sizes[at]});
  }
  return axes;
}

Region einsum_region(const EinsumOperation& operation, int input_step, const std::vector<int>& labels,
                     const Region& region) {
  Region box = {input_step, {}, {}};
  for (const int label : labels) {
    const auto at = std::find(operation.out.begin(), operation.out.end(), label) - operation.out.begin();
    const auto axis = static_cast<std::size_t>(at);
    const bool summed = axis == operation.out.size();
    box.begin.push_back(summed ? 0 : region.begin[axis]);
    box.end.push_back(summed ? operation.sizes[static_cast<std::size_t>(label)] : region.end[axis]);
  }
  return box;
}

void copy_run(const Strided& from, Index length, float* to) {
  if (from.step == 1) {
    std::copy_n(from.first, length, to);
  } else {
    for (Index i = 0; i < length; ++i) to[i] = from[i];
  }
}

Repeated::Repeated(const EinsumOperation& operation, const Tensor& tensor, const std::vector<int>& labels)
    : values_(tensor.values().data()) {
  strides_.reserve(operation.out.size());
  for (const int label : operation.out) strides_.push_back(stride_of(labels, tensor, label));
}

Strided Repeated::along(const Axes& out, Index run) const {
  if (out.empty()) return {values_, 0};
  Index at = 0;
  for (std::size_t axis = out.size() - 1; axis-- > 0;) {
    at += run % out[axis].size * strides_[axis];
    run /= out[axis].size;
  }
  return {values_ + at, strides_.back()};
}

LabelValues::LabelValues(const EinsumOperation& operation, std::span<const Index> index)
    : operation_(operation), values_(operation.labels.size(), 0), summed_(operation.labels.size(), true) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    values_[static_cast<std::size_t>(operation.out[i])] = index[i];
    summed_[static_cast<std::size_t>(operation.out[i])] = false;
  }
}

bool LabelValues::advance() {
  for (std::size_t i = values_.size(); i-- > 0;) {
    if (!summed_[i]) continue;
    if (++values_[i] < operation_.sizes[i]) return true;
    values_[i] = 0;
  }
  return false;
}

std::vector<Index> LabelValues::index(const std::vector<int>& axes) const {
  std::vector<Index> at;
  at.reserve(axes.size());
  for (const int label : axes) at.push_back(values_[static_cast<std::size_t>(label)]);
  return at;
}

std::string LabelValues::text(const std::vector<int>& axes) const {
  std::vector<std::string> parts;
  for (const int label : axes) {
    const auto at = static_cast<std::size_t>(label);
    parts.push_back(summed_[at] ? operation_.labels[at] : std::to_string(values_[at]));
  }
  return "[" + join(parts, ", ") + "]";
}

std::vector<std::string> LabelValues::summed() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < summed_.size(); ++i) {
    if (summed_[i]) names.push_back(operation_.labels[i]);
  }
  return names;
}

std::string operand_text(const StepInPlan& step, std::size_t input, const EinsumOperation& operation,
                         const std::vector<int>& labels) {
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (const int label : labels) names.push_back(operation.labels[static_cast<std::size_t>(label)]);
  return input_text(step, input, names);
}

}  // namespace attnscope
