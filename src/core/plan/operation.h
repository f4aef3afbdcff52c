// What a tensor is made by: every operation that a system can be put together from, as data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/tensor.h"
#include "core/experiment/imported_tensors.h"
#include "core/experiment/mask.h"
#include "core/experiment/picture.h"

namespace attnscope {

/// Drawn from the seeded generator.
struct DrawOperation {
  enum class Distribution { uniform, normal };

  Distribution distribution = Distribution::uniform;
  double from = 0;  ///< uniform: [from, to)
  double to = 1;
  std::string range_text;            ///< uniform: "±1/√32"; empty: the numbers themselves
  std::uint64_t numbers_before = 0;  ///< how many numbers the seed gave before the first of this tensor
  std::uint64_t discarded = 0;       ///< raw draws thrown away just before it

  /// A number that stands in the place of the drawn one.
  struct ByHand {
    Index at = 0;  ///< position in the tensor
    float value = 0;
    friend bool operator==(const ByHand&, const ByHand&) = default;
  };
  std::vector<ByHand> by_hand = {};
  /// Stands in the place of all drawn numbers, which are drawn all the same: what is drawn next stays what it was.
  std::optional<PlacedPicture> picture = {};

  [[nodiscard]] bool is_by_hand(Index at) const {
    return std::any_of(by_hand.begin(), by_hand.end(), [at](const ByHand& each) { return each.at == at; });
  }

  friend bool operator==(const DrawOperation&, const DrawOperation&) = default;
};

/// The same number everywhere, whatever the seed.
struct ConstantOperation {
  double value = 0;

  friend bool operator==(const ConstantOperation&, const ConstantOperation&) = default;
};

/// The same number in some cells of a matrix: those of the `rows` × `columns` from (`row`, `column`) on that lie on one
/// of the diagonals `from` to `to`. Diagonal 0 starts in the corner of that rectangle, 1 a column to the right of it.
struct SetPart {
  Index matrix = 0;  ///< counted over the axes in front of the last two
  Index row = 0;
  Index column = 0;
  Index rows = 1;
  Index columns = 1;
  Index from = 0;
  Index to = 0;
  double value = 0;
  std::string why;  ///< what the number is there for, as a sentence

  friend bool operator==(const SetPart&, const SetPart&) = default;
};

/// Numbers that were written down, whatever the seed: 0 outside of all parts, and the last one's where they overlap.
/// As rectangles and diagonals they take no memory before the tensor does.
struct SetOperation {
  std::vector<SetPart> parts;

  /// The part that has the cell; null: none.
  [[nodiscard]] const SetPart* part_at(Index matrix, Index row, Index column) const;

  friend bool operator==(const SetOperation&, const SetOperation&) = default;
};

/// Two operands whose axes, like those of the result, carry labels as in Einstein's notation. Inputs: a, b.
struct EinsumOperation {
  std::vector<std::string> labels;
  std::vector<Index> sizes;  ///< per label
  std::vector<int> a;        ///< label of each axis of the first operand
  std::vector<int> b;
  std::vector<int> out;

  friend bool operator==(const EinsumOperation&, const EinsumOperation&) = default;
};

/// out[…] = Σ a[…] · b[…] / divisor, summed over the labels that the result lacks. With a bias (a third input, whose
/// axes are labelled `bias`) the sum starts from that instead of 0; there is no divisor then.
struct ContractOperation : EinsumOperation {
  double divisor = 1;
  std::string divisor_text;  ///< "√7"; empty: no divisor
  std::vector<int> bias;
  bool fused = false;  ///< products are added without being rounded first; see `rounds_once`

  friend bool operator==(const ContractOperation&, const ContractOperation&) = default;
};

/// out[…] = a[…] + b[…], or the hyperbolic tangent of that; operands are repeated along labels that they lack.
struct AddOperation : EinsumOperation {
  bool tanh = false;

  friend bool operator==(const AddOperation&, const AddOperation&) = default;
};

/// Input / divisor.
struct ScaleOperation {
  double divisor = 1;
  std::string divisor_text;

  friend bool operator==(const ScaleOperation&, const ScaleOperation&) = default;
};

/// (Input − mean) / √(variance + epsilon), both over the axes marked in `over`; the variance is the biased one.
struct NormalizeOperation {
  std::vector<bool> over;  ///< per axis
  double epsilon = 1e-5;

  friend bool operator==(const NormalizeOperation&, const NormalizeOperation&) = default;
};

/// Mean over one axis, which the result lacks.
struct MeanOperation {
  int axis = 0;

  friend bool operator==(const MeanOperation&, const MeanOperation&) = default;
};

/// Scores with the masked ones replaced by `fill`; axes […, query, key].
struct MaskOperation {
  std::shared_ptr<const MaskField> field;
  double fill = 0;

