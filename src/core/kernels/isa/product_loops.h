// The loops of matrix products; see `PanelProduct` and `Kernels::pack_panel`. Included only by the files that are
// compiled for one instruction set each.
#pragma once

#include <cstdint>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/isa/vectors.h"

namespace attnscope {
namespace {

/// The sums of `kRows` rows of one panel, in registers.
template <typename Isa, int kRows>
struct Tile {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  static constexpr Index kVectors = Isa::kVectors;
  static constexpr Index kLine = 16;  ///< numbers per cache line
  Floats sums[kRows * kVectors];

  /// Loads initial sums; zero if `from` is null.
  [[gnu::always_inline]] void start(const float* from, Index from_row) {
    if (from == nullptr) {
      for_each([]<Index kRow, Index kVector>(Floats& sum) { sum = Floats{}; });
    } else {
      for_each(
          [=]<Index kRow, Index kVector>(Floats& sum) { sum = V::load(from + kRow * from_row + kVector * V::kWidth); });
    }
  }

  /// The same, for only the first `columns` columns.
  [[gnu::always_inline]] void start_some(const float* from, Index from_row, Index columns) {
    for_each([=]<Index kRow, Index kVector>(Floats& sum) {
      sum = Isa::load_some(from + kRow * from_row + kVector * V::kWidth, some_of<kVector>(columns));
    });
  }

  /// Also prefetches `ahead`, one cache line per value of the summed label. `left_of` loads a number of the left factor
  /// into all lanes.
  template <typename LeftOf, typename MultiplyAdd>
  [[gnu::always_inline]] void add(const PanelProduct& p, const float* a, const float* ahead, const LeftOf& left_of,
                                  const MultiplyAdd& multiply_add) {
    const float* b = p.b;
    const Index a_row = p.a_row;
    const Index a_depth = p.a_depth;
    for (Index k = p.depth; k > 0; --k) {
      Floats right[kVectors];
      unrolled<kVectors>([&]<Index kVector> { right[kVector] = V::load(b + kVector * V::kWidth); });
      unrolled<kRows>([&]<Index kRow> {
        const Floats left = left_of(a + kRow * a_row);
        unrolled<kVectors>([&]<Index kVector> {
          Floats& sum = sums[kRow * kVectors + kVector];
          sum = multiply_add(left, right[kVector], sum);
        });
      });
      a += a_depth;
      b += kVectors * V::kWidth;
      constexpr int kSecondCache = 2;
      __builtin_prefetch(ahead, 0, kSecondCache);
      ahead += kLine;
    }
  }

  [[gnu::always_inline]] void plus(const float* from, Index from_row) {
    for_each(
        [=]<Index kRow, Index kVector>(Floats& sum) { sum += V::load(from + kRow * from_row + kVector * V::kWidth); });
  }

  /// The same, for only the first `columns` columns.
  [[gnu::always_inline]] void plus_some(const float* from, Index from_row, Index columns) {
    for_each([=]<Index kRow, Index kVector>(Floats& sum) {
      sum += Isa::load_some(from + kRow * from_row + kVector * V::kWidth, some_of<kVector>(columns));
    });
  }

  [[gnu::always_inline]] void divide(float divisor) {
    // Multiplying by the inverse of a power of two gives the same number and is faster.
    const float inverse = 1 / divisor;
    if (is_power_of_two(divisor) && is_power_of_two(inverse)) {
      for_each([=]<Index kRow, Index kVector>(Floats& sum) { sum *= inverse; });
    } else {
      for_each([=]<Index kRow, Index kVector>(Floats& sum) { sum /= divisor; });
    }
  }

  /// Only the first `columns` columns.
  [[gnu::always_inline]] void store_some(float* out, Index out_row, Index columns) {
    for_each([=]<Index kRow, Index kVector>(Floats& sum) {
      Isa::store_some(out + kRow * out_row + kVector * V::kWidth, sum, some_of<kVector>(columns));
    });
  }

  [[gnu::always_inline]] void store(float* out, Index out_row, bool streamed) {
    if (streamed) {
      for_each([=]<Index kRow, Index kVector>(Floats& sum) {
        Isa::stream(out + kRow * out_row + kVector * V::kWidth, sum);
      });
    } else {
      for_each(
          [=]<Index kRow, Index kVector>(Floats& sum) { V::store(out + kRow * out_row + kVector * V::kWidth, sum); });
    }
  }

 private:
  /// How many of `columns` columns are in vector `vector`.
  template <Index kVector>
  static Index some_of(Index columns) {
    const Index left = columns - kVector * V::kWidth;
    return left < 0 ? 0 : (left < V::kWidth ? left : V::kWidth);
  }

  template <typename Use>
  [[gnu::always_inline]] void for_each(const Use& use) {
    unrolled<kRows>([&]<Index kRow> {
      unrolled<kVectors>(
          [&]<Index kVector> { use.template operator()<kRow, kVector>(sums[kRow * kVectors + kVector]); });
    });
  }

