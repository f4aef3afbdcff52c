// One measure of an attention head: what it says, where it is defined, and how it is computed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"
#include "core/experiment/mask.h"
#include "core/heads/found_mask.h"
#include "core/heads/head_circuits.h"

namespace attnscope {

/// A head's weights, and what else is known about it. Refers to data that others own.
struct HeadPattern {
  MatrixView weights;                ///< [query, key]; rows sum to 1, or to 0 where the mask leaves no key
  const MaskField* mask = nullptr;   ///< what may be attended to; null: what `found` leaves
  const FoundMask* found = nullptr;  ///< the mask that imported weights show; null: everything may be attended to
  /// [position]: whether there is no token but padding, which no measure counts as a query; null: nowhere. Only where
  /// queries and keys are the same positions.
  const std::vector<bool>* padding = nullptr;
  Index batch = 0;  ///< of the mask
  Index head = 0;
  bool same_positions = false;           ///< queries and keys are the same positions of one sequence
  std::span<const std::string> tokens;   ///< the token at each position; empty: unknown
  std::vector<Index> token_ids;          ///< the same for a model: equal ids are equal tokens
  Index pixels_across = 0;               ///< of the picture whose pixels or patches the positions are; 0: a sequence
  Index before_pixels = 0;               ///< positions that are no part of the picture: the class token
  const HeadCircuit* circuit = nullptr;  ///< the head's weight matrices; null: unknown

  [[nodiscard]] bool keeps(Index query, Index key) const;
  [[nodiscard]] bool is_padding(Index position) const {
    return padding != nullptr && (*padding)[static_cast<std::size_t>(position)];
  }
  /// The number of keys that a query may attend to.
  [[nodiscard]] Index kept_keys(Index query) const;
};

/// The weights of one query.
struct AttentionRow {
  const HeadPattern& head;
  Index query = 0;
  std::span<const float> weights;  ///< [key]
  std::span<const Index> tokens;   ///< [position]: equal numbers are equal tokens; empty: unknown
  Index unmasked = 0;              ///< number of keys that the mask leaves
  double entropy = 0;              ///< nats
};

/// A measure that is computed row by row: the sum divided by the count.
struct MeasureSum {
  double sum = 0;
  double count = 0;
};

/// A head after its last row.
struct WholeHead {
  const HeadPattern& head;
  std::span<const double> weights;  ///< [key, query]; empty: too many to hold, see `kMaxForRank`
};

/// A definition after a source, with its computation: by `add`, or by `of_head`.
struct Measure {
  std::string_view name;        ///< as in JSON: "previous_token"
  std::string_view title;       ///< as in tables: "previous token"
  std::string_view definition;  ///< one sentence; A[q,k] are the weights of query q
  std::string_view source;      ///< empty: no particular one
  /// Adds one row. Where the count stays 0 the measure does not apply.
  void (*add)(const AttentionRow&, MeasureSum&) = nullptr;
  /// The measure of a head as a whole; nothing where it does not apply.
  std::optional<double> (*of_head)(const WholeHead&) = nullptr;
  bool of_circuit = false;  ///< depends on `HeadPattern::circuit` alone, and on no attention weights
};

/// The measures of `measures.inc`. See `measures` for the list that is made once.
std::vector<Measure> make_measures();

}  // namespace attnscope
