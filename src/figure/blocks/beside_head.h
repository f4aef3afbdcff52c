// What stands right of the matrix of one head: the sum and the entropy of each query's weights.
#pragma once

namespace attnscope {

/// The widths right of the matrix, in a wide figure or a narrow one.
struct BesideHead {
  double distance = 16;
  double sum = 44;       ///< bars
  double sum_text = 40;  ///< 0: no numbers
  double between = 20;
  double entropy = 72;
  double entropy_text = 40;

  [[nodiscard]] double width() const { return distance + sum + sum_text + between + entropy + entropy_text; }
};
inline constexpr BesideHead kBesideNarrowHead = {16, 24, 0, 20, 40, 40};
/// The width of a figure below which it is narrow.
inline constexpr double kNarrowHead = 640;

}  // namespace attnscope