  friend bool operator==(const MaskOperation& a, const MaskOperation& b) {
    return a.fill == b.fill && (a.field == b.field || *a.field == *b.field);
  }
};

/// Softmax over the last axis of input / temperature. A row of nothing but −∞ becomes zeros.
struct SoftmaxOperation {
  double temperature = 1;

  friend bool operator==(const SoftmaxOperation&, const SoftmaxOperation&) = default;
};

/// Input / (1 − probability) where kept, otherwise 0. What is kept comes from a stream of attnscope's own, apart from
/// the experiment's: PyTorch's differs by device and version, so nothing is lost.
struct DropoutOperation {
  double probability = 0;
  int stream = 0;  ///< sets the tensors of an experiment apart

  /// Whether the element at position `offset` is kept under that seed; any element at once, in any order.
  [[nodiscard]] bool keeps(std::uint64_t seed, Index offset) const;

  friend bool operator==(const DropoutOperation&, const DropoutOperation&) = default;
};

/// Input where its head is on, 0 for the heads that are switched off, whatever they have.
struct KeepHeadsOperation {
  int axis = 0;            ///< of the heads
  std::vector<Index> off;  ///< sorted

  [[nodiscard]] bool keeps(Index head) const { return !std::binary_search(off.begin(), off.end(), head); }

  friend bool operator==(const KeepHeadsOperation&, const KeepHeadsOperation&) = default;
};

/// Sines and cosines that tell positions apart; axes [position, feature]. Source: Vaswani et al., "Attention is all you
/// need", 2017, section 3.5.
struct SinusoidOperation {
  /// The angle whose sine (even features) or cosine (odd ones) it is: position / 10000^(2⌊feature/2⌋/features).
  static double angle(Index position, Index feature, Index features);
  static double value(Index position, Index feature, Index features);

  friend bool operator==(const SinusoidOperation&, const SinusoidOperation&) = default;
};

/// Input with each pair of numbers (2i, 2i+1) along the last axis turned by an angle that grows with the position; the
/// last number of an odd row has no partner and stays. Source: Su et al., "RoFormer", 2021.
struct RotateOperation {
  /// position · 10000^(−2i/dim), i the pair that `dim_index` is in.
  static double angle(Index position, Index dim_index, Index dim);

  friend bool operator==(const RotateOperation&, const RotateOperation&) = default;
};

/// Input − slope · |query − key|, where the slope of head h of H, counted from 1, is 2^(−8h/H); axes […, query, key].
/// Source: Press et al., "Train short, test long" (ALiBi), 2022, here to both sides.
struct DistanceBiasOperation {
  int head_axis = -1;  ///< −1: one head
  Index heads = 1;

  [[nodiscard]] double slope(Index head) const;
  [[nodiscard]] double slope_at(std::span<const Index> index) const {
    return slope(head_axis < 0 ? 0 : index[static_cast<std::size_t>(head_axis)]);
  }

  friend bool operator==(const DistanceBiasOperation&, const DistanceBiasOperation&) = default;
};

/// The same numbers in other places: the axes of the input, each perhaps split into several labels, in another order
/// and perhaps merged again. A label that the result lacks stands still at one value: the result is a slice.
struct RearrangeOperation {
  std::vector<std::string> labels;
  std::vector<Index> sizes;           ///< per label
  std::vector<Index> at;              ///< per label: where it stands if the result lacks it
  std::vector<std::vector<int>> in;   ///< labels of each axis of the input, slowest first
  std::vector<std::vector<int>> out;  ///< labels of each axis of the result

  friend bool operator==(const RearrangeOperation&, const RearrangeOperation&) = default;
};

/// Numbers of the user's own: one of those tensors or a slice of it, its axes perhaps in another order.
struct ImportOperation {
  std::shared_ptr<const ImportedTensors> from;
  std::size_t which = 0;
  std::vector<int> axes;  ///< per axis of the result: which one of the tensor it is
  std::vector<Index> at;  ///< per axis of the tensor: where it stands, if the result lacks it

  friend bool operator==(const ImportOperation&, const ImportOperation&) = default;
};

using Operation = std::variant<DrawOperation, ConstantOperation, SetOperation, ContractOperation, AddOperation,
                               ScaleOperation, NormalizeOperation, MeanOperation, MaskOperation, SoftmaxOperation,
                               DropoutOperation, KeepHeadsOperation, RearrangeOperation, SinusoidOperation,
                               RotateOperation, DistanceBiasOperation, ImportOperation>;

/// "draw", "contract", "mask", …: the operation's name in messages and JSON; "picture" for a picture in the place of a
/// drawn one.
std::string operation_name(const Operation& operation);

}  // namespace attnscope
