#include "core/residual/head_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/heads/attention_list.h"
#include "core/operations/contract.h"
#include "core/operations/feature_norm.h"
#include "core/operations/lookup.h"
#include "core/residual/contributions.h"
#include "core/residual/head_path.h"

namespace attnscope {
namespace {

using Numbers64 = std::vector<double>;

constexpr Index kNumbersAtOnce = Index{1} << 22U;  // 16 MB

const Step& at(const Trace& trace, int number) { return trace.steps()[static_cast<std::size_t>(number)]; }

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

std::optional<LayerAttention> attention_of(const Trace& trace, int weights) {
  const std::vector<LayerAttention> all = layer_attentions(trace);
  const auto found = std::ranges::find(all, weights, &LayerAttention::weights);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

/// The table of the embeddings of the tokens that this attention's stream begins with; null: it begins with no tokens.
const LookupOperation* embeddings_of(const Trace& trace, const LayerAttention& attention) {
  const std::string part = attention.kind == AttentionKind::encoder   ? "encoder."
                           : attention.kind == AttentionKind::decoder ? "decoder."
                                                                      : "";
  for (const char* const name : {"token_embeddings", "embedded"}) {
    const Step* const step = trace.find(part + name);
    if (step == nullptr) continue;
    if (const auto* const lookup = as<LookupOperation>(step->operation)) return lookup;
  }
  return nullptr;
}

/// The score of a key that is made from a row [feature] of the stream.
struct KeyScore {
  Numbers64 direction;  ///< of the row behind mean and divisor
  double constant = 0;
  bool centered = false;
  std::optional<double> epsilon;  ///< nothing: the row is not normalized
  bool fixed_norm = false;        ///< see WordList

  [[nodiscard]] double of(std::span<const float> row) const {
    const auto count = static_cast<double>(row.size());
    double mean = 0;
    if (centered) mean = std::accumulate(row.begin(), row.end(), 0.0) / count;
    double sum = 0;
    double power = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double x = static_cast<double>(row[i]) - mean;
      sum += x * direction[i];
      power += x * x;
    }
    return (epsilon ? sum / std::sqrt(power / count + *epsilon) : sum) + constant;
  }
};

Result<KeyScore> key_score(const Trace& trace, const ScoreChoice& choice) {
  ScoreChoice key = choice;
  key.side = ScoreSide::key;
  Result<ScoreDirection> score = score_direction(trace, key);
  if (!score) return tl::unexpected(score.error());
  Result<LinearNumber> linear = linear_input(trace, score->box, std::move(score->direction));
  if (!linear) return tl::unexpected(linear.error());
  KeyScore result = {std::move(linear->direction), linear->constant, false, std::nullopt, linear->divisor.has_value()};
  const Step& input = at(trace, linear->state);
  const auto* const norm = as<FeatureNormOperation>(input.operation);
  if (norm == nullptr) return result;
  result.centered = norm->centered;
  result.epsilon = norm->epsilon;
  if (input.inputs.size() > 2) {
    const Numbers64 bias = numbers_in(trace, whole_region(input.inputs[2], at(trace, input.inputs[2]).axes));
    result.constant += std::inner_product(bias.begin(), bias.end(), result.direction.begin(), 0.0);
  }
  const Numbers64 scale = numbers_in(trace, whole_region(input.inputs[1], at(trace, input.inputs[1]).axes));
  for (std::size_t i = 0; i < scale.size(); ++i) result.direction[i] *= scale[i];
  return result;
}

/// The value of a head at a key, as what the output projection adds to the stream: [feature]. The recorded steps are run on
/// outputs that are 0 but for this head.
Result<Numbers64> written_row(const Trace& trace, const ScoreChoice& choice) {
  const Result<HeadPath> path = head_path(trace, choice.weights);
  if (!path) return tl::unexpected(path.error());
  const int projection = path->projection;
  const std::vector<PlannedStep>& steps = trace.plan()->steps;
  const StepContext context = {trace.experiment().seed, nullptr, {}};
  const auto run = [&](const Region& region, const std::vector<Region>& sources, Inputs inputs) {
    const PlannedStep& step = steps[static_cast<std::size_t>(region.step)];
    Tensor out(region_axes(step.axes, region));
    step.operation->compute_part({{steps, step}, region, sources}, inputs, context, out);
    return out;
  };
  const Region written = region_within(projection, at(trace, projection).axes, std::vector<Index>{choice.query});
  const std::vector<Region> projected = regions_behind(steps, written);
  const std::vector<Region> heads = regions_behind(steps, projected[0]);
  const auto numbers = trace.numbers(value_at(trace, *path, choice.head, choice.key));
  Tensor alone(region_axes(at(trace, heads[0].step).axes, heads[0]));
  std::ranges::fill(alone.values(), 0.0F);
  std::ranges::copy(numbers->values(), alone.values().begin() + choice.head * std::ssize(numbers->values()));
  const Tensor row = run(projected[0], heads, std::vector<const Tensor*>{&alone});
  const auto matrix = trace.numbers(projected[1]);
  std::vector<const Tensor*> inputs = {&row, matrix.get()};
  Tensor no_bias(region_axes(at(trace, projection).axes, written));
  if (projected.size() > 2) {
    no_bias = Tensor(region_axes(at(trace, projected[2].step).axes, projected[2]));
    std::ranges::fill(no_bias.values(), 0.0F);
    inputs.push_back(&no_bias);
  }
  const Tensor out = run(written, projected, inputs);
  return Numbers64(out.values().begin(), out.values().end());
}

/// Takes what is added to the last state of a row through the final norm, whose divisor is held fixed.
void through_readout(const Trace& trace, const ResidualStream& stream, Index position, Numbers64& added) {
  for (const int number : stream.readout) {
    const Step& step = at(trace, number);
    const auto* const norm = as<FeatureNormOperation>(step.operation);
    if (norm == nullptr) continue;
    const Numbers64 row =
        numbers_in(trace, region_within(step.inputs[0], at(trace, step.inputs[0]).axes, std::vector<Index>{position}));
    const Numbers64 scale = numbers_in(trace, whole_region(step.inputs[1], at(trace, step.inputs[1]).axes));
    const auto count = static_cast<double>(row.size());
    const auto mean_of = [&](const Numbers64& numbers) {
      return norm->centered ? std::accumulate(numbers.begin(), numbers.end(), 0.0) / count : 0.0;
    };
    const double mean = mean_of(row);
    double power = 0;
    for (const double x : row) power += (x - mean) * (x - mean) / count;
    const double own_mean = mean_of(added);
    for (std::size_t i = 0; i < added.size(); ++i)
      added[i] = (added[i] - own_mean) * scale[i] / std::sqrt(power + norm->epsilon);
  }
}

}  // namespace

Result<WordList> sought_words(const Trace& trace, const ScoreChoice& choice, Index count, const StopToken& stop) {
  const std::optional<LayerAttention> attention = attention_of(trace, choice.weights);
  if (!attention || attention->kind == AttentionKind::cross)
    return fail("The keys of cross-attention are not made from tokens alone.");
  const LookupOperation* const table = embeddings_of(trace, *attention);
  if (table == nullptr) return fail("The keys are not made from the embeddings of tokens.");
  const Result<KeyScore> score = key_score(trace, choice);
  if (!score) return tl::unexpected(score.error());
  const std::vector<Index>& shape = table->from->tensors()[table->which].shape;
  if (shape[1] != std::ssize(score->direction)) return fail("The keys are not made from the embeddings of tokens.");
  Extremes extremes(count);
  const Index at_once = std::max<Index>(1, kNumbersAtOnce / shape[1]);
  std::vector<float> rows;
  for (Index first = 0; first < shape[0]; first += at_once) {
    const Index these = std::min(at_once, shape[0] - first);
    rows.resize(static_cast<std::size_t>(these * shape[1]));
    const Result<void> read = table->from->read(table->which, std::array<Index, 2>{first, 0},
                                                std::array<Index, 2>{first + these, shape[1]}, rows, stop);
    if (stop.stop_requested()) return fail("stopped before it was done");
    if (!read) return tl::unexpected(read.error());
    for (float& number : rows) number *= static_cast<float>(table->factor);
    for (Index i = 0; i < these; ++i)
      extremes.add(first + i, score->of(std::span(rows).subspan(static_cast<std::size_t>(i * shape[1]),
                                                                static_cast<std::size_t>(shape[1]))));
  }
  WordList list = extremes.list();
  list.fixed_norm = score->fixed_norm;
  return list;
}

Result<WordList> written_words(const Trace& trace, const ScoreChoice& choice, Index count, const StopToken& stop) {
  const std::optional<LayerAttention> attention = attention_of(trace, choice.weights);
  if (!attention || attention->kind == AttentionKind::encoder)
    return fail("The heads of the encoder write for the decoder, not for the answer.");
  const Result<ResidualSum> sum = residual_sum(trace);
  if (!sum) return tl::unexpected(sum.error());
  Result<Numbers64> row = written_row(trace, choice);
  if (!row) return tl::unexpected(row.error());
  through_readout(trace, sum->stream, choice.query, *row);
  const Step& logits = at(trace, sum->stream.logits);
  const int table = logits.inputs[1];
  const Axes& axes = at(trace, table).axes;
  if (axes.front().name != "vocabulary") return fail("The answers of this model are not tokens.");
  const double divisor = as<ContractOperation>(logits.operation)->divisor;
  Extremes extremes(count);
  const Index at_once = std::max<Index>(1, kNumbersAtOnce / axes[1].size);
  for (Index first = 0; first < axes[0].size; first += at_once) {
    const Index these = std::min(at_once, axes[0].size - first);
    const auto numbers = trace.numbers({table, {first, 0}, {first + these, axes[1].size}}, {0, nullptr, stop});
    if (stop.stop_requested()) return fail("stopped before it was done");
    for (Index i = 0; i < these; ++i) {
      const auto weights = numbers->values().subspan(static_cast<std::size_t>(i * axes[1].size), row->size());
      extremes.add(first + i, std::inner_product(row->begin(), row->end(), weights.begin(), 0.0) / divisor);
    }
  }
  return extremes.list();
}

}  // namespace attnscope
