#include "core/compute/rearranged_copy.h"

#include <algorithm>
#include <cassert>

namespace attnscope {
namespace {

/// The labels of all axes, fastest first.
std::vector<std::size_t> fastest_first(const std::vector<std::vector<int>>& axes) {
  std::vector<std::size_t> labels;
  for (const std::vector<int>& axis : axes) labels.insert(labels.end(), axis.begin(), axis.end());
  std::reverse(labels.begin(), labels.end());
  return labels;
}

/// Per label, the stride in a tensor whose axes have those labels; 0 for labels that it lacks.
std::vector<Index> strides_of(const RearrangeOperation& operation, const std::vector<std::vector<int>>& axes) {
  std::vector<Index> strides(operation.labels.size(), 0);
  Index stride = 1;
  for (const std::size_t label : fastest_first(axes)) {
    strides[label] = stride;
    stride *= operation.sizes[label];
  }
  return strides;
}

}  // namespace

std::vector<RearrangedCopy::Digit> RearrangedCopy::digits_of(const RearrangeOperation& operation) {
  const std::vector<Index> input = strides_of(operation, operation.in);
  const std::vector<Index> result = strides_of(operation, operation.out);
  std::vector<Digit> digits;
  for (const std::size_t label : fastest_first(operation.in)) {
    const Index size = operation.sizes[label];
    if (size == 1) continue;
    const bool stands = result[label] == 0;
    if (!digits.empty() && !stands && digits.back().result_stride * digits.back().size == result[label]) {
      digits.back().size *= size;
    } else {
      digits.push_back({size, input[label], result[label], stands ? operation.at[label] : -1});
    }
  }
  return digits;
}

bool RearrangedCopy::keeps_runs(const RearrangeOperation& operation) {
  constexpr Index kLeast = 16;
  const std::vector<Digit> digits = digits_of(operation);
  return !digits.empty() && digits[0].result_stride == 1 && digits[0].size >= kLeast;
}

RearrangedCopy::RearrangedCopy(const RearrangeOperation& operation, float* result)
    : result_(result), digits_(digits_of(operation)) {
  assert(keeps_runs(operation));
}

std::optional<Index> RearrangedCopy::place_of(Index position) const {
  Index place = 0;
  for (const Digit& digit : digits_) {
    const Index at = position % digit.size;
    position /= digit.size;
    if (digit.stands_at >= 0 && digit.stands_at != at) return std::nullopt;
    place += at * digit.result_stride;
  }
  return place;
}

void RearrangedCopy::copy_runs(Index position, const float* from, Index length, Index count, Index apart) const {
  // Most rows follow each other along one digit: the place of the first gives those of the others, up to its end.
  const auto along = std::find_if(digits_.begin(), digits_.end(), [apart](const Digit& digit) {
    return digit.input_stride == apart && digit.stands_at < 0;
  });
  for (Index row = 0; row < count;) {
    const Index first = position + row * apart;
    const Index follow = along == digits_.end() ? 1 : along->size - first / apart % along->size;
    const Index end = std::min(count, row + follow);
    std::optional<Index> place = place_of(first);
    for (; row < end; ++row) {
      if (!place) continue;
      std::copy_n(from + row * apart, length, result_ + *place);
      if (along != digits_.end()) *place += along->result_stride;
    }
  }
}

void RearrangedCopy::copy(Index position, const float* from, Index length, Index count, Index apart) const {
  const Index run = digits_[0].size;
  if (count > 1 && apart % run != 0) {
    // In each row, runs end at a different column.
    for (Index i = 0; i < count; ++i) copy(position + i * apart, from + i * apart, length, 1, 0);
    return;
  }
  for (Index at = 0; at < length;) {
    const Index together = std::min(length - at, run - (position + at) % run);
    copy_runs(position + at, from + at, together, count, apart);
    at += together;
  }
}

}  // namespace attnscope
