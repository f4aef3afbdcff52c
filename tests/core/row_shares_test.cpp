// Rows on scales of their own: exact at every level, for matrices in memory and for those that are read.
#include "core/matrix/row_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "core/base/stop.h"
#include "random_part.h"
#include "support/floats.h"

namespace attnscope::test {
namespace {

/// Positive numbers of very different size from row to row, some of them not finite.
std::shared_ptr<Tensor> numbers_of(Index rows, Index columns, bool special) {
  auto tensor = std::make_shared<Tensor>(Axes{{"query", rows}, {"key", columns}});
  std::mt19937 generator(static_cast<unsigned>(rows));
  std::uniform_real_distribution<float> number(0, 1);
  const std::span<float> values = tensor->values();
  for (Index row = 0; row < rows; ++row) {
    const float size = std::ldexp(1.0F, static_cast<int>(generator() % 40) - 30);
    for (Index column = 0; column < columns; ++column) {
      float& value = values[static_cast<std::size_t>(row * columns + column)];
      value = row % 7 == 3 ? 0 : number(generator) * size;
      if (special && generator() % 50 == 0) value = std::array{kNaN, kInfinity, -kInfinity}[generator() % 3];
    }
  }
  return tensor;
}

/// All shares by the definition.
std::vector<float> plain_shares(const MatrixView& view) {
  std::vector<float> shares;
  for (Index row = 0; row < view.rows; ++row) {
    float largest = 0;
    for (Index column = 0; column < view.columns; ++column) {
      if (std::isfinite(view.at(row, column))) largest = std::max(largest, std::abs(view.at(row, column)));
    }
    for (Index column = 0; column < view.columns; ++column)
      shares.push_back(largest > 0 ? view.at(row, column) / largest : view.at(row, column));
  }
  return shares;
}

/// A matrix that is not in memory, as far as others can tell.
class Read final : public MatrixSource {
 public:
  explicit Read(std::shared_ptr<const Tensor> tensor) : inner_(tensor, tensor->matrix()) {}
  [[nodiscard]] Index rows() const override { return inner_.rows(); }
  [[nodiscard]] Index columns() const override { return inner_.columns(); }
  bool read(const MatrixPart& part, std::span<float> out, const StopToken& stop) const override {
    if (fails) return false;
    cells_read += part.rows * std::min(columns(), part.columns << part.column_level);
    return inner_.read(part, out, stop);
  }
  [[nodiscard]] std::optional<std::string> failure() const override {
    return fails ? std::optional<std::string>("gone") : std::nullopt;
  }
  [[nodiscard]] bool ready(const MatrixPart& part) const override { return inner_.ready(part); }

  bool fails = false;
  mutable Index cells_read = 0;

 private:
  ResidentMatrix inner_;
};

void expect_shares(const RowShares& shares, const MatrixView& view, int tries) {
  const std::vector<float> all = plain_shares(view);
  const MatrixView plain = {all.data(), view.rows, view.columns, view.columns, 1};
  std::mt19937 generator(5);
  for (int i = 0; i < tries; ++i) {
    const MatrixPart part = random_part(generator, view.rows, view.columns);
    std::vector<float> found(static_cast<std::size_t>(part.rows * part.columns));
    std::vector<float> wanted(found.size());
    ASSERT_TRUE(shares.read(part, found, {}));
    pool_part(plain, part, wanted);
    for (std::size_t at = 0; at < found.size(); ++at) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(found[at]), std::bit_cast<std::uint32_t>(wanted[at]))
          << view.rows << " × " << view.columns << " at " << part.row_level << ", " << part.column_level;
    }
  }
}

TEST(RowShares, AreTheNumbersDividedByTheLargestOfTheirRow) {
  for (const bool special : {false, true}) {
    for (const auto& [rows, columns] : {std::pair<Index, Index>{9, 30}, {1, 1}, {700, 900}, {3000, 100}, {5, 4000}}) {
      const std::shared_ptr<Tensor> tensor = numbers_of(rows, columns, special);
      expect_shares(RowShares(std::make_shared<ResidentMatrix>(tensor, tensor->matrix())), tensor->matrix(), 60);
      expect_shares(RowShares(std::make_shared<ResidentMatrix>(tensor, tensor->matrix().transposed())),
                    tensor->matrix().transposed(), 60);
      expect_shares(RowShares(std::make_shared<Read>(tensor)), tensor->matrix(), 60);
    }
  }
}

