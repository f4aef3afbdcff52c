#include "core/kernels/attention_overview.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/matrix_product.h"

namespace attnscope {
namespace {

// Queries computed at a time: their scores with kSumBlock keys stay in the L2 cache together with the keys.
constexpr Index kRows = 24;

// Maximum queries per piece of work: the keys are loaded from memory once for all of them.
constexpr Index kMaxRows = 8 * kRows;
constexpr Index kPieces = 32;

// An extra cache line between rows of scores avoids cache conflicts.
constexpr Index kRowStride = kSumBlock + 16;

}  // namespace

AttentionOverview::AttentionOverview(const OverviewHead& head, ThreadPool* pool) : head_(head) {
  const Index keys = head.sizes.keys;
  const Index dim = head.sizes.dim;
  const Index blocks = (keys + kSumBlock - 1) / kSumBlock;
  keys_ = packed_.of_size(blocks * packed_count(dim, kSumBlock));
  run_blocks(pool, static_cast<double>(keys) * static_cast<double>(dim), blocks, [&](Index block) {
    const Index first = block * kSumBlock;
    pack_right(head_.k + first * head_.k_row, dim, 1, std::min(kSumBlock, keys - first), head_.k_row,
               keys_ + block * packed_count(dim, kSumBlock));
  });
}

void AttentionOverview::rows(Index first, Index every, Index bin, std::span<SoftmaxStatistics> statistics,
                             std::span<float> maxima, ThreadPool* pool, const std::function<bool()>& stopped) const {
  const auto count = static_cast<Index>(statistics.size());
  const double work =
      2 * static_cast<double>(count) * static_cast<double>(head_.sizes.keys) * static_cast<double>(head_.sizes.dim + 5);
  std::atomic<bool> left = false;
  // Enough pieces for an even distribution over threads.
  const Index rows = std::clamp(count / kPieces / kRows * kRows, kRows, kMaxRows);
  run_blocks(pool, work, (count + rows - 1) / rows, [&](Index block) {
    if (!left && stopped()) left = true;
    if (left) return;
    const Index at = block * rows;
    const auto part =
        statistics.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(rows, count - at)));
    rows_of_band(first + at * every, every, bin, part, maxima.data() + at * bins(bin));
  });
}

void AttentionOverview::rows_of_band(Index first, Index every, Index bin, std::span<SoftmaxStatistics> statistics,
                                     float* maxima) const {
  const auto rows = static_cast<Index>(statistics.size());
  const Index dim = head_.sizes.dim;
  thread_local Scratch scratch;
  float* const scores = scratch.of_size(std::min(rows, kRows) * kRowStride);
  std::vector<RowStatisticsOfBlocks> of_blocks(statistics.size(), RowStatisticsOfBlocks(head_.options.temperature));
  ProductRows product;
  product.out = scores;
  product.out_row = kRowStride;
  product.divisor = head_.options.divisor;
  product.fused = head_.fused;
  for (Index key = 0; key < head_.sizes.keys; key += kSumBlock) {
    const Index count = std::min(kSumBlock, head_.sizes.keys - key);
    for (Index row = 0; row < rows; row += kRows) {
      const Index query = first + row * every;
      product.rows = std::min(kRows, rows - row);
      product.a = {head_.q + query * head_.q_row, every * head_.q_row};
      bool any = false;
      for (Index i = 0; i < product.rows && !any; ++i) any = any_kept(query + i * every, key, count);
      if (any) multiply_packed(product, keys_ + key / kSumBlock * packed_count(dim, kSumBlock), dim, count);
      for (Index i = 0; i < product.rows; ++i) {
        add_block(query + i * every, key, bin, {scores + i * kRowStride, static_cast<std::size_t>(count)},
                  of_blocks[static_cast<std::size_t>(row + i)], maxima + (row + i) * bins(bin) + key / bin);
      }
    }
  }
  std::transform(of_blocks.begin(), of_blocks.end(), statistics.begin(),
                 [](const RowStatisticsOfBlocks& each) { return each.statistics(); });
}

void AttentionOverview::add_block(Index query, Index first_key, Index bin, std::span<float> scores,
                                  RowStatisticsOfBlocks& row, float* maxima) const {
  const Kernels& loops = kernels();
  const auto count = static_cast<Index>(scores.size());
  const Index bins = (count + bin - 1) / bin;
  if (!any_kept(query, first_key, count)) {
    std::fill_n(maxima, bins, loops.largest(&head_.options.fill, 1));
    row.add(head_.options.fill, count);
    return;
  }
  if (head_.kept != nullptr) mask_row(scores, head_.kept[query], first_key, head_.options.fill, scores.data());
  loops.largest_each(scores.data(), count, bin, maxima);
  row.add(scores, loops.largest(maxima, bins));
}

bool AttentionOverview::any_kept(Index query, Index first_key, Index count) const {
  if (head_.kept == nullptr) return true;
  const KeptKeys& kept = head_.kept[query];
  return std::max(kept.begin, first_key) < std::min(kept.end, first_key + count);
}

}  // namespace attnscope