  /// For normal numbers: no bit of the significand is set.
  static bool is_power_of_two(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    const std::uint32_t exponent = bits >> 23U & 0xFFU;
    return (bits & 0x7FFFFFU) == 0 && exponent != 0 && exponent != 0xFFU;
  }
};

/// The memory after the panel, most likely the next panel, that the tile starting in this row prefetches: hardware
/// prefetching stops at a page, and L3 is slower than the loop. The first tiles prefetch all of it.
template <typename Isa, int kRows>
[[gnu::always_inline]] inline const float* ahead_of(const PanelProduct& p, Index row) {
  const Index numbers = p.depth * Isa::kVectors * Isa::V::kWidth;
  const Index asked_for = row / kRows * p.depth * Tile<Isa, kRows>::kLine;
  return asked_for < numbers ? p.b + numbers + asked_for : p.b;
}

/// Always inline: a tile passed to another function would live in memory.
template <typename Isa, int kRows>
[[gnu::always_inline]] inline void add_products(Tile<Isa, kRows>& tile, const PanelProduct& p, Index row) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  const float* const a = p.a + row * p.a_row;
  const float* const ahead = ahead_of<Isa, kRows>(p, row);
  const auto all = [](const float* from) { return V::all(*from); };
  // A pointer to the function would sometimes be called.
  const auto fused = [](Floats x, Floats y, Floats sum) { return Isa::fused(x, y, sum); };
  if constexpr (Isa::kSpreads) {
    if (p.spread)
      return tile.add(
          p, a, ahead, [](const float* from) { return V::load(from); }, fused);
  }
  // Without the instruction, both are the same.
  if (p.fused || !Isa::kFuses) {
    tile.add(p, a, ahead, all, fused);
  } else {
    tile.add(p, a, ahead, all, [](Floats x, Floats y, Floats sum) { return x * y + sum; });
  }
}

/// The initial sums of the row, or null.
inline const float* start_of(const PanelProduct& p, Index row) {
  return p.start != nullptr && !p.added ? p.start + row * p.start_row : nullptr;
}

/// Whether every row starts at a vector boundary and may be streamed.
template <typename Floats>
bool vectors_begin(const float* first, Index row) {
  const auto place = reinterpret_cast<std::uintptr_t>(first) | static_cast<std::uintptr_t>(row) * sizeof(float);
  return place % sizeof(Floats) == 0;
}

/// Rows with all columns of the panel, contiguous in `out`.
template <typename Isa, int kRows>
void multiply_whole(const PanelProduct& p, Index row) {
  using Floats = typename Isa::V::Floats;
  Tile<Isa, kRows> tile;
  float* out = p.out + row * p.out_row;
  // Loads the output now, and the final store does not wait for it.
  if (!p.streamed) {
    for (Index i = 0; i < kRows; ++i) __builtin_prefetch(out + i * p.out_row, 1);
  }
  tile.start(start_of(p, row), p.start_row);
  add_products(tile, p, row);
  if (p.added) tile.plus(p.start + row * p.start_row, p.start_row);
  if (p.divisor != 1) tile.divide(p.divisor);
  tile.store(out, p.out_row, p.streamed && vectors_begin<Floats>(out, p.out_row));
  if (p.copy == nullptr) return;
  float* copy = p.copy + row * p.copy_row;
  tile.store(copy, p.copy_row, vectors_begin<Floats>(copy, p.copy_row));
}

/// Rows with only the first columns of the panel, contiguous in `out`.
template <typename Isa, int kRows>
void multiply_some(const PanelProduct& p, Index row) {
  Tile<Isa, kRows> tile;
  float* out = p.out + row * p.out_row;
  if (const float* const start = start_of(p, row); start == nullptr) {
    tile.start(nullptr, 0);
  } else {
    tile.start_some(start, p.start_row, p.columns);
  }
  add_products(tile, p, row);
  if (p.added) tile.plus_some(p.start + row * p.start_row, p.start_row, p.columns);
  if (p.divisor != 1) tile.divide(p.divisor);
  tile.store_some(out, p.out_row, p.columns);
  if (p.copy != nullptr) tile.store_some(p.copy + row * p.copy_row, p.copy_row, p.columns);
}

/// Rows with strided columns, by way of a copy.
template <typename Isa, int kRows>
void multiply_apart(const PanelProduct& p, Index row) {
  constexpr Index kColumns = Isa::kVectors * Isa::V::kWidth;
  float copy[kRows * kColumns] = {};
  float* out = p.out + row * p.out_row;
  for (Index i = 0; i < kRows && start_of(p, row) != nullptr; ++i) {
    for (Index j = 0; j < p.columns; ++j)
      copy[i * kColumns + j] = p.start[(row + i) * p.start_row + j * p.start_column];
  }
  Tile<Isa, kRows> tile;
  tile.start(copy, kColumns);
  add_products(tile, p, row);
  if (p.added) tile.plus_some(p.start + row * p.start_row, p.start_row, p.columns);
  if (p.divisor != 1) tile.divide(p.divisor);
  tile.store(copy, kColumns, false);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < p.columns; ++j) out[i * p.out_row + j * p.out_column] = copy[i * kColumns + j];
    for (Index j = 0; j < p.columns && p.copy != nullptr; ++j)
      p.copy[(row + i) * p.copy_row + j] = copy[i * kColumns + j];
  }
}

