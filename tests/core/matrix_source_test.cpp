// Rectangles of matrices in memory: exact at every level, from many threads, after stops.
#include "core/matrix/matrix_source.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <list>
#include <random>
#include <thread>

#include "random_part.h"
#include "support/background_thread.h"
#include "support/floats.h"

namespace attnscope::test {
namespace {

std::shared_ptr<Tensor> random_tensor(Index rows, Index columns, unsigned seed) {
  auto tensor = std::make_shared<Tensor>(Axes{{"query", rows}, {"key", columns}});
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  for (float& value : tensor->values()) value = number(generator);
  return tensor;
}

std::vector<float> read_all(const MatrixSource& source, const MatrixPart& part) {
  std::vector<float> out(static_cast<std::size_t>(part.rows * part.columns));
  EXPECT_TRUE(source.read(part, out, {}));
  return out;
}

/// The value of largest magnitude among the cells of a texel, cell by cell.
float largest_of(const MatrixView& matrix, const MatrixPart& part, Index row, Index column) {
  const Index row_begin = (part.first_row + row) << part.row_level;
  const Index column_begin = (part.first_column + column) << part.column_level;
  float largest = matrix.at(row_begin, column_begin);
  for (Index r = row_begin; r < std::min(row_begin + (Index{1} << part.row_level), matrix.rows); ++r) {
    for (Index c = column_begin; c < std::min(column_begin + (Index{1} << part.column_level), matrix.columns); ++c)
      largest = larger_magnitude(largest, matrix.at(r, c));
  }
  return largest;
}

TEST(ResidentMatrix, EveryTexelIsTheLargestOfItsCells) {
  std::mt19937 generator(3);
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1500, 1100}, {5000, 70}, {70, 5000}, {1, 3000}, {3, 5}}) {
    const std::shared_ptr<Tensor> tensor = random_tensor(rows, columns, 4);
    for (const MatrixView& view : {tensor->matrix(), tensor->matrix().transposed()}) {
      const ResidentMatrix source(tensor, view);
      for (int i = 0; i < 60; ++i) {
        const MatrixPart part = random_part(generator, view.rows, view.columns);
        const std::vector<float> found = read_all(source, part);
        for (Index r = 0; r < part.rows; ++r) {
          for (Index c = 0; c < part.columns; ++c) {
            ASSERT_EQ(found[static_cast<std::size_t>(r * part.columns + c)], largest_of(view, part, r, c))
                << rows << " × " << columns << " at " << part.row_level << ", " << part.column_level;
          }
        }
      }
    }
  }
}

TEST(ResidentMatrix, ASingleHotColumnIsInEveryLevel) {
  const auto tensor = std::make_shared<Tensor>(Axes{{"query", 4096}, {"key", 4096}});
  for (Index row = 0; row < 4096; ++row) tensor->values()[static_cast<std::size_t>(row * 4096 + 2741)] = -1;
  const ResidentMatrix source(tensor, tensor->matrix());
  for (int level = 0; level <= 12; ++level) {
    const Index texels = texels_at(4096, level);
    const MatrixPart row = {level, level, texels / 2, 0, 1, texels};
    const std::vector<float> found = read_all(source, row);
    for (Index texel = 0; texel < texels; ++texel) {
      ASSERT_EQ(found[static_cast<std::size_t>(texel)], texel == 2741 >> level ? -1.0F : 0.0F) << level;
    }
  }
}

TEST(ResidentMatrix, WhatIsNoNumberIsNeverHidden) {
  const std::shared_ptr<Tensor> tensor = random_tensor(600, 600, 5);
  tensor->values()[599 * 600 + 599] = kNaN;
  tensor->values()[0] = -kInfinity;
  const ResidentMatrix source(tensor, tensor->matrix());
  const std::vector<float> texels = read_all(source, overview_part(source, 2));
  ASSERT_EQ(texels.size(), 4U);
  EXPECT_EQ(texels[0], -kInfinity);
  EXPECT_TRUE(std::isnan(texels[3]));
}

TEST(ResidentMatrix, StopsAndGoesOn) {
  const std::shared_ptr<Tensor> tensor = random_tensor(2048, 2048, 6);
  const ResidentMatrix source(tensor, tensor->matrix());
  const MatrixPart overview = overview_part(source, 256);
  EXPECT_FALSE(source.ready(overview));
  EXPECT_TRUE(source.ready({0, 0, 100, 100, 256, 256}));
  StopSource stop;
  stop.request_stop();
  std::vector<float> texels(static_cast<std::size_t>(overview.rows * overview.columns));
  EXPECT_FALSE(source.read(overview, texels, stop.token()));
  EXPECT_TRUE(source.read(overview, texels, {}));
  EXPECT_TRUE(source.ready(overview));
  EXPECT_EQ(texels.back(), largest_of(tensor->matrix(), overview, overview.rows - 1, overview.columns - 1));
}

TEST(ResidentMatrix, ManyThreadsReadTheSame) {
  const std::shared_ptr<Tensor> tensor = random_tensor(1024, 1024, 7);
  const ResidentMatrix source(tensor, tensor->matrix());
  const MatrixPart part = {3, 3, 0, 0, 128, 128};
  std::vector<float> wanted(128 * 128);
  pool_part(tensor->matrix(), part, wanted);
  {
    std::list<BackgroundThread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&](const StopToken&) { EXPECT_EQ(read_all(source, part), wanted); });
  }
}

TEST(ResidentMatrix, TheGuessHasNumbersOfTheMatrix) {
  const std::shared_ptr<Tensor> tensor = random_tensor(1000, 700, 8);
  const ResidentMatrix source(tensor, tensor->matrix());
  const MatrixPart part = overview_part(source, 64);
  std::vector<float> guess(static_cast<std::size_t>(part.rows * part.columns));
  ASSERT_TRUE(source.coarse(part, guess));
  EXPECT_EQ(guess.front(), tensor->values().front());
  EXPECT_EQ(guess.back(),
            tensor->matrix().at((part.rows - 1) << part.row_level, (part.columns - 1) << part.column_level));
}

TEST(MatrixSource, TheSameNumbersInMemoryAreTheSame) {
  const std::shared_ptr<Tensor> tensor = random_tensor(5, 6, 9);
  const ResidentMatrix a(tensor, tensor->matrix());
  const ResidentMatrix b(tensor, tensor->matrix());
  const ResidentMatrix turned(tensor, tensor->matrix().transposed());
  EXPECT_TRUE(same_numbers(a, b));
  EXPECT_FALSE(same_numbers(a, turned));
}

TEST(Magnitude, KeysOrderAsTheNumbersDo) {
  const std::vector<float> ascending = {-0.0F, 0.0F, -1e-45F, 1e-45F, -1, 1, -2, 3e38F, -kInfinity, kInfinity, kNaN};
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    const auto lower = std::bit_cast<std::uint32_t>(ascending[i]);
    const auto higher = std::bit_cast<std::uint32_t>(ascending[i + 1]);
    EXPECT_LT(magnitude_key(lower), magnitude_key(higher)) << ascending[i] << ", " << ascending[i + 1];
    EXPECT_EQ(bits_of_key(magnitude_key(lower)), lower);
  }
}

}  // namespace
}  // namespace attnscope::test
