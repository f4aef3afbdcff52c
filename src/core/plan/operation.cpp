#include "core/plan/operation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope {

std::string operation_name(const Operation& operation) {
  if (const auto* draw = std::get_if<DrawOperation>(&operation); draw != nullptr && draw->picture) return "picture";
  // In the order of the variant's alternatives.
  constexpr std::array<const char*, std::variant_size_v<Operation>> kNames = {
      "draw",    "constant", "set",        "contract",  "add",      "scale",  "normalize",     "mean", "mask",
      "softmax", "dropout",  "keep_heads", "rearrange", "sinusoid", "rotate", "distance_bias", "given"};
  return kNames[operation.index()];
}

namespace {

// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: the
// finalizer of SplitMix64. Its n-th number is a function of n, so that any element can be asked for.
constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15U;

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace

const SetPart* SetOperation::part_at(Index matrix, Index row, Index column) const {
  const auto has_cell = [&](const SetPart& part) {
    const Index down = row - part.row;
    const Index across = column - part.column;
    return part.matrix == matrix && down >= 0 && down < part.rows && across >= 0 && across < part.columns &&
           across - down >= part.from && across - down <= part.to;
  };
  const auto found = std::find_if(parts.rbegin(), parts.rend(), has_cell);
  return found == parts.rend() ? nullptr : &*found;
}

double SinusoidOperation::angle(Index position, Index feature, Index features) {
  const Index even = feature - feature % 2;
  return static_cast<double>(position) / std::pow(10000, static_cast<double>(even) / static_cast<double>(features));
}

double SinusoidOperation::value(Index position, Index feature, Index features) {
  const double turned = angle(position, feature, features);
  return feature % 2 == 0 ? std::sin(turned) : std::cos(turned);
}

double RotateOperation::angle(Index position, Index dim_index, Index dim) {
  return SinusoidOperation::angle(position, dim_index, dim);
}

double DistanceBiasOperation::slope(Index head) const {
  return std::exp2(-8 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

bool DropoutOperation::keeps(std::uint64_t seed, Index offset) const {
  const std::uint64_t start = mixed(mixed(seed + kGamma) + static_cast<std::uint64_t>(stream) * kGamma);
  const std::uint64_t bits = mixed(start + (static_cast<std::uint64_t>(offset) + 1) * kGamma);
  return static_cast<double>(bits >> 11U) * 0x1p-53 >= probability;
}

}  // namespace attnscope