/// All rows from `row` on, `kRows` at a time; the rest with fewer.
template <typename Isa, int kRows>
void multiply_rows(const PanelProduct& p, Index row) {
  for (; row + kRows <= p.rows; row += kRows) {
    if (p.out_column != 1 || p.start_column != 1) {
      multiply_apart<Isa, kRows>(p, row);
    } else if (p.columns == Isa::kVectors * Isa::V::kWidth) {
      multiply_whole<Isa, kRows>(p, row);
    } else {
      multiply_some<Isa, kRows>(p, row);
    }
  }
  if constexpr (kRows > 1) {
    if (row < p.rows) multiply_rows<Isa, kRows - 1>(p, row);
  }
}

template <typename Isa>
void multiply_panel(const PanelProduct& p) {
  multiply_rows<Isa, static_cast<int>(Isa::kRows)>(p, 0);
}

/// Packs columns that are contiguous along the depth, by transposing square blocks.
template <typename Isa>
Index pack_turned(const float* from, Index column_stride, Index depth, float* to) {
  using V = typename Isa::V;
  constexpr Index kColumns = Isa::kVectors * V::kWidth;
  const Index whole = depth / V::kWidth * V::kWidth;
  // Along the depth first, with as many columns at a time as hardware prefetching can follow.
  for (Index j = 0; j < kColumns; j += V::kWidth) {
    for (Index k = 0; k < whole; k += V::kWidth) {
      typename V::Floats square[V::kWidth];
      for (Index i = 0; i < V::kWidth; ++i) square[i] = V::load(from + (j + i) * column_stride + k);
      transpose<V>(square);
      for (Index i = 0; i < V::kWidth; ++i) V::store(to + (k + i) * kColumns + j, square[i]);
    }
  }
  return whole;
}

template <typename Isa>
void pack_panel(const float* from, Index columns, Index column_stride, Index depth, Index depth_stride, float* to) {
  using V = typename Isa::V;
  constexpr Index kColumns = Isa::kVectors * V::kWidth;
  Index k = 0;
  if (columns == kColumns && column_stride == 1) {
    for (; k < depth; ++k) {
      for (Index j = 0; j < kColumns; j += V::kWidth)
        V::store(to + k * kColumns + j, V::load(from + k * depth_stride + j));
    }
  } else if (column_stride == 1) {
    for (; k < depth; ++k) {
      for (Index j = 0; j < kColumns; j += V::kWidth) {
        const Index some = columns - j < 0 ? 0 : (columns - j < V::kWidth ? columns - j : V::kWidth);
        V::store(to + k * kColumns + j, Isa::load_some(from + k * depth_stride + j, some));
      }
    }
  } else if (columns == kColumns && depth_stride == 1) {
    k = pack_turned<Isa>(from, column_stride, depth, to);
  }
  for (; k < depth; ++k) {
    for (Index j = 0; j < columns; ++j) to[k * kColumns + j] = from[k * depth_stride + j * column_stride];
    for (Index j = columns; j < kColumns; ++j) to[k * kColumns + j] = 0;
  }
}

/// out = factor · in + 0. Every sum starts from zero, which turns −0 into 0.
template <typename Isa>
void scale(const float* in, float factor, float divisor, bool streamed, float* out, Index count) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % sizeof(Floats) == 0;
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) {
    Floats value = V::load(in + i) * factor + Floats{};
    if (divisor != 1) value /= divisor;
    if (streamed && aligned) {
      Isa::stream(out + i, value);
    } else {
      V::store(out + i, value);
    }
  }
  if (i == count) return;
  Floats value = Isa::load_some(in + i, count - i) * factor + Floats{};
  if (divisor != 1) value /= divisor;
  Isa::store_some(out + i, value, count - i);
}

template <typename Isa>
void spread(const float* from, Index stride, Index count, float* to) {
  using V = typename Isa::V;
  Index i = 0;
  if (stride == 1) {
    // The columns of equal rows.
    for (; i + V::kWidth <= count; i += V::kWidth) {
      typename V::Floats rows[V::kWidth];
      for (Index row = 0; row < V::kWidth; ++row) rows[row] = V::load(from + i);
      transpose<V>(rows);
      for (Index row = 0; row < V::kWidth; ++row) V::store(to + (i + row) * V::kWidth, rows[row]);
    }
  }
  for (; i < count; ++i) V::store(to + i * V::kWidth, V::all(from[i * stride]));
}

template <typename Isa>
void stream(const float* in, float* out, Index count) {
  using V = typename Isa::V;
  Index i = 0;
  for (; i < count && reinterpret_cast<std::uintptr_t>(out + i) % sizeof(typename V::Floats) != 0; ++i) out[i] = in[i];
  for (; i + V::kWidth <= count; i += V::kWidth) Isa::stream(out + i, V::load(in + i));
  for (; i < count; ++i) out[i] = in[i];
}

}  // namespace
}  // namespace attnscope
