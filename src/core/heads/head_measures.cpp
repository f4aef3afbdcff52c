#include "core/heads/head_measures.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/stop.h"
#include "core/heads/row_statistics.h"

namespace attnscope {
namespace {

// Weights computed or read at a time: 16 MB.
constexpr Index kWeightsAtOnce = Index{1} << 22U;

Index heads_in(const Step& step) {
  const Axis* const axis = find_axis(step.axes, "head");
  return axis != nullptr ? axis->size : 1;
}

/// Reads the weights of the heads of one attention.
class HeadRows {
 public:
  HeadRows(const Trace& trace, int position, Index item, const StopToken& stop)
      : trace_(trace), position_(position), item_(item), context_{trace.experiment().seed, nullptr, stop, &failure_} {}

  [[nodiscard]] const Step& step() const { return trace_.steps()[static_cast<std::size_t>(position_)]; }
  [[nodiscard]] Index heads() const { return heads_in(step()); }
  [[nodiscard]] Index queries() const { return step().axes[step().axes.size() - 2].size; }
  [[nodiscard]] Index keys() const { return step().axes.back().size; }
  [[nodiscard]] std::vector<Index> leading(Index head) const { return leading_index(step().axes, 2, head, item_); }

  /// Whether reading was stopped or has failed.
  [[nodiscard]] bool ended() const { return context_.gives_up(); }

  /// [1…, query, key]: a range of queries and keys of a head; arbitrary once `ended`.
  [[nodiscard]] std::shared_ptr<const Tensor> block(Index head, Index first, Index count, Index key,
                                                    Index width) const {
    Region region = region_within(position_, step().axes, leading(head));
    const std::size_t axis = step().axes.size() - 2;
    region.begin[axis] = first;
    region.end[axis] = first + count;
    region.begin[axis + 1] = key;
    region.end[axis + 1] = key + width;
    return trace_.numbers(region, context_);
  }

  /// Calls `row(weights)` for the queries of a head, in order. False once it `ended`.
  template <typename Row>
  bool each_row(Index head, const Row& row) const {
    const Index at_once = std::max<Index>(1, kWeightsAtOnce / std::max<Index>(1, keys()));
    for (Index first = 0; first < queries(); first += at_once) {
      const Index count = std::min(at_once, queries() - first);
      const std::shared_ptr<const Tensor> numbers = block(head, first, count, 0, keys());
      if (ended()) return false;
      for (Index i = 0; i < count; ++i)
        row(numbers->values().subspan(static_cast<std::size_t>(i * keys()), static_cast<std::size_t>(keys())));
    }
    return !ended();
  }

