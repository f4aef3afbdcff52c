#include "core/operations/positions.h"

#include <cmath>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

/// Cosine and sine of the angle of each pair of a row, in double precision.
std::vector<std::pair<double, double>> turns(Index position, Index dim) {
  std::vector<std::pair<double, double>> pairs;
  for (Index i = 0; i + 1 < dim; i += 2) {
    const double angle = RotateOperation::angle(position, i, dim);
    pairs.emplace_back(std::cos(angle), std::sin(angle));
  }
  return pairs;
}

}  // namespace

void compute_in_place(const SinusoidOperation& /*operation*/, const Axes& axes, const Region& region, Tensor& out) {
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    for (Index i = 0; i < out.size(-1); ++i) {
      const double value = SinusoidOperation::value(index[index.size() - 2], index.back() + i, axes.back().size);
      out.values()[static_cast<std::size_t>(at + i)] = static_cast<float>(value);
    }
  });
}

void compute_in_place(const RotateOperation& /*operation*/, const Axes& axes, const Region& region,
                      const Region& source, const Tensor& in, Tensor& out) {
  const Index dim = axes.back().size;
  const Index length = region.size(axes.size() - 1);
  const Index source_length = source.size(axes.size() - 1);
  const Index skipped = region.begin.back() - source.begin.back();
  Index row = 0;
  Index position = -1;
  std::vector<std::pair<double, double>> turned_by;
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    if (const Index next = index[index.size() - 2]; next != std::exchange(position, next)) turned_by = turns(next, dim);
    const float* from = in.values().data() + row * source_length;
    for (Index i = 0; i < length; ++i) {
      const Index number = index.back() + i;
      const Index own = skipped + i;
      auto value = static_cast<double>(from[own]);
      if (number / 2 < static_cast<Index>(turned_by.size())) {
        const auto [cosine, sine] = turned_by[static_cast<std::size_t>(number / 2)];
        const auto other = static_cast<double>(from[number % 2 == 0 ? own + 1 : own - 1]);
        value = number % 2 == 0 ? value * cosine - other * sine : other * sine + value * cosine;
      }
      out.values()[static_cast<std::size_t>(at + i)] = static_cast<float>(value);
    }
    ++row;
  });
}

void compute_in_place(const DistanceBiasOperation& operation, const Region& region, const Tensor& in, Tensor& out) {
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    const double slope = operation.slope_at(index);
    const Index query = index[index.size() - 2];
    for (Index i = 0; i < out.size(-1); ++i) {
      const auto cell = static_cast<std::size_t>(at + i);
      const auto distance = static_cast<double>(std::abs(query - index.back() - i));
      out.values()[cell] = in.values()[cell] - static_cast<float>(slope * distance);
    }
  });
}

}  // namespace attnscope
