#include "core/heads/head_measures.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "core/base/stop.h"
#include "core/base/thread_pool.h"
#include "core/experiment/intervention.h"
#include "core/heads/found_mask.h"
#include "core/heads/head_distances.h"
#include "core/heads/head_rows.h"
#include "core/operations/import.h"
#include "core/trace/imported_weights.h"

namespace attnscope {
namespace {

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
  // Those of the text to patch from are another run of the same heads.
  const bool is_model = trace.experiment().model != nullptr;
  std::vector<int> steps;
  for (std::size_t i = 0; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    if (!is_attention(step) || step.axes.size() < 2) continue;
    if (!is_model || !step.name.starts_with(kPatchPrefix)) steps.push_back(static_cast<int>(i));
  }
  return steps;
}

double measuring_bytes(const Step& step) {
  const auto heads = static_cast<double>(heads_in(step.axes));
  const auto queries = static_cast<double>(step.axes[step.axes.size() - 2].size);
  const auto keys = static_cast<double>(step.axes.back().size);
  const auto compared = std::min(heads, static_cast<double>(kMaxComparedHeads));
  // Means by key and entropies by query, a row or as many as are computed at once with what they are computed from,
  // distances, and the singular values.
  return 8 * (keys + queries) * (heads + 2) + 3 * 4 * std::max(keys, static_cast<double>(kWeightsAtOnce)) +
         8 * compared * compared + 3 * 8 * static_cast<double>(kMaxCellsForRank);
}

double rank_operations(const Axes& axes) {
  const auto queries = static_cast<double>(axes[axes.size() - 2].size);
  const auto keys = static_cast<double>(axes.back().size);
  const double shorter = std::min(queries, keys);
  if (shorter > static_cast<double>(kMaxForRank) || queries * keys > static_cast<double>(kMaxCellsForRank)) return 0;
  return static_cast<double>(heads_in(axes)) * shorter * queries * keys;
}

/// The mask of imported weights: the one that the experiment declares, otherwise the one that they show.
struct ImportedMask {
  std::optional<MaskField> declared;
  FoundMask found;
  std::vector<bool> padding;  ///< [position]: empty: nowhere, or queries and keys are not the same positions

  [[nodiscard]] std::string text() const {
    const bool leaves_out = !padding.empty();
    const std::string what = declared ? "mask " + mask_text(declared->mask()) + ", as set" : found.text(leaves_out);
    return what + (leaves_out ? "; queries that are padding are left out" : "");
  }
};

namespace {

/// [key]: whether no query of any head may attend to it; empty if there is no such key.
std::vector<bool> padding_of(const MaskField& mask, Index batch) {
  std::vector<bool> padding;
  const auto is_kept = [&](Index key) {
    for (Index head = 0; head < mask.sizes().heads; ++head) {
      // Most keys are kept by the query at their own position.
      if (key < mask.sizes().queries && mask.keeps(batch, head, key, key)) return true;
      for (Index query = 0; query < mask.sizes().queries; ++query) {
        if (mask.keeps(batch, head, query, key)) return true;
      }
    }
    return false;
  };
  for (Index key = 0; key < mask.sizes().keys; ++key) padding.push_back(!is_kept(key));
  const bool any = std::ranges::any_of(padding, [](bool each) { return each; });
  return any ? padding : std::vector<bool>();
}

ImportedMask mask_of_imported(const Trace& trace, const HeadRows& rows) {
  ImportedMask mask;
  if (!is<ImportOperation>(rows.step().operation)) return mask;
  mask.declared = declared_mask(trace.experiment(), rows.step().axes);
  const HeadPattern pattern =
      head_pattern(trace, rows.step(), rows.leading(0), {nullptr, rows.queries(), rows.keys(), rows.keys(), 1});
  if (mask.declared) {
    if (pattern.same_positions) mask.padding = padding_of(*mask.declared, pattern.batch);
    return mask;
  }
  MaskSearch search(rows.queries(), rows.keys());
  for (Index head = 0; head < rows.heads() && !rows.ended(); ++head)
    rows.each_row(head, [&](Index query, std::span<const float> row) { search.add(query, row); });
  mask.found = search.found();
  if (pattern.same_positions && mask.found.is_soft) mask.padding = mask.found.padding;
  return mask;
}

/// Measures all heads of one attention, several at once if they are held.
class HeadMeasurer {
 public:
  HeadMeasurer(const Trace& trace, int position, const Measuring& measuring)
      : trace_(trace),
        position_(position),
        measuring_(measuring),
        so_far_(measuring.so_far != nullptr ? *measuring.so_far : own_),
        rows_(trace, position, measuring.item, measuring.stop) {}

