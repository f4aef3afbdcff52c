#include "core/head_measures.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/marginals.h"

namespace attnscope {
namespace {

MeasureRow row_of(const HeadPattern& head) {
  MeasureRow row;
  for (const Measure& measure : measures()) row.push_back(measure.of(head));
  return row;
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

std::optional<HeadMeasures> measure_heads(const Trace& trace, int position, Index item, const std::stop_token& stop) {
  const Step& step = trace.steps()[static_cast<std::size_t>(position)];
  HeadMeasures measured = {
      step.name, step.axes[step.axes.size() - 2].size, step.axes.back().size, {}, {}, {}, {}, {}, {}, {}};
  std::vector<std::shared_ptr<const Tensor>> numbers;
  std::vector<HeadPattern> patterns;
  const StepContext context = {trace.experiment().seed, nullptr, stop};
  const Axis* head_axis = find_axis(step.axes, "head");
  const Index count = head_axis != nullptr ? head_axis->size : 1;
  std::vector<std::optional<HeadCircuit>> circuits;
  for (Index head = 0; head < count; ++head) circuits.push_back(head_circuit(trace, position, head));
  for (Index head = 0; head < count; ++head) {
    const std::vector<Index> leading = leading_index(step.axes, 2, head, item);
    numbers.push_back(trace.numbers(region_within(position, step.axes, leading), context));
    if (stop.stop_requested()) return std::nullopt;
    const std::vector<Index> first(leading.size(), 0);
    patterns.push_back(head_pattern(trace, step, leading, numbers.back()->matrix(first)));
    const std::optional<HeadCircuit>& circuit = circuits[static_cast<std::size_t>(head)];
    patterns.back().circuit = circuit ? &*circuit : nullptr;
    measured.heads.push_back(row_of(patterns.back()));
    measured.received.push_back(marginals_of(patterns.back().weights)->means);
  }
  const Tensor uniform = uniform_weights(patterns.front());
  HeadPattern even = patterns.front();
  even.weights = uniform.matrix({});
  even.circuit = nullptr;
  measured.uniform = row_of(even);
  measured.uniform_received = marginals_of(even.weights)->means;
  measured.distances.assign(patterns.size(), std::vector<double>(patterns.size(), 0));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (std::size_t j = i + 1; j < patterns.size(); ++j) {
      if (stop.stop_requested()) return std::nullopt;
      measured.distances[i][j] = measured.distances[j][i] = head_distance(patterns[i].weights, patterns[j].weights);
    }
  }
  for (const int earlier : earlier_layers(trace, position)) {
    if (stop.stop_requested()) return std::nullopt;
    if (std::optional<HeadComposition> composed = layer_composition(trace, earlier, circuits))
      measured.compositions.push_back(std::move(*composed));
  }
  measured.rollout = rollout(trace, position, item, stop);
  if (stop.stop_requested()) return std::nullopt;
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
