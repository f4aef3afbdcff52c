#include "core/base/tensor.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace attnscope {
namespace {

constexpr Index kLargest = std::numeric_limits<Index>::max();

TEST(Tensor, OffsetAndIndexAreInverse) {
  for (const Axes& axes :
       {Axes{}, Axes{{"a", 5}}, Axes{{"a", 1}, {"b", 7}, {"c", 1}}, Axes{{"a", 2}, {"b", 3}, {"c", 4}, {"d", 5}}}) {
    const Tensor tensor(axes);
    for (Index offset = 0; offset < tensor.count(); ++offset) {
      const std::vector<Index> index = tensor.index_at(offset);
      ASSERT_EQ(index.size(), axes.size());
      Index by_stride = 0;
      for (int axis = 0; axis < tensor.rank(); ++axis) {
        const Index at = index[static_cast<std::size_t>(axis)];
        ASSERT_GE(at, 0);
        ASSERT_LT(at, tensor.size(axis));
        by_stride += at * tensor.stride(axis);
      }
      EXPECT_EQ(tensor.offset(index), offset);
      EXPECT_EQ(by_stride, offset);
    }
  }
}

TEST(Tensor, NegativeAxesCountFromTheLast) {
  const Tensor tensor({{"a", 2}, {"b", 3}, {"c", 4}});
  EXPECT_EQ(tensor.size(-1), 4);
  EXPECT_EQ(tensor.size(-3), 2);
  EXPECT_EQ(tensor.stride(-1), 1);
  EXPECT_EQ(tensor.stride(-2), 4);
  EXPECT_EQ(tensor.stride(0), 12);
}

TEST(Tensor, IsZeroAtTheStart) {
  const Tensor tensor({{"a", 3}, {"b", 4}});
  EXPECT_EQ(tensor.count(), 12);
  for (const float value : tensor.values()) EXPECT_EQ(value, 0.0F);
}

TEST(Tensor, RankZeroIsOneNumberAndASizeOfZeroIsNone) {
  EXPECT_EQ(Tensor(Axes{}).count(), 1);
  EXPECT_EQ(Tensor({{"a", 3}, {"b", 0}}).count(), 0);
}

TEST(Tensor, MatrixIsTheSliceOfTheLastTwoAxes) {
  Tensor tensor({{"a", 2}, {"b", 3}, {"c", 4}, {"d", 5}});
  std::iota(tensor.values().begin(), tensor.values().end(), 0.0F);
  const std::vector<Index> leading = {1, 2};
  const MatrixView matrix = tensor.matrix(leading);
  ASSERT_EQ(matrix.rows, 4);
  ASSERT_EQ(matrix.columns, 5);
  for (Index row = 0; row < 4; ++row) {
    for (Index column = 0; column < 5; ++column) {
      const std::vector<Index> index = {1, 2, row, column};
      EXPECT_EQ(matrix.at(row, column), tensor.at(index));
      EXPECT_EQ(matrix.transposed().at(column, row), tensor.at(index));
    }
  }
}

TEST(Tensor, LowRanksAreMatricesToo) {
  const MatrixView row = Tensor(Axes{{"a", 6}}).matrix();
  EXPECT_EQ(row.rows, 1);
  EXPECT_EQ(row.columns, 6);
  const MatrixView cell = Tensor(Axes{}).matrix();
  EXPECT_EQ(cell.rows, 1);
  EXPECT_EQ(cell.columns, 1);
  EXPECT_TRUE(Tensor({{"a", 0}, {"b", 4}}).matrix().empty());
}

TEST(Tensor, CountsSaturate) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({{"a", 6}, {"b", 9}}), 54);
  EXPECT_EQ(element_count({{"a", 2147483647}, {"b", 2147483647}}), Index{2147483647} * 2147483647);
  EXPECT_EQ(element_count({{"a", 2147483647}, {"b", 2147483647}, {"c", 2147483647}}), kLargest);
  // 2^64 is 0 in 64 bits, and 2^64 + 16 is 16.
  EXPECT_EQ(element_count({{"a", Index{1} << 32}, {"b", Index{1} << 32}}), kLargest);
  EXPECT_EQ(element_count({{"a", (Index{1} << 60) + 1}, {"b", 16}}), kLargest);
  EXPECT_EQ(element_count({{"a", kLargest}, {"b", kLargest}, {"c", 0}}), 0);
  EXPECT_EQ(saturating_product(kLargest, 1), kLargest);
  EXPECT_EQ(saturating_product(kLargest, 2), kLargest);
}

TEST(Tensor, ShapeForPeople) {
  EXPECT_EQ(shape_text({}), "scalar");
  EXPECT_EQ(shape_text({{"a", 4}, {"b", 6}, {"c", 7}}), "4 × 6 × 7");
}

std::shared_ptr<const Axes> square(Index heads, Index tokens) {
  return std::make_shared<const Axes>(Axes{{"head", heads}, {"query", tokens}, {"key", tokens}});
}