  std::optional<HeadMeasures> measured() {
    const std::uint64_t failures = trace_.failures();
    if (rows_.ended()) return std::nullopt;
    if (so_far_.mask == nullptr) {
      so_far_.mask = std::make_shared<const ImportedMask>(mask_of_imported(trace_, rows_));
      for (Index head = 0; head < rows_.heads(); ++head)
        so_far_.circuits.push_back(measuring_.circuits ? head_circuit(trace_, position_, head) : std::nullopt);
    }
    if (rows_.ended()) return std::nullopt;
    mask_ = so_far_.mask.get();
    measured_ = {.tensor = rows_.step().name, .queries = rows_.queries(), .keys = rows_.keys(), .mask = mask_->text()};
    if (!measure_each() || !measure_uniform()) return std::nullopt;
    if (measuring_.distances && rows_.heads() <= kMaxComparedHeads && !compare()) return std::nullopt;
    if (measuring_.rollout) measured_.rollout = rollout(trace_, position_, measuring_.item, measuring_.stop);
    if (rows_.ended() || trace_.failures() > failures) return std::nullopt;
    return std::move(measured_);
  }

 private:
  [[nodiscard]] HeadPattern pattern_of(Index head) const {
    HeadPattern pattern = head_pattern(trace_, rows_.step(), rows_.leading(head),
                                       {nullptr, rows_.queries(), rows_.keys(), rows_.keys(), 1});
    if (mask_->declared) pattern.mask = &*mask_->declared;
    pattern.found = &mask_->found;
    if (!mask_->padding.empty()) pattern.padding = &mask_->padding;
    return pattern;
  }

  /// About how many operations the measures take.
  [[nodiscard]] double work() const {
    constexpr double kOfAWeight = 20;
    return kOfAWeight * static_cast<double>(rows_.heads()) * static_cast<double>(rows_.queries()) *
           static_cast<double>(rows_.keys());
  }
  /// Threads, if all weights are held and there is enough to do.
  ThreadPool* pool() { return pool_for(work()); }
  ThreadPool* pool_for(double operations) {
    if (!rows_.held() || !worth_waking(operations)) return nullptr;
    if (!pool_) pool_.emplace();
    return &*pool_;
  }

  /// Not before something was done: where there is little time, it comes to an end all the same.
  [[nodiscard]] bool pauses() const {
    return measuring_.so_far != nullptr && worked_ && measuring_.pause.stop_requested();
  }

  /// False if stopped, paused or failed.
  bool measure_each() {
    const auto count = static_cast<std::size_t>(rows_.heads());
    so_far_.heads.resize(count);
    const auto measure = [&](Index head) {
      std::optional<MeasuredSoFar::Head>& known = so_far_.heads[static_cast<std::size_t>(head)];
      if (known || rows_.ended() || pauses()) return;
      HeadPattern pattern = pattern_of(head);
      const std::optional<HeadCircuit>& circuit = so_far_.circuits[static_cast<std::size_t>(head)];
      pattern.circuit = circuit ? &*circuit : nullptr;
      HeadSums sums(pattern, measuring_.rank);
      if (!rows_.each_row(head, [&](Index /*query*/, std::span<const float> row) { sums.add(row); })) return;
      known = {sums.measured(), sums.received(), {}, sums.left_out()};
      if (rows_.heads() <= kMaxComparedHeads) known->entropies = sums.entropies();
      worked_ = true;
    };
    run_blocks(pool(), work(), rows_.heads(), measure);
    if (rows_.ended()) return false;
    for (const std::optional<MeasuredSoFar::Head>& head : so_far_.heads) {
      if (!head) return false;
      measured_.heads.push_back(head->row);
      measured_.received.push_back(head->received);
      measured_.left_out += head->left_out;
    }
    return true;
  }

