#include "core/kernels/attention.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/matrix_product.h"
#include "core/kernels/scratch.h"
#include "core/kernels/softmax.h"

namespace attnscope {
namespace {

// Queries per piece of work: their weights fit in the L2 cache for a few thousand keys, and a panel of keys is reused
// often enough after its load from L3.
constexpr Index kRows = 48;
// The same, if there would be too few pieces.
constexpr Index kFewerRows = 24;
constexpr Index kPieces = 64;

/// The heads whose keys and values are packed.
class PackedHeads {
 public:
  PackedHeads(std::span<const AttentionHead> heads, const AttentionSizes& sizes, const AttentionOptions& options,
              const RowSink* made, Index all_heads, float* packed)
      : heads_(heads), sizes_(sizes), options_(options), made_(made), packed_(packed), infinite_(heads.size()) {
    const double here = static_cast<double>(all_heads) * static_cast<double>(sizes.queries * sizes.keys);
    const double pairs = options.pairs > 0 ? options.pairs : here;
    scores_fused_ = rounds_once(2 * pairs * static_cast<double>(sizes.dim));
    output_fused_ = rounds_once(2 * pairs * static_cast<double>(sizes.value_dim));
    streamed_ = pairs >= static_cast<double>(kStreamed);
    const Index pieces = static_cast<Index>(heads.size()) * ((sizes.queries + kRows - 1) / kRows);
    rows_ = pieces < kPieces ? kFewerRows : kRows;
  }

  static Index size_each(const AttentionSizes& sizes) {
    return packed_count(sizes.dim, sizes.keys) + packed_count(sizes.keys, sizes.value_dim);
  }

  void pack(ThreadPool* pool) const {
    const Index value_blocks = (sizes_.keys + kDepthBlock - 1) / kDepthBlock;
    const Index blocks = value_blocks + 1;
    const auto count = static_cast<Index>(heads_.size());
    run_blocks(pool, static_cast<double>(count * size_each(sizes_)), count * blocks, [&](Index block) {
      const AttentionHead& head = heads_[static_cast<std::size_t>(block / blocks)];
      if (block % blocks == value_blocks) {
        pack_right(head.k, sizes_.dim, 1, sizes_.keys, head.k_row, keys_of(block / blocks));
      } else if (head.v != nullptr) {
        note_infinite(block / blocks, block % blocks);
        pack_block(head.v, sizes_.keys, head.v_row, sizes_.value_dim, 1, block % blocks, values_of(block / blocks));
      }
    });
  }

  void attend(ThreadPool* pool, std::atomic<bool>& left, const std::function<bool()>& stopped) const {
    const Index bands = (sizes_.queries + rows_ - 1) / rows_;
    const auto count = static_cast<Index>(heads_.size());
    const double work = 2 * static_cast<double>(count) * static_cast<double>(sizes_.queries * sizes_.keys) *
                        static_cast<double>(sizes_.dim + sizes_.value_dim + 5);
    run_blocks(pool, work, count * bands, [&](Index block) {
      if (!left && stopped()) left = true;
      if (left) return;
      attend_rows(block / bands, block % bands * rows_);
    });
  }

 private:
  [[nodiscard]] float* keys_of(Index head) const { return packed_ + head * size_each(sizes_); }
  [[nodiscard]] float* values_of(Index head) const { return keys_of(head) + packed_count(sizes_.dim, sizes_.keys); }

  /// Rows of one number per key, `apart` elements apart.
  struct Rows {
    float* first;
    Index apart;
    [[nodiscard]] float* row(Index i) const { return first + i * apart; }
  };

  void attend_rows(Index number, Index first) const {
    const AttentionHead& head = heads_[static_cast<std::size_t>(number)];
    const Index count = std::min(rows_, sizes_.queries - first);
    // Tensors that are streamed past the caches, or not wanted, are computed in scratch memory, scores and weights in
    // the same place, with a row distance that avoids cache conflicts.
    thread_local Scratch scratch;
    const Index apart = row_apart(sizes_.keys);
    const Rows room = {scratch.of_size(count * apart), apart};
    const Index at = first * sizes_.keys;
    const Rows scores = streamed_ || head.scores == nullptr ? room : Rows{head.scores + at, sizes_.keys};
    const Rows weights = streamed_ || head.weights == nullptr ? room : Rows{head.weights + at, sizes_.keys};
    ProductRows product;
    product.rows = count;
    product.a = {head.q + first * head.q_row, head.q_row};
    product.out = scores.first;
    product.out_row = scores.apart;
    if (streamed_ && head.scores != nullptr) product.copy = head.scores + at;
    product.copy_row = sizes_.keys;
    product.divisor = options_.divisor;
    product.fused = scores_fused_;
    if (head.hidden_later && head.kept != nullptr) {
      const KeptKeys near = kept_by_any({head.kept + first, static_cast<std::size_t>(count)});
      product.column_begin = near.begin;
      product.column_end = near.end;
    }
    multiply_packed(product, keys_of(number), sizes_.dim, sizes_.keys);
    product.column_begin = 0;
    product.column_end = sizes_.value_dim;
    KeptKeys used = {sizes_.keys, 0};
    for (Index i = 0; i < count; ++i) {
      const KeptKeys each = finish_row(head, first + i, scores.row(i), weights.row(i));
      used = {std::min(used.begin, each.begin), std::max(used.end, each.end)};
    }
    if (head.v != nullptr) {
      // 0 · ∞ and 0 · NaN are NaN.
      if (head.kept != nullptr && !infinite_[static_cast<std::size_t>(number)]) {
        product.depth_begin = used.begin;
        product.depth_end = used.end;
      }
      product.a = {weights.first, weights.apart};
      product.out = head.output + first * head.output_row;
      product.out_row = head.output_row;
      product.copy = nullptr;
      product.divisor = 1;
      product.fused = output_fused_;
      multiply_packed(product, values_of(number), sizes_.keys, sizes_.value_dim);
      if (made_ != nullptr) (*made_)(product.out, sizes_.value_dim, count, product.out_row);
    }
    if (streamed_) kernels().end_stream();
  }

