#include "core/residual/head_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/residual/embeddings.h"
#include "core/residual/head_writing.h"

namespace attnscope {
namespace {

/// Keeps the extremes of all values it is given.
class Extremes {
 public:
  explicit Extremes(Index count) : count_(static_cast<std::size_t>(count)) {}

  void add(Index token, double value) {
    if (!std::isfinite(value)) return;
    all_.push_back({token, value});
  }

  [[nodiscard]] WordList list() {
    const auto larger = [](const WordValue& a, const WordValue& b) {
      return a.value != b.value ? a.value > b.value : a.token < b.token;
    };
    const std::size_t most = std::min(count_, all_.size());
    const auto middle = all_.begin() + static_cast<std::ptrdiff_t>(most);
    WordList list;
    std::partial_sort(all_.begin(), middle, all_.end(), larger);
    list.largest.assign(all_.begin(), middle);
    std::partial_sort(all_.begin(), middle, all_.end(), [&](const auto& a, const auto& b) { return larger(b, a); });
    list.smallest.assign(all_.begin(), middle);
    return list;
  }

 private:
  std::size_t count_;
  std::vector<WordValue> all_;
};

}  // namespace

Result<WordList> sought_words(const Trace& trace, const ScoreChoice& choice, Index count, const StopToken& stop) {
  const Result<Embeddings> embeddings = embeddings_of_keys(trace, choice.weights);
  if (!embeddings) return tl::unexpected(embeddings.error());
  ScoreChoice key = choice;
  key.side = ScoreSide::key;
  Result<ScoreDirection> direction = score_direction(trace, key);
  if (!direction) return tl::unexpected(direction.error());
  const Result<LayerNumbers> score = layer_numbers(trace, direction->box, {std::move(direction->direction)});
  if (!score) return tl::unexpected(score.error());
  const Index features = embeddings->features();
  if (features != std::ssize(score->factors)) return fail("The keys are not made from the embeddings of tokens.");
  Extremes extremes(count);
  const Result<void> read = embeddings->read(stop, [&](Index first, std::span<const float> rows) {
    for (Index i = 0; i * features < std::ssize(rows); ++i) {
      std::array<double, 1> number = {};
      score->of(rows.subspan(static_cast<std::size_t>(i * features), static_cast<std::size_t>(features)), number);
      extremes.add(first + i, number[0]);
    }
  });
  if (!read) return tl::unexpected(read.error());
  WordList list = extremes.list();
  list.fixed_norm = score->fixed_norm;
  return list;
}

Result<WordList> written_words(const Trace& trace, const ScoreChoice& choice, Index count, const StopToken& stop) {
  const Result<HeadWriting> writing = HeadWriting::of(trace, choice);
  if (!writing) return tl::unexpected(writing.error());
  const std::vector<double> state = writing->state(trace.numbers(writing->value_at(choice.key))->values());
  Extremes extremes(count);
  const Result<void> read = writing->read_logits(stop, [&](Index first, std::span<const float> rows) {
    for (std::size_t i = 0; i * state.size() < rows.size(); ++i) {
      const auto weights = rows.subspan(i * state.size(), state.size());
      const double logit = std::inner_product(state.begin(), state.end(), weights.begin(), 0.0) / writing->divisor();
      extremes.add(first + static_cast<Index>(i), logit);
    }
  });
  if (!read) return tl::unexpected(read.error());
  return extremes.list();
}

}  // namespace attnscope
