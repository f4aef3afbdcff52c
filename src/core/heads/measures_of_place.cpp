// Measures of where the keys are that a head attends to.
#include <cmath>
#include <cstdlib>

#include "core/heads/measure.h"

namespace attnscope {
namespace {

/// Adds the weight of the key `offset` after the query, where queries and keys are the same positions.
void add_neighbour(const AttentionRow& row, Index offset, MeasureSum& sum) {
  const Index key = row.query + offset;
  if (!row.head.same_positions || key < 0 || key >= std::ssize(row.weights) || row.head.is_padding(key)) return;
  sum.sum += static_cast<double>(row.weights[static_cast<std::size_t>(key)]);
  ++sum.count;
}

/// In tokens, or in pixels or patches from centre to centre.
double distance(const HeadPattern& head, Index query, Index key) {
  const Index across = head.pixels_across;
  if (across == 0) return static_cast<double>(std::abs(query - key));
  query -= head.before_pixels;
  key -= head.before_pixels;
  const Index rows = query / across - key / across;
  const Index columns = query % across - key % across;
  return std::hypot(static_cast<double>(rows), static_cast<double>(columns));
}

void add_distances(const AttentionRow& row, MeasureSum& sum) {
  if (!row.head.same_positions || row.query < row.head.before_pixels) return;
  for (Index key = row.head.before_pixels; key < std::ssize(row.weights); ++key) {
    const auto weight = static_cast<double>(row.weights[static_cast<std::size_t>(key)]);
    if (weight == 0) continue;
    sum.sum += weight * distance(row.head, row.query, key);
    sum.count += weight;
  }
}

}  // namespace

Measure self_measure() {
  return {"diagonal", "self", "Mean of A[q,q]: attention to the token itself.", "",
          [](const AttentionRow& row, MeasureSum& sum) { add_neighbour(row, 0, sum); }};
}

Measure previous_token_measure() {
  return {"previous_token", "previous token", "Mean of A[q,q−1].", "TransformerLens head detector; Olsson et al. 2022",
          [](const AttentionRow& row, MeasureSum& sum) { add_neighbour(row, -1, sum); }};
}

Measure next_token_measure() {
  return {"next_token", "next token", "Mean of A[q,q+1].", "",
          [](const AttentionRow& row, MeasureSum& sum) { add_neighbour(row, 1, sum); }};
}

Measure first_token_measure() {
  return {"first_token", "first token", "Mean of A[q,0]: how strong an attention sink the first token is.",
          "Xiao et al. 2023; Gu et al. 2024", [](const AttentionRow& row, MeasureSum& sum) {
            std::size_t first = 0;
            while (first < row.weights.size() && row.head.is_padding(static_cast<Index>(first))) ++first;
            if (first == row.weights.size()) return;
            sum.sum += static_cast<double>(row.weights[first]);
            ++sum.count;
          }};
}

Measure distance_measure() {
  return {"distance", "distance",
          "Mean of |q−k| weighted by A; for pixels and patches, the distance between their centres.",
          "Vig & Belinkov 2019; Dosovitskiy et al. 2020", add_distances};
}

}  // namespace attnscope
