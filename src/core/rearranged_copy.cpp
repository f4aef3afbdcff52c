#include "core/rearranged_copy.h"

#include <algorithm>
#include <cassert>

namespace attnscope {
namespace {

/// The labels of all axes.
std::vector<std::size_t> fastest_first(const std::vector<std::vector<int>>& axes) {
  std::vector<std::size_t> labels;
  for (const std::vector<int>& axis : axes) labels.insert(labels.end(), axis.begin(), axis.end());
  std::reverse(labels.begin(), labels.end());
  return labels;
}

/// How far neighbours along each label are apart in a tensor whose axes have those labels; 0 where it has no such one.
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

bool RearrangedCopy::keeps_runs(const RearrangeOperation& operation) {
  constexpr Index kLeast = 16;
  const std::vector<std::size_t> labels = fastest_first(operation.in);
  if (labels.empty() || labels.size() > kMostDigits) return false;
  return operation.sizes[labels[0]] >= kLeast && strides_of(operation, operation.out)[labels[0]] == 1;
}

RearrangedCopy::RearrangedCopy(const RearrangeOperation& operation, float* result) : result_(result) {
  assert(keeps_runs(operation));
  const std::vector<Index> input = strides_of(operation, operation.in);
  const std::vector<Index> output = strides_of(operation, operation.out);
  for (const std::size_t label : fastest_first(operation.in)) {
    const bool stands = output[label] == 0;
    digits_[count_++] = {operation.sizes[label], input[label], output[label], stands ? operation.at[label] : -1};
  }
}

std::optional<Index> RearrangedCopy::place_of(Index position) const {
  Index place = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Index at = position % digits_[i].size;
    position /= digits_[i].size;
    if (digits_[i].stands_at >= 0 && digits_[i].stands_at != at) return std::nullopt;
    place += at * digits_[i].result_stride;
  }
  return place;
}

std::optional<Index> RearrangedCopy::result_apart(Index position, Index count, Index apart) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Digit& digit = digits_[i];
    if (digit.input_stride != apart || digit.size == 1) continue;
    const bool all = digit.stands_at < 0 && position / apart % digit.size + count <= digit.size;
    return all ? std::optional(digit.result_stride) : std::nullopt;
  }
  return std::nullopt;
}

void RearrangedCopy::copy_runs(Index position, const float* from, Index length, Index count, Index apart) const {
  // Most rows follow each other along one label: where the first belongs says where the others do.
  if (const std::optional<Index> result_step = result_apart(position, count, apart)) {
    const std::optional<Index> place = place_of(position);
    for (Index i = 0; i < count && place; ++i)
      std::copy_n(from + i * apart, length, result_ + *place + i * *result_step);
    return;
  }
  for (Index i = 0; i < count; ++i) {
    const std::optional<Index> place = place_of(position + i * apart);
    if (place) std::copy_n(from + i * apart, length, result_ + *place);
  }
}

void RearrangedCopy::copy(Index position, const float* from, Index length, Index count, Index apart) const {
  const Index run = digits_[0].size;
  if (count > 1 && apart % run != 0) {
    // Runs end elsewhere in every row.
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
