// Queries, keys, values and the output of a head as vectors, and the planes in which they can be drawn.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/heads/vector_plane.h"
#include "figure/slices/dot_numbers.h"
#include "figure/slices/tensor_rows.h"

namespace attnscope {

/// Vectors of one tensor that are drawn.
struct VectorSet {
  TensorRows rows;
  std::vector<Index> drawn;                   ///< positions of rows, ascending
  std::vector<double> numbers;                ///< of the drawn rows, [row, dim]
  std::vector<std::array<double, 2>> places;  ///< of the drawn rows in the plane

  [[nodiscard]] std::span<const double> row(std::size_t which) const;
  [[nodiscard]] bool draws_all() const { return std::ssize(drawn) == rows.count; }
};

/// The output of the chosen query: what its weights make of the values.
struct ValueBlend {
  VectorSet values;
  VectorPlane plane;
  Index every = 1;             ///< the plane was found from each so many-th value
  int weights = -1;            ///< the step whose numbers multiply the values: after dropout, if there is any
  std::vector<double> used;    ///< those numbers, [key]
  TensorRows outputs;          ///< one for each query
  std::vector<double> output;  ///< of the chosen query; empty: not finite
};

struct HeadVectors {
  DotNumbers pair;
  VectorSet queries;                ///< of very many, the chosen one alone
  VectorSet keys;                   ///< of very many, those with the largest weights and the chosen one
  VectorPlane plane;                ///< of all queries and keys together
  Index every = 1;                  ///< the plane was found from each so many-th of them
  std::optional<ValueBlend> blend;  ///< nothing: the trace has no values
};

/// The values that the weights of a dot product multiply, a row for each key, of the head and item of the score at `at`.
/// Nothing: the trace has none.
std::optional<TensorRows> value_rows(const Trace& trace, const DotProduct& product, std::span<const Index> at);

/// The vectors of the head, query and key that the options choose. The error says which number is not finite.
Result<HeadVectors> head_vectors(const Trace& trace, const DotProduct& product, const ViewOptions& options);

}  // namespace attnscope