 private:
  const Trace& trace_;
  int position_;
  Index item_;
  mutable ReadFailure failure_;
  StepContext context_;
};

/// The distances between all pairs of heads, read in parallel; false if stopped or failed.
bool compare_heads(const HeadRows& rows, std::vector<std::vector<double>>& distances) {
  const Index heads = rows.heads();
  if (heads > kMaxComparedHeads) return true;
  const auto count = static_cast<std::size_t>(heads);
  distances.assign(count, std::vector<double>(count, 0));
  const Index width = std::clamp<Index>(kWeightsAtOnce / heads, 1, std::max<Index>(1, rows.keys()));
  const Index queries = width < rows.keys() ? 1 : std::max<Index>(1, kWeightsAtOnce / heads / width);
  for (Index first = 0; first < rows.queries(); first += queries) {
    const Index these = std::min(queries, rows.queries() - first);
    for (Index key = 0; key < rows.keys(); key += width) {
      std::vector<std::shared_ptr<const Tensor>> blocks;
      for (Index head = 0; head < heads && !rows.ended(); ++head)
        blocks.push_back(rows.block(head, first, these, key, std::min(width, rows.keys() - key)));
      for (std::size_t i = 0; i < count && !rows.ended(); ++i) {
        for (std::size_t j = i + 1; j < count; ++j)
          add_distance(blocks[i]->values(), blocks[j]->values(), distances[i][j]);
      }
      if (rows.ended()) return false;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) distances[i][j] = distances[j][i];
  }
  return true;
}

/// Which heads a cluster has, in the order in which they stand.
using Cluster = std::vector<Index>;

double mean_distance(const std::vector<std::vector<double>>& distances, const Cluster& a, const Cluster& b) {
  double sum = 0;
  for (const Index i : a) {
    for (const Index j : b) sum += distances[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  return sum / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

/// `b` after `a`, each turned round where that brings nearer heads together.
Cluster joined(const std::vector<std::vector<double>>& distances, Cluster a, Cluster b) {
  const auto between = [&](Index i, Index j) {
    return distances[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  };
  const bool turn_a = std::min(between(a.front(), b.front()), between(a.front(), b.back())) <
                      std::min(between(a.back(), b.front()), between(a.back(), b.back()));
  if (turn_a) std::reverse(a.begin(), a.end());
  if (between(a.back(), b.back()) < between(a.back(), b.front())) std::reverse(b.begin(), b.end());
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::vector<int> attention_steps_of(const Trace& trace) {
  std::vector<int> steps;
  for (std::size_t i = 0; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    if (is_attention(step) && step.axes.size() >= 2) steps.push_back(static_cast<int>(i));
  }
  return steps;
}

double measuring_bytes(const Step& step) {
  const auto heads = static_cast<double>(heads_in(step));
  const auto keys = static_cast<double>(step.axes.back().size);
  const auto compared = std::min(heads, static_cast<double>(kMaxComparedHeads));
  // Means by key, a row or as many as are computed at once with what they are computed from, distances, and the
  // singular values.
  return 8 * keys * (heads + 2) + 3 * 4 * std::max(keys, static_cast<double>(kWeightsAtOnce)) +
         8 * compared * compared + 3 * 8 * static_cast<double>(kMaxCellsForRank);
}

std::optional<HeadMeasures> measure_heads(const Trace& trace, int position, Index item, const StopToken& stop) {
  const HeadRows rows(trace, position, item, stop);
  const std::uint64_t failures = trace.failures();
  HeadMeasures measured = {rows.step().name, rows.queries(), rows.keys(), {}, {}, {}, {}, {}, {}, {}};
  std::vector<std::optional<HeadCircuit>> circuits;
  for (Index head = 0; head < rows.heads(); ++head) circuits.push_back(head_circuit(trace, position, head));
  const auto pattern_of = [&](Index head) {
    return head_pattern(trace, rows.step(), rows.leading(head), {nullptr, rows.queries(), rows.keys(), rows.keys(), 1});
  };
  for (Index head = 0; head < rows.heads(); ++head) {
    HeadPattern pattern = pattern_of(head);
    const std::optional<HeadCircuit>& circuit = circuits[static_cast<std::size_t>(head)];
    pattern.circuit = circuit ? &*circuit : nullptr;
    HeadSums sums(pattern);
    if (!rows.each_row(head, [&](std::span<const float> row) { sums.add(row); })) return std::nullopt;
    measured.heads.push_back(sums.measured());
    measured.received.push_back(sums.received());
  }
  const HeadPattern even = pattern_of(0);
  HeadSums uniform(even);
  std::vector<float> row(static_cast<std::size_t>(rows.keys()));
  for (Index query = 0; query < rows.queries() && !rows.ended(); ++query) {
    uniform_row(even, query, row);
    uniform.add(row);
  }
  measured.uniform = uniform.measured();
  measured.uniform_received = uniform.received();
  if (!compare_heads(rows, measured.distances)) return std::nullopt;
  for (const int earlier : earlier_layers(trace, position)) {
    if (rows.heads() > kMaxComparedHeads) break;
    if (stop.stop_requested()) return std::nullopt;
    if (std::optional<HeadComposition> composed = layer_composition(trace, earlier, circuits))
      measured.compositions.push_back(std::move(*composed));
  }
  measured.rollout = rollout(trace, position, item, stop);
  if (rows.ended() || trace.failures() > failures) return std::nullopt;
  return measured;
}

std::vector<Index> similarity_order(const std::vector<std::vector<double>>& distances) {
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < distances.size(); ++i) clusters.push_back({static_cast<Index>(i)});
  while (clusters.size() > 1) {
    std::pair<std::size_t, std::size_t> nearest = {0, 1};
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      for (std::size_t j = i + 1; j < clusters.size(); ++j) {
        const double distance = mean_distance(distances, clusters[i], clusters[j]);
        if (distance < least) least = distance, nearest = {i, j};
      }
    }
    clusters[nearest.first] = joined(distances, clusters[nearest.first], clusters[nearest.second]);
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(nearest.second));
  }
  return clusters.empty() ? std::vector<Index>() : clusters.front();
}

}  // namespace attnscope