  static KeptKeys kept_by_any(std::span<const KeptKeys> rows) {
    KeptKeys any = {std::numeric_limits<Index>::max(), 0};
    for (const KeptKeys& each : rows) {
      if (each.begin < each.end) any = {std::min(any.begin, each.begin), std::max(any.end, each.end)};
    }
    return any.begin < any.end ? any : KeptKeys{};
  }

  /// Computes the weights of one query from its scores, possibly in place. Returns a range of keys outside of which all
  /// weights are 0.
  KeptKeys finish_row(const AttentionHead& head, Index query, const float* scores, float* weights) const {
    const auto keys = static_cast<std::size_t>(sizes_.keys);
    const Index at = query * sizes_.keys;
    const float* logits = scores;
    if (head.kept != nullptr || head.keep != nullptr) {
      if (head.kept != nullptr) {
        mask_row({scores, keys}, head.kept[query], 0, options_.fill, weights);
      } else {
        for (std::size_t i = 0; i < keys; ++i)
          weights[i] = head.keep[at + static_cast<Index>(i)] != 0 ? scores[i] : options_.fill;
      }
      keep(head.masked_scores, at, weights);
      logits = weights;
    }
    float* const copy = streamed_ && head.weights != nullptr ? head.weights + at : nullptr;
    if (head.kept != nullptr) {
      return softmax_masked_row({logits, keys}, head.kept[query], options_.fill, options_.temperature, {weights, keys},
                                copy);
    }
    softmax_row({logits, keys}, options_.temperature, {weights, keys}, copy);
    return {0, sizes_.keys};
  }

  /// Whether a block of the head's values contains a number that is not finite.
  void note_infinite(Index number, Index block) const {
    const AttentionHead& head = heads_[static_cast<std::size_t>(number)];
    if (head.kept == nullptr) return;
    // Checks the bits: the compiler vectorizes this.
    constexpr std::uint32_t kExponent = 0x7f800000;
    std::uint32_t any = 0;
    const Index end = std::min(sizes_.keys, (block + 1) * kDepthBlock);
    for (Index key = block * kDepthBlock; key < end; ++key) {
      const float* const row = head.v + key * head.v_row;
      for (Index i = 0; i < sizes_.value_dim; ++i)
        any |= (std::bit_cast<std::uint32_t>(row[i]) & kExponent) == kExponent ? 1U : 0U;
    }
    if (any != 0) infinite_[static_cast<std::size_t>(number)] = true;
  }

  /// Copies a row from scratch memory to its tensor.
  void keep(float* tensor, Index at, const float* row) const {
    if (tensor == nullptr || tensor + at == row) return;
    if (streamed_) {
      kernels().stream(row, tensor + at, sizes_.keys);
    } else {
      std::copy_n(row, sizes_.keys, tensor + at);
    }
  }

  std::span<const AttentionHead> heads_;
  const AttentionSizes& sizes_;
  const AttentionOptions& options_;
  const RowSink* made_;
  float* packed_;
  Index rows_ = 0;  ///< queries per piece of work
  bool scores_fused_, output_fused_, streamed_;
  mutable std::vector<std::atomic<bool>> infinite_;  ///< per head; see note_infinite
};

}  // namespace

void mask_row(std::span<const float> row, const KeptKeys& kept, Index first, float fill, float* out) {
  const auto count = static_cast<Index>(row.size());
  const Index begin = std::clamp<Index>(kept.begin - first, 0, count);
  const Index end = std::clamp<Index>(kept.end - first, begin, count);
  std::fill(out, out + begin, fill);
  if (out != row.data()) std::copy(row.data() + begin, row.data() + end, out + begin);
  std::fill(out + end, out + count, fill);
}

void attend(std::span<const AttentionHead> heads, const AttentionSizes& sizes, const AttentionOptions& options,
            ThreadPool* pool, const std::function<bool()>& stopped, const RowSink* made) {
  if (heads.empty() || sizes.queries == 0 || sizes.keys == 0) return;
  thread_local Scratch scratch;
  const Index size = std::max<Index>(1, PackedHeads::size_each(sizes));
  const auto count = static_cast<Index>(heads.size());
  const Index at_once = std::clamp<Index>(kPackedAtOnce / size, 1, count);
  float* const packed = scratch.of_size(at_once * size);
  std::atomic<bool> left = false;
  for (Index first = 0; first < count && !left; first += at_once) {
    const auto together =
        heads.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(at_once, count - first)));
    const PackedHeads packed_heads(together, sizes, options, made, count, packed);
    packed_heads.pack(pool);
    packed_heads.attend(pool, left, stopped);
  }
}

}  // namespace attnscope
