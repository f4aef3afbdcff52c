#include "core/compute_given.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace attnscope {
namespace {

/// Numbers that were read in the order of the tensor's axes, to where those of the result have them.
void put_in_order(const GivenOperation& operation, std::span<const Index> begin, std::span<const Index> end,
                  std::span<const float> read, Tensor& out) {
  // How far apart in what was read the neighbours along an axis are.
  std::vector<Index> strides(begin.size(), 0);
  Index stride = 1;
  for (std::size_t axis = begin.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= end[axis] - begin[axis];
  }
  const Axes& axes = out.axes();
  std::vector<Index> index(axes.size(), 0);
  for (float& number : out.values()) {
    Index from = 0;
    for (std::size_t i = 0; i < index.size(); ++i)
      from += index[i] * strides[static_cast<std::size_t>(operation.axes[i])];
    number = read[static_cast<std::size_t>(from)];
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < axes[i].size) break;
      index[i] = 0;
    }
  }
}

}  // namespace

void read_given(const GivenOperation& operation, const Region& region, const StepContext& context, Tensor& out) {
  std::vector<Index> begin = operation.at;
  std::vector<Index> end = operation.at;
  for (Index& each : end) ++each;
  for (std::size_t i = 0; i < operation.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(operation.axes[i]);
    begin[axis] = region.begin[i];
    end[axis] = region.end[i];
  }
  const bool in_order = std::is_sorted(operation.axes.begin(), operation.axes.end());
  std::vector<float> read(in_order ? 0 : out.values().size());
  if (!operation.from->read(operation.which, begin, end, in_order ? out.values() : std::span<float>(read),
                            context.stop)) {
    std::fill(out.values().begin(), out.values().end(), std::numeric_limits<float>::quiet_NaN());
  } else if (!in_order) {
    put_in_order(operation, begin, end, read, out);
  }
}

}  // namespace attnscope
