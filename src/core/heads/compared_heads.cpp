#include "core/heads/compared_heads.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_rows.h"
#include "core/heads/metrics.h"

namespace attnscope {
namespace {

constexpr double kOperationsPerWeight = 30;

/// The attentions whose heads are compared: those of layers, or all that there are beside them.
std::vector<int> attentions_of(const Trace& trace) {
  std::vector<int> steps;
  for (const LayerAttention& each : layer_attentions(trace)) steps.push_back(each.weights);
  if (const Step* cross = trace.find("cross_weights")) {
    const auto step = static_cast<int>(cross - trace.steps().data());
    if (std::ranges::find(steps, step) == steps.end()) steps.push_back(step);
  }
  return steps;
}

/// One head beside another of the same size.
class Pair {
 public:
  Pair(const HeadRows& a, Index head_a, const HeadRows& b, Index head_b)
      : a_(a), b_(b), head_a_(head_a), head_b_(head_b) {}

  [[nodiscard]] double divergence() {
    const Index at_once = std::max<Index>(1, kWeightsAtOnce / std::max<Index>(1, a_.keys()));
    for (Index first = 0; first < a_.queries() && !a_.ended() && !b_.ended(); first += at_once) {
      const Index count = std::min(at_once, a_.queries() - first);
      if (a_.held() && b_.held()) {
        for (Index query = first; query < first + count; ++query) add(a_.row(head_a_, query), b_.row(head_b_, query));
        continue;
      }
      const auto left = a_.block(head_a_, first, count, 0, a_.keys());
      const auto right = b_.block(head_b_, first, count, 0, a_.keys());
      if (a_.ended() || b_.ended()) break;
      const auto width = static_cast<std::size_t>(a_.keys());
      for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row)
        add(left->values().subspan(row * width, width), right->values().subspan(row * width, width));
    }
    return rows_ > 0 ? sum_ / static_cast<double>(rows_) : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  void add(std::span<const float> a, std::span<const float> b) {
    if (!all_finite(a) || !all_finite(b)) return;
    double divergence = 0;
    add_distance(a, b, divergence);
    sum_ += std::max(0.0, divergence);
    ++rows_;
  }

  const HeadRows& a_;
  const HeadRows& b_;
  Index head_a_;
  Index head_b_;
  double sum_ = 0;
  Index rows_ = 0;
};

bool have_one_size(const Step& a, const Step& b) {
  return a.axes[a.axes.size() - 2].size == b.axes[b.axes.size() - 2].size && a.axes.back().size == b.axes.back().size;
}

}  // namespace

std::optional<std::vector<ComparedHead>> compare_every_head(const Trace& trace, const Trace& other,
                                                            const std::optional<HeadPlace>& with, Index item,
                                                            const StopToken& stop) {
  ThreadPool pool;
  std::vector<ComparedHead> compared;
  std::optional<HeadRows> beside_rows;
  if (with) beside_rows.emplace(other, with->weights, item, stop);
  for (const int step : attentions_of(trace)) {
    const Step& weights = trace.step(step);
    const Step* const beside = with ? &beside_rows->step() : other.find(weights.name);
    if (beside == nullptr || beside->axes.size() < 2 || !have_one_size(weights, *beside)) continue;
    const HeadRows a(trace, step, item, stop);
    if (!with) beside_rows.emplace(other, static_cast<int>(beside - other.steps().data()), item, stop);
    const HeadRows& b = *beside_rows;
    const Index heads = with ? a.heads() : std::min(a.heads(), b.heads());
    const std::size_t first = compared.size();
    for (Index head = 0; head < heads; ++head) compared.push_back({{step, head}, 0});
    // Weights that are read come through one file, one after the other.
    ThreadPool* const threads = a.held() && b.held() ? &pool : nullptr;
    const double work = kOperationsPerWeight * static_cast<double>(heads) * static_cast<double>(a.queries() * a.keys());
    run_blocks(threads, work, heads, [&](Index head) {
      compared[first + static_cast<std::size_t>(head)].divergence =
          Pair(a, head, b, with ? with->head : head).divergence();
    });
    if (a.ended() || b.ended()) return std::nullopt;
  }
  return compared;
}

}  // namespace attnscope