TEST(RowShares, OfASmallMatrixAreInMemory) {
  const std::shared_ptr<Tensor> small = numbers_of(512, 512, false);
  const RowShares shares(std::make_shared<ResidentMatrix>(small, small->matrix()));
  ASSERT_TRUE(shares.held());
  EXPECT_EQ(std::vector<float>(shares.held()->data, shares.held()->data + 512 * 512), plain_shares(small->matrix()));
  EXPECT_EQ(shares.progress(), 1);
  EXPECT_FALSE(RowShares(std::make_shared<ResidentMatrix>(small, small->matrix()), false).held());
  const std::shared_ptr<Tensor> large = numbers_of(513, 512, false);
  EXPECT_FALSE(RowShares(std::make_shared<ResidentMatrix>(large, large->matrix())).held());
}

TEST(RowShares, FindTheLargestOfARowOnce) {
  const std::shared_ptr<Tensor> tensor = numbers_of(600, 700, false);
  const auto numbers = std::make_shared<Read>(tensor);
  const RowShares shares(numbers);
  EXPECT_EQ(shares.progress(), 0);
  std::vector<float> out(10);
  ASSERT_TRUE(shares.read({0, 0, 0, 0, 1, 10}, out, {}));
  EXPECT_EQ(numbers->cells_read, 700 + 10);
  ASSERT_TRUE(shares.read({0, 0, 0, 50, 1, 10}, out, {}));
  EXPECT_EQ(numbers->cells_read, 700 + 20);
  EXPECT_NEAR(shares.progress(), 1.0 / 600, 1e-12);
}

TEST(RowShares, OfWholeRowsNeedThemOnce) {
  const std::shared_ptr<Tensor> tensor = numbers_of(600, 700, false);
  const auto numbers = std::make_shared<Read>(tensor);
  const RowShares shares(numbers);
  std::vector<float> out(75 * 88);
  ASSERT_TRUE(shares.read({3, 3, 0, 0, 75, 88}, out, {}));
  EXPECT_EQ(numbers->cells_read, 600 * 700);
  EXPECT_EQ(shares.progress(), 1);
  EXPECT_TRUE(shares.ready({0, 0, 5, 5, 20, 20})) << "no row has to be read for its largest number";
  expect_shares(shares, tensor->matrix(), 40);
}

TEST(RowShares, HaveEstimatesWhereTheirNumbersDo) {
  const std::shared_ptr<Tensor> tensor = numbers_of(600, 700, false);
  const RowShares shares(std::make_shared<ResidentMatrix>(tensor, tensor->matrix()));
  ASSERT_FALSE(shares.held());
  std::vector<float> out(std::size_t{75} * 88);
  ASSERT_TRUE(shares.coarse({3, 3, 0, 0, 75, 88}, out));
  EXPECT_EQ(*std::ranges::max_element(out), 1);
  EXPECT_GE(*std::ranges::min_element(out), 0);
  EXPECT_FALSE(RowShares(std::make_shared<Read>(tensor)).coarse({3, 3, 0, 0, 75, 88}, out));
}

TEST(RowShares, StopAndFailAsTheirNumbersDo) {
  const auto numbers = std::make_shared<Read>(numbers_of(600, 700, false));
  const RowShares shares(numbers);
  std::vector<float> out(100);
  StopSource stop;
  stop.request_stop();
  EXPECT_FALSE(shares.read({0, 0, 0, 0, 10, 10}, out, stop.token()));
  EXPECT_FALSE(shares.failure());
  numbers->fails = true;
  EXPECT_FALSE(shares.read({0, 0, 0, 0, 10, 10}, out, {}));
  EXPECT_EQ(shares.failure(), "gone");
  EXPECT_EQ(shares.progress(), 1) << "no further progress to wait for";
}

TEST(RowShares, OfTheSameNumbersAreTheSame) {
  const std::shared_ptr<Tensor> tensor = numbers_of(20, 20, false);
  const auto numbers = std::make_shared<ResidentMatrix>(tensor, tensor->matrix());
  const RowShares shares(numbers);
  EXPECT_TRUE(same_numbers(shares, RowShares(std::make_shared<ResidentMatrix>(tensor, tensor->matrix()))));
  EXPECT_FALSE(same_numbers(shares, *numbers));
  EXPECT_FALSE(
      same_numbers(shares, RowShares(std::make_shared<ResidentMatrix>(tensor, tensor->matrix().transposed()))));
}

TEST(MatrixSource, HasANumberOfItsOwn) {
  const std::shared_ptr<Tensor> tensor = numbers_of(2, 2, false);
  std::vector<std::uint64_t> numbers;
  // One after the other: they may well be at the same address.
  for (int i = 0; i < 5; ++i) numbers.push_back(std::make_unique<ResidentMatrix>(tensor, tensor->matrix())->number());
  std::ranges::sort(numbers);
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

}  // namespace
}  // namespace attnscope::test
