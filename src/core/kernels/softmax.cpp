#include "core/kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/isa/instruction_set.h"

namespace attnscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Divides first: equal logits then have equal exponents at any temperature. Shifts first if the division would
/// overflow.
Exponent exponent_below(float maximum, float temperature) {
  if (std::isfinite(maximum) && !std::isfinite(maximum / temperature)) return {temperature, maximum, true};
  return {temperature, maximum / temperature, false};
}

float exponential_of(float logit, const Exponent& exponent) {
  float result = 0;
  kernels().exponentials(&logit, exponent, &result, 1);
  return result;
}

bool is_empty(const SoftmaxStatistics& statistics) { return statistics.maximum == -kInfinity && statistics.sum == 0; }

}  // namespace

void RowStatisticsOfBlocks::add(std::span<const float> block) {
  add(block, kernels().largest(block.data(), static_cast<Index>(block.size())));
}

void RowStatisticsOfBlocks::add(std::span<const float> block, float largest) {
  // The maximum ignores NaN.
  const bool nothing = largest == -kInfinity;
  if (nothing && std::none_of(block.begin(), block.end(), [](float logit) { return std::isnan(logit); })) return;
  const Exponent exponent = exponent_below(largest, temperature_);
  add_sum(largest, kernels().exponentials(block.data(), exponent, nullptr, static_cast<Index>(block.size())));
}

void RowStatisticsOfBlocks::add(float logit, Index count) {
  if (count == 0 || logit == -kInfinity) return;
  const float one = exponential_of(logit, exponent_below(logit, temperature_));
  add_sum(logit, one * static_cast<float>(count));
}

void RowStatisticsOfBlocks::add_sum(float largest, float sum) {
  if (is_empty(statistics_)) {
    statistics_ = {largest, sum};
  } else if (largest > statistics_.maximum) {
    const float factor = exponential_of(statistics_.maximum, exponent_below(largest, temperature_));
    statistics_ = {largest, statistics_.sum * factor + sum};
  } else {
    statistics_.sum += sum * exponential_of(largest, exponent_below(statistics_.maximum, temperature_));
  }
}

SoftmaxStatistics softmax_statistics(std::span<const float> row, float temperature) {
  RowStatisticsOfBlocks blocks(temperature);
  for (std::size_t at = 0; at < row.size(); at += kSumBlock)
    blocks.add(row.subspan(at, std::min<std::size_t>(kSumBlock, row.size() - at)));
  return blocks.statistics();
}

void softmax_part(std::span<const float> part, float temperature, const SoftmaxStatistics& statistics,
                  std::span<float> out) {
  if (is_empty(statistics)) {
    std::fill(out.begin(), out.end(), 0.0F);
    return;
  }
  kernels().weights(part.data(), exponent_below(statistics.maximum, temperature), statistics.sum, out.data(),
                    static_cast<Index>(part.size()));
}

void softmax_row(std::span<const float> row, float temperature, std::span<float> out, float* copy) {
  const Kernels& loops = kernels();
  const auto count = static_cast<Index>(row.size());
  if (count > kSumBlock) {
    softmax_part(row, temperature, softmax_statistics(row, temperature), out);
    if (copy != nullptr) loops.stream(out.data(), copy, count);
    return;
  }
  // A single block: its exponentials are kept.
  const float largest = loops.largest(row.data(), count);
  if (largest == -kInfinity && std::none_of(row.begin(), row.end(), [](float logit) { return std::isnan(logit); })) {
    std::fill(out.begin(), out.end(), 0.0F);
    if (copy != nullptr) loops.stream(out.data(), copy, count);
    return;
  }
  const float sum = loops.exponentials(row.data(), exponent_below(largest, temperature), out.data(), count);
  loops.divide(out.data(), sum, copy, count);
}

KeptKeys softmax_masked_row(std::span<const float> row, const KeptKeys& kept, float fill, float temperature,
                            std::span<float> out, float* copy) {
  const KeptKeys all = {0, static_cast<Index>(row.size())};
  const Kernels& loops = kernels();
  // Starts at a vector boundary: every sum is then grouped as in the whole row.
  constexpr Index kMaxVector = 16;
  const KeptKeys used = {kept.begin / kMaxVector * kMaxVector, kept.end};
  const Index count = used.end - used.begin;
  if (kept.begin < kept.end && count < all.end && all.end <= kSumBlock) {
    const float largest = std::max(loops.largest(row.data() + used.begin, count), loops.largest(&fill, 1));
    const Exponent exponent = exponent_below(largest, temperature);
    if (std::isfinite(largest) && exponential_of(fill, exponent) == 0) {
      const float sum = loops.exponentials(row.data() + used.begin, exponent, out.data() + used.begin, count);
      std::fill(out.begin(), out.begin() + used.begin, 0.0F);
      std::fill(out.begin() + used.end, out.end(), 0.0F);
      // A NaN sum makes every weight NaN, even 0.
      const KeptKeys divided = std::isfinite(sum) ? used : all;
      loops.divide(out.data() + divided.begin, sum, copy != nullptr ? copy + divided.begin : nullptr,
                   divided.end - divided.begin);
      if (copy != nullptr) {
        loops.stream(out.data(), copy, divided.begin);
        loops.stream(out.data() + divided.end, copy + divided.end, all.end - divided.end);
      }
      return divided;
    }
  }
  softmax_row(row, temperature, out, copy);
  return all;
}

}  // namespace attnscope