/// Writes 100 · head + 10 · query + key, plus `more`, wherever an index is `from` or more.
void write(Tensor& tensor, Index from, float more) {
  for (Index offset = 0; offset < tensor.count(); ++offset) {
    const std::vector<Index> index = tensor.index_at(offset);
    if (index[1] >= from || index[2] >= from)
      tensor.first()[tensor.place(index)] = static_cast<float>(100 * index[0] + 10 * index[1] + index[2]) + more;
  }
}

void expect_written(const Tensor& tensor) {
  for (Index offset = 0; offset < tensor.count(); ++offset) {
    const std::vector<Index> index = tensor.index_at(offset);
    const auto expected = static_cast<float>(100 * index[0] + 10 * index[1] + index[2]);
    ASSERT_EQ(tensor.at(index), expected);
    ASSERT_EQ(tensor.values()[static_cast<std::size_t>(offset)], expected);
    ASSERT_EQ(tensor.matrix(std::vector<Index>{index[0]}).at(index[1], index[2]), expected);
  }
}

TEST(TensorWithRoom, GrowsInItsMemoryAndLeavesWhatIsShown) {
  const std::shared_ptr<Tensor> before = Tensor::with_room(square(2, 3), {2, 5, 5}, nullptr);
  write(*before, 0, 0);
  expect_written(*before);
  EXPECT_EQ(before->count(), 18);
  const std::shared_ptr<Tensor> after = before->grown(square(2, 5));
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(std::as_const(*after).first(), std::as_const(*before).first());
  write(*after, 3, 0);
  expect_written(*after);
  expect_written(*before);
  EXPECT_EQ(after->grown(square(2, 6)), nullptr) << "there is no room for six";
  const Tensor copy = *after;
  EXPECT_FALSE(copy.has_room());
  expect_written(copy);
}

TEST(TensorWithRoom, GrowsOnceOnly) {
  const std::shared_ptr<Tensor> first = Tensor::with_room(square(1, 2), {1, 8, 8}, nullptr);
  write(*first, 0, 0);
  const std::shared_ptr<Tensor> second = first->grown(square(1, 3));
  ASSERT_NE(second, nullptr);
  write(*second, 2, 0);
  EXPECT_EQ(first->grown(square(1, 3)), nullptr) << "its next row is taken";
  const std::shared_ptr<Tensor> shorter = second->grown(square(1, 2));
  ASSERT_NE(shorter, nullptr);
  expect_written(*shorter);
  EXPECT_EQ(shorter->grown(square(1, 3)), nullptr) << "and stays taken";
  EXPECT_NE(second->grown(square(1, 4)), nullptr);
}

/// A square of two columns, and one that grew from it by a third, whose upper part is put off. Counts how often that is
/// written.
struct PutOffColumn {
  std::shared_ptr<Tensor> before = Tensor::with_room(square(1, 2), {1, 4, 4}, nullptr);
  std::shared_ptr<Tensor> after;
  int written = 0;

  PutOffColumn() {
    write(*before, 0, 0);
    after = before->grown(square(1, 3));
    write(*after, 2, 0);
    after->first()[after->place(std::vector<Index>{0, 0, 2})] = 99;
    after->put_off({0, 0, 2}, {1, 2, 3}, [this](Tensor& whole) {
      ++written;
      for (const Index row : {0, 1})
        whole.first()[whole.place(std::vector<Index>{0, row, 2})] = static_cast<float>(10 * row + 2);
    });
  }
};

TEST(TensorWithRoom, WritesWhatWasPutOffOnceSomebodyReads) {
  PutOffColumn column;
  const Tensor& after = *column.after;
  EXPECT_EQ(column.written, 0);
  EXPECT_EQ(after.at(std::vector<Index>{0, 1, 2}), 12);
  expect_written(after);
  expect_written(*column.before);
  EXPECT_EQ(column.written, 1);
}

TEST(TensorWithRoom, WritesWhatWasPutOffForThoseThatFollow) {
  PutOffColumn column;
  const std::shared_ptr<Tensor> next = column.after->grown(square(1, 4));
  ASSERT_NE(next, nullptr);
  write(*next, 3, 0);
  expect_written(*next);
  EXPECT_EQ(column.written, 1);
  const Tensor copy = *PutOffColumn().after;
  expect_written(copy);
}

TEST(TensorWithRoom, BoxesHaveWhatWasPutOff) {
  PutOffColumn column;
  const auto box = [&](Index row, Index first, Index columns) {
    return column.after->box({{"item", 1}, {"row", 1}, {"column", columns}}, std::vector<Index>{0, row, first});
  };
  EXPECT_EQ(box(2, 0, 3)->at(std::vector<Index>{0, 0, 1}), 21);
  EXPECT_EQ(box(0, 0, 2)->at(std::vector<Index>{0, 0, 1}), 1);
  EXPECT_EQ(column.written, 0) << "nobody has looked there";
  EXPECT_EQ(box(0, 1, 2)->at(std::vector<Index>{0, 0, 1}), 2);
  EXPECT_EQ(column.written, 1);
}

TEST(TensorWithRoom, WritesWhatWasPutOffForManyReaders) {
  PutOffColumn column;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) readers.emplace_back([&] { expect_written(*column.after); });
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(column.written, 1);
}

}  // namespace
}  // namespace attnscope
