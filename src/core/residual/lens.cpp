#include "core/residual/lens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace attnscope {
namespace {

/// Numbers of the output table in one part: 16 MB.
constexpr Index kMaxTableNumbers = Index{1} << 22U;

/// The largest of many logits and the sum of their exponentials.
struct LargestLogit {
  Index number = 0;
  double logit = -std::numeric_limits<double>::infinity();
  double sum = 0;  ///< Σ exp(l − logit)

  void add(Index its_number, double l) {
    if (l == -std::numeric_limits<double>::infinity()) return;  // of probability 0, beside whatever is larger
    if (l > logit) {
      sum = sum * std::exp(logit - l) + 1;
      logit = l;
      number = its_number;
    } else {
      sum += std::exp(l - logit);
    }
  }
};

const Axes& axes_of(const Trace& trace, int step) { return trace.step(step).axes; }

std::shared_ptr<const Tensor> row_of(const Trace& trace, int step, Index row) {
  return trace.numbers(region_within(step, axes_of(trace, step), std::vector<Index>{row}));
}

}  // namespace

std::vector<Answer> most_probable(std::span<const float> logits, std::span<const float> probabilities, Index count) {
  std::vector<Index> order(logits.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto logit = [&](Index i) { return static_cast<double>(logits[static_cast<std::size_t>(i)]); };
  const auto end = order.begin() + std::min<Index>(count, std::ssize(order));
  // NaN comes last.
  std::partial_sort(order.begin(), end, order.end(), [&](Index a, Index b) {
    if (std::isnan(logit(a)) || std::isnan(logit(b))) return std::isnan(logit(b)) && (!std::isnan(logit(a)) || a < b);
    return logit(a) != logit(b) ? logit(a) > logit(b) : a < b;
  });
  LargestLogit largest;
  for (Index i = 0; probabilities.empty() && i < std::ssize(logits); ++i) largest.add(i, logit(i));
  std::vector<Answer> answers;
  for (auto i = order.begin(); i != end; ++i) {
    const double own = probabilities.empty() ? std::exp(logit(*i) - largest.logit) / largest.sum
                                             : static_cast<double>(probabilities[static_cast<std::size_t>(*i)]);
    answers.push_back({*i, logit(*i), own});
  }
  return answers;
}

std::vector<Answer> output_answers(const Trace& trace, const ResidualStream& stream, Index position, Index count) {
  return most_probable(row_of(trace, stream.logits, position)->values(),
                       row_of(trace, stream.probabilities, position)->values(), count);
}

std::vector<Answer> answers_after(const Trace& trace, const ResidualStream& stream, std::size_t state, Index position,
                                  Index count, const StopToken& stop) {
  Readout readout(trace, stream, stop);
  const Index all = axes_of(trace, stream.logits).back().size;
  return most_probable(readout.logits(state, {position, position + 1}, {0, all})->values(), {}, count);
}

std::optional<Lens> lens(const Trace& trace, const ResidualStream& stream, Index first, Index count,
                         const StopToken& stop) {
  const Index all = axes_of(trace, stream.logits).back().size;
  const Index features = axes_of(trace, stream.states.back()).back().size;
  const Index at_once = std::max<Index>(1, kMaxTableNumbers / std::max<Index>(1, features));
  std::vector<LargestLogit> largest(stream.states.size() * static_cast<std::size_t>(count));
  Readout readout(trace, stream, stop);
  for (Index begin = 0; begin < all; begin += at_once) {
    const Index end = std::min(all, begin + at_once);
    for (std::size_t state = 0; state < stream.states.size(); ++state) {
      const auto logits = readout.logits(state, {first, first + count}, {begin, end});
      if (stop.stop_requested()) return std::nullopt;
      const float* next = logits->values().data();
      for (Index position = 0; position < count; ++position) {
        LargestLogit& its = largest[state * static_cast<std::size_t>(count) + static_cast<std::size_t>(position)];
        for (Index answer = begin; answer < end; ++answer) its.add(answer, static_cast<double>(*next++));
      }
    }
  }
  Lens lens = {first, count, {}};
  lens.answers.reserve(largest.size());
  for (const LargestLogit& each : largest) lens.answers.push_back({each.number, each.logit, 1 / each.sum});
  return lens;
}

}  // namespace attnscope
