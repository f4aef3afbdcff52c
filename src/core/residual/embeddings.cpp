#include "core/residual/embeddings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/heads/attention_list.h"
#include "core/operations/feature_norm.h"

namespace attnscope {
namespace {

constexpr Index kNumbersAtOnce = Index{1} << 22U;  // 16 MB

}  // namespace

Result<void> Embeddings::read(const StopToken& stop,
                              const std::function<void(Index first, std::span<const float> rows)>& use) const {
  const Index at_once = std::max<Index>(1, kNumbersAtOnce / features());
  std::vector<float> rows;
  for (Index first = 0; first < tokens(); first += at_once) {
    const Index end = std::min(first + at_once, tokens());
    rows.resize(static_cast<std::size_t>((end - first) * features()));
    Result<void> done = table_.from->read(table_.which, std::array<Index, 2>{first, 0},
                                          std::array<Index, 2>{end, features()}, rows, stop);
    if (stop.stop_requested()) return fail("stopped before it was done");
    if (!done) return done;
    for (float& number : rows) number *= static_cast<float>(table_.factor);
    use(first, rows);
  }
  return {};
}

Result<Embeddings> embeddings_of_keys(const Trace& trace, int weights) {
  const std::vector<LayerAttention> all = layer_attentions(trace);
  const auto attention = std::ranges::find(all, weights, &LayerAttention::weights);
  if (attention == all.end() || attention->kind == AttentionKind::cross)
    return fail("The keys of cross-attention are not made from tokens alone.");
  const std::string part = attention->kind == AttentionKind::encoder   ? "encoder."
                           : attention->kind == AttentionKind::decoder ? "decoder."
                                                                       : "";
  for (const char* const name : {"token_embeddings", "embedded"}) {
    const Step* const step = trace.find(part + name);
    if (step == nullptr) continue;
    if (const auto* const lookup = as<LookupOperation>(step->operation)) return Embeddings(*lookup);
  }
  return fail("The keys are not made from the embeddings of tokens.");
}

void LayerNumbers::of(std::span<const float> row, std::span<double> numbers) const {
  const auto count = static_cast<double>(row.size());
  const double mean = centered ? std::accumulate(row.begin(), row.end(), 0.0) / count : 0;
  double divisor = 1;
  if (epsilon) {
    double power = 0;
    for (const float number : row) power += (static_cast<double>(number) - mean) * (static_cast<double>(number) - mean);
    divisor = std::sqrt(power / count + *epsilon);
  }
  std::ranges::fill(numbers, 0.0);
  for (std::size_t feature = 0; feature < row.size(); ++feature) {
    const double x = static_cast<double>(row[feature]) - mean;
    const double* const factor = factors.data() + feature * numbers.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += x * factor[i];
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = numbers[i] / divisor + constants[i];
}

Result<LayerNumbers> layer_numbers(const Trace& trace, const Region& box,
                                   const std::vector<std::vector<double>>& directions) {
  LayerNumbers numbers;
  numbers.constants.resize(directions.size());
  for (std::size_t number = 0; number < directions.size(); ++number) {
    Result<LinearNumber> linear = linear_input(trace, box, directions[number]);
    if (!linear) return tl::unexpected(linear.error());
    double constant = linear->constant;
    numbers.fixed_norm = linear->divisor.has_value();
    const Step& input = trace.step(linear->state);
    if (const auto* const norm = as<FeatureNormOperation>(input.operation)) {
      numbers.centered = norm->centered;
      numbers.epsilon = norm->epsilon;
      const auto whole = [&](std::size_t i) {
        return numbers_in(trace, whole_region(input.inputs[i], trace.step(input.inputs[i]).axes));
      };
      if (input.inputs.size() > 2) {
        const std::vector<double> bias = whole(2);
        constant += std::inner_product(bias.begin(), bias.end(), linear->direction.begin(), 0.0);
      }
      const std::vector<double> scale = whole(1);
      for (std::size_t i = 0; i < scale.size(); ++i) linear->direction[i] *= scale[i];
    }
    numbers.constants[number] = constant;
    numbers.factors.resize(linear->direction.size() * directions.size());
    for (std::size_t feature = 0; feature < linear->direction.size(); ++feature)
      numbers.factors[feature * directions.size() + number] = linear->direction[feature];
  }
  return numbers;
}

}  // namespace attnscope