  bool measure_uniform() {
    if (!so_far_.uniform && pauses()) return false;
    if (const MaskField* const mask = pattern_of(0).mask;
        mask != nullptr && rows_.heads() > 1 && !mask->is_same_for_heads()) {
      measured_.uniform.resize(measures().size());
      return true;
    }
    if (!so_far_.uniform) {
      const HeadPattern even = pattern_of(0);
      HeadSums uniform(even, measuring_.rank);
      std::vector<float> row(static_cast<std::size_t>(rows_.keys()));
      for (Index query = 0; query < rows_.queries() && !rows_.ended(); ++query) {
        uniform_row(even, query, row);
        uniform.add(row);
      }
      if (rows_.ended()) return false;
      so_far_.uniform = {uniform.measured(), uniform.received(), {}, 0};
      worked_ = true;
    }
    measured_.uniform = so_far_.uniform->row;
    measured_.uniform_received = so_far_.uniform->received;
    return true;
  }

  /// Distances and compositions; false if stopped, paused or failed.
  bool compare() {
    std::vector<std::vector<double>> entropies;
    for (const std::optional<MeasuredSoFar::Head>& head : so_far_.heads) entropies.push_back(head->entropies);
    if (!compare_heads(
            rows_, entropies, pool(), [this] { return pauses(); }, so_far_.distances))
      return false;
    measured_.distances = so_far_.distances;
    return compose();
  }

  /// False if stopped.
  bool compose() {
    const std::vector<int> earlier = earlier_layers(trace_, position_);
    if (earlier.empty()) return true;
    std::vector<std::optional<ComposedCircuit>> later;
    for (const std::optional<HeadCircuit>& circuit : so_far_.circuits)
      later.push_back(circuit ? std::optional<ComposedCircuit>(*circuit) : std::nullopt);
    for (const int layer : earlier) {
      ThreadPool* const threads = pool_for(composition_work(so_far_.circuits));
      std::optional<HeadComposition> composed = layer_composition(trace_, layer, later, threads, measuring_.stop);
      if (measuring_.stop.stop_requested()) return false;
      if (composed) measured_.compositions.push_back(std::move(*composed));
    }
    return true;
  }

  const Trace& trace_;
  int position_;
  const Measuring& measuring_;
  MeasuredSoFar own_;
  MeasuredSoFar& so_far_;
  std::atomic<bool> worked_ = false;
  HeadRows rows_;
  std::optional<ThreadPool> pool_;
  const ImportedMask* mask_ = nullptr;
  HeadMeasures measured_;
};

}  // namespace

double MeasuredSoFar::share() const {
  const std::size_t count = heads.size();
  auto done = static_cast<double>(std::ranges::count_if(heads, [](const auto& head) { return head.has_value(); }));
  for (std::size_t i = 0; i < distances.size(); ++i) {
    for (std::size_t j = i + 1; j < count; ++j) done += distances[i][j] >= 0 ? 1 : 0;
  }
  const bool compares = count <= static_cast<std::size_t>(kMaxComparedHeads);
  const auto all = static_cast<double>(count + (compares ? count * (count - 1) / 2 : 0));
  return count == 0 ? 0 : done / all;
}

std::optional<HeadMeasures> measure_heads(const Trace& trace, int position, const Measuring& measuring) {
  return HeadMeasurer(trace, position, measuring).measured();
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
