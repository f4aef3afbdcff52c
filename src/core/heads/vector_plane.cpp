#include "core/heads/vector_plane.h"

#include <algorithm>
#include <cmath>

#include "core/heads/singular_directions.h"

namespace attnscope {
namespace {

double kept_share(double kept, double all) { return all > 0 ? std::clamp(kept / all, 0.0, 1.0) : 1; }

}  // namespace

double dot_product_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double length_of(std::span<const double> vector) { return std::sqrt(dot_product_of(vector, vector)); }

std::array<double, 2> VectorPlane::at(std::span<const double> row) const {
  return {dot_product_of(row, directions[0]), dot_product_of(row, directions[1])};
}

double VectorPlane::share_of(std::span<const double> row) const {
  if (is_exact()) return 1;
  const auto [across, up] = at(row);
  return kept_share(across * across + up * up, dot_product_of(row, row));
}

VectorPlane vector_plane(std::span<const double> numbers, Index dims) {
  VectorPlane plane;
  if (dims == 1) plane.directions = {std::vector<double>{1}, std::vector<double>{0}};
  if (dims == 2) plane.directions = {std::vector<double>{1, 0}, std::vector<double>{0, 1}};
  if (dims <= 2) return plane;
  const auto length = static_cast<std::size_t>(dims);
  plane.directions = singular_directions(numbers, std::ssize(numbers) / dims, dims);
  double kept = 0;
  for (std::size_t row = 0; row < numbers.size(); row += length) {
    const auto [across, up] = plane.at(numbers.subspan(row, length));
    kept += across * across + up * up;
  }
  plane.share = kept_share(kept, dot_product_of(numbers, numbers));
  return plane;
}

}  // namespace attnscope
