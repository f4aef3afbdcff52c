// The vocabulary of a model as the rows that its residual stream begins with, and what heads make of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/operations/lookup.h"
#include "core/residual/linear_parts.h"

namespace attnscope {

/// The embeddings of all tokens, read from their file some at a time.
class Embeddings {
 public:
  explicit Embeddings(const LookupOperation& table) : table_(table) {}

  [[nodiscard]] Index tokens() const { return shape()[0]; }
  [[nodiscard]] Index features() const { return shape()[1]; }

  /// Calls `use` for all tokens in order, with the id of the first of some and their rows [token, feature]. Fails if they
  /// cannot be read, or were not before `stop` was requested.
  [[nodiscard]] Result<void> read(const StopToken& stop,
                                  const std::function<void(Index first, std::span<const float> rows)>& use) const;

 private:
  [[nodiscard]] const std::vector<Index>& shape() const { return table_.from->tensors()[table_.which].shape; }

  LookupOperation table_;
};

/// The embeddings that the keys and values of the attention at step `weights` are made from, if nothing came between. The
/// error says in one sentence that they are not made from tokens.
Result<Embeddings> embeddings_of_keys(const Trace& trace, int weights);

/// Numbers that a layer makes from one row [feature] of the stream: behind its norm, where it has one, each is linear.
struct LayerNumbers {
  std::vector<double> factors;    ///< [feature, number], of the row behind mean and divisor
  std::vector<double> constants;  ///< [number]
  bool centered = false;
  std::optional<double> epsilon;  ///< nothing: the row is not normalized
  bool fixed_norm = false;        ///< they are normalized once more, with the divisor of the text's own token

  /// Fills `numbers` with those of an embedding.
  void of(std::span<const float> row, std::span<double> numbers) const;
};

/// The numbers Σ direction · (cells of `box`), for each of `directions`. The error says in one sentence why they are not
/// linear.
Result<LayerNumbers> layer_numbers(const Trace& trace, const Region& box,
                                   const std::vector<std::vector<double>>& directions);

}  // namespace attnscope
