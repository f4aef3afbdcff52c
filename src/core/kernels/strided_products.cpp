#include "core/kernels/strided_products.h"

#include <utility>

namespace attnscope {
namespace {

/// The role of a label: row of the product, column, summed, or an outer loop.
enum class Role { row, column, sum, loop };

Role role_of(const ContractionLabel& label) {
  if (label.out_stride == 0) return Role::sum;
  if (label.b_stride == 0) return Role::row;
  if (label.a_stride == 0) return Role::column;
  return Role::loop;
}

/// Merges adjacent labels that are contiguous in every tensor: (head, dim) becomes one long axis if possible.
void merge_neighbours(Labels& labels) {
  for (std::size_t i = labels.count(); i-- > 1;) {
    ContractionLabel& slow = labels[i - 1];
    const ContractionLabel& fast = labels[i];
    const bool joined = role_of(slow) == role_of(fast) && slow.a_stride == fast.a_stride * fast.size &&
                        slow.b_stride == fast.b_stride * fast.size && slow.out_stride == fast.out_stride * fast.size &&
                        slow.start_stride == fast.start_stride * fast.size;
    if (!joined) continue;
    slow = {slow.size * fast.size, fast.a_stride, fast.b_stride, fast.out_stride, fast.start_stride};
    labels.erase(i);
  }
}

/// Removes a label of the given role from `labels` and returns it, or one of size 1 if there is none. Takes the last
/// summed label, which keeps the order of the sum, and the longest label of other roles.
ContractionLabel take(Labels& labels, Role role) {
  std::size_t chosen = labels.count();
  for (std::size_t i = 0; i < labels.count(); ++i) {
    if (role_of(labels[i]) != role) continue;
    if (chosen == labels.count() || role == Role::sum || labels[i].size > labels[chosen].size) chosen = i;
  }
  if (chosen == labels.count()) return {1, 0, 0, 0, 0};
  const ContractionLabel label = labels[chosen];
  labels.erase(chosen);
  return label;
}

}  // namespace

Place place_of(const Labels& labels, Index number) {
  Place place;
  for (const ContractionLabel* label = labels.end(); number > 0;) {
    --label;
    const auto [before, at] = divide(number, label->size);
    number = before;
    place.a += at * label->a_stride;
    place.b += at * label->b_stride;
    place.out += at * label->out_stride;
    place.start += at * label->start_stride;
  }
  return place;
}

Products products_of(std::span<const ContractionLabel> labels, const float* a, const float* b, float* out) {
  Products p;
  p.a = a;
  p.b = b;
  p.out = out;
  Labels rest;
  for (const ContractionLabel& label : labels) {
    p.flops *= static_cast<double>(label.size);
    if (label.size != 1) rest.push_back(label);
  }
  merge_neighbours(rest);
  p.row = take(rest, Role::row);
  p.column = take(rest, Role::column);
  p.sum = take(rest, Role::sum);
  // Products are written along columns, which should therefore be contiguous, and more than one.
  const bool turned = p.column.size > 1 ? p.column.out_stride != 1 && p.row.out_stride == 1 : p.row.size > 1;
  const auto turn = [](ContractionLabel& label) { std::swap(label.a_stride, label.b_stride); };
  if (turned) {
    std::swap(p.a, p.b);
    std::swap(p.row, p.column);
    for (ContractionLabel* label : {&p.row, &p.column, &p.sum}) turn(*label);
    std::for_each(rest.begin(), rest.end(), turn);
  }
  for (const ContractionLabel& label : rest) {
    if (role_of(label) == Role::sum) {
      p.sums.push_back(label);
    } else {
      (label.b_stride == 0 ? p.repeats : p.rights).push_back(label);
    }
  }
  return p;
}

}  // namespace attnscope
