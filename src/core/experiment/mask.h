// Which keys a query may attend to.
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/kernels/softmax.h"

namespace attnscope {

/// One score of a head, or all scores of one of its keys.
struct MaskedPair {
  Index head = 0;
  Index query = -1;  ///< −1: every query
  Index key = 0;

  // clang-tidy 14 finds the zero that the compiler compares with.
  friend auto operator<=>(const MaskedPair&, const MaskedPair&) = default;  // NOLINT(modernize-use-nullptr)
};

/// The mask of an experiment; becomes a `MaskField` once the sizes are known.
struct Mask {
  enum class Kind { none, causal, window, padding, array };

  Kind kind = Kind::none;
  Index radius = 0;            ///< window: keeps |query − key| ≤ radius
  std::vector<Index> lengths;  ///< padding: keeps key < length; one length for all batch items, or one per item
  std::vector<Index> shape;    ///< array: rank 2 [query, key], 3 [batch, query, key] or 4 [batch, head, query, key]
  std::vector<bool> keep;      ///< array: row-major, true where a query may attend
  Index last = 0;              ///< causal: keeps that many keys up to the query; 0: all of them
  std::vector<MaskedPair> pairs = {};  ///< masked besides; of trained models only

  friend bool operator==(const Mask&, const Mask&) = default;
};

/// Reads `none`, `causal`, `window:R`, `padding:L` and `padding:L1,L2,…`. Explicit arrays come as JSON; see io.
Result<Mask> parse_mask(std::string_view text);

/// The inverse of `parse_mask`; an explicit array is "array[6 × 6]".
std::string mask_text(const Mask& mask);

/// The sizes that a mask must fit. `heads` and `batch` are 1 if the attention has no such axis.
struct MaskSizes {
  Index batch = 1;
  Index heads = 1;
  Index queries = 0;
  Index keys = 0;

  friend bool operator==(const MaskSizes&, const MaskSizes&) = default;
};

/// Checks that the mask fits: an array has the right shape (1 broadcasts over batch and heads); padding has 1 or
/// `batch` lengths, none larger than `keys`.
Result<void> check_mask(const Mask& mask, const MaskSizes& sizes);

/// The maximum size of an edited mask, in pairs of query and key.
inline constexpr Index kMaxMaskPairs = Index{1} << 22U;

/// `mask`, which fits `sizes`, with one pair of query and key kept or masked: an array, or `none` if everything is
/// kept. If the array has batch items or heads of its own, only this item and head change, otherwise all. Fails if the
/// array would exceed kMaxMaskPairs.
Result<Mask> with_pair(const Mask& mask, const MaskSizes& sizes, Index batch, Index head, Index query, Index key,
                       bool keep);

/// An array mask cropped to other sizes, or extended with kept pairs; any other mask unchanged.
Mask fitted(const Mask& mask, const MaskSizes& sizes);

/// A mask with its sizes: says for every score whether it is kept.
class MaskField {
 public:
  MaskField(Mask mask, MaskSizes sizes);

  [[nodiscard]] bool keeps(Index batch, Index head, Index query, Index key) const;
  /// Whether each query keeps keys that follow each other, the same for all heads.
  [[nodiscard]] bool keeps_ranges() const { return mask_.kind != Mask::Kind::array && mask_.pairs.empty(); }
  /// Whether all heads keep the same keys.
  [[nodiscard]] bool is_same_for_heads() const {
    return mask_.pairs.empty() && (mask_.kind != Mask::Kind::array || mask_.shape.size() < 4 || mask_.shape[1] == 1);
  }
  /// Those keys.
  [[nodiscard]] KeptKeys range(Index batch, Index query) const;
  /// Whether it is one of the mask's pairs.
  [[nodiscard]] bool is_masked_pair(Index head, Index query, Index key) const;
  /// What decides on the score: "causal mask", "no mask", or "intervention" where it is one of the pairs.
  [[nodiscard]] std::string reason(Index head, Index query, Index key) const;
  /// Whether this query has any unmasked key.
  [[nodiscard]] bool keeps_any(Index batch, Index head, Index query) const;
  /// Number of queries without any key, over all heads and batch items.
  [[nodiscard]] Index empty_rows() const;
  [[nodiscard]] const Mask& mask() const { return mask_; }
  [[nodiscard]] const MaskSizes& sizes() const { return sizes_; }

  friend bool operator==(const MaskField&, const MaskField&) = default;

 private:
  /// Whether the kind of the mask keeps the score, whatever its pairs say.
  [[nodiscard]] bool kind_keeps(Index batch, Index head, Index query, Index key) const;

  Mask mask_;
  MaskSizes sizes_;
};

}  // namespace attnscope
