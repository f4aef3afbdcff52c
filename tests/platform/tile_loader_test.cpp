// The thread that reads tiles, on its own: what is asked for last comes, whatever was asked for before.
#include "platform/heatmap/tile_loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <new>
#include <numeric>
#include <thread>

namespace attnscope::platform {
namespace {

constexpr Index kSide = 1024;
constexpr Index kTile = 128;

std::shared_ptr<const ResidentMatrix> counted() {
  auto tensor = std::make_shared<Tensor>(Axes{{"query", kSide}, {"key", kSide}});
  std::iota(tensor->values().begin(), tensor->values().end(), 0.0F);
  return std::make_shared<const ResidentMatrix>(tensor, tensor->matrix());
}

MatrixPart tile(Index row, Index column) { return {0, 0, row * kTile, column * kTile, kTile, kTile}; }

/// Takes until `count` tiles are there, or ten seconds are over.
std::vector<LoadedTile> take(TileLoader& loader, std::size_t count) {
  std::vector<LoadedTile> all;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (all.size() < count && std::chrono::steady_clock::now() < end) {
    for (LoadedTile& loaded : loader.take()) all.push_back(std::move(loaded));
    std::this_thread::yield();
  }
  return all;
}

TEST(TileLoader, BringsWhatIsWantedTheMostUrgentFirst) {
  const auto source = counted();
  std::atomic<int> arrivals = 0;
  TileLoader loader([&] { ++arrivals; });
  std::vector<TileRequest> requests;
  for (Index row = 0; row < 4; ++row) requests.push_back({7, tile(row, 3 - row), source, row == 3});
  loader.want(requests);
  const std::vector<LoadedTile> loaded = take(loader, requests.size());
  ASSERT_EQ(loaded.size(), requests.size());
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    const MatrixPart& part = loaded[i].part;
    EXPECT_EQ(loaded[i].matrix, 7U);
    EXPECT_EQ(part, requests[i].part);
    ASSERT_EQ(loaded[i].texels.size(), static_cast<std::size_t>(kTile * kTile));
    EXPECT_EQ(loaded[i].texels.front(), static_cast<float>(part.first_row * kSide + part.first_column));
  }
  EXPECT_GE(arrivals, 1);
}

TEST(TileLoader, ForgetsWhatIsNoLongerWanted) {
  const auto source = counted();
  auto gone = counted();
  TileLoader loader([] {});
  for (Index round = 0; round < 200; ++round) {
    std::vector<TileRequest> requests;
    for (Index i = 0; i < 6; ++i) requests.push_back({1, tile(round % 8, i), source, i % 2 == 1});
    requests.push_back({2, tile(0, 0), gone, false});
    loader.want(requests);
    if (round == 100) gone.reset();
    if (round % 3 == 0) loader.take();
  }
  loader.want({{3, tile(5, 5), source, false}});
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);;) {
    const std::vector<LoadedTile> loaded = loader.take();
    if (std::any_of(loaded.begin(), loaded.end(), [](const LoadedTile& t) { return t.matrix == 3; })) break;
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::yield();
  }
  loader.want({});
}

/// A matrix whose numbers cannot be read, and for whose sketch there is no memory.
class UnreadableMatrix final : public MatrixSource {
 public:
  [[nodiscard]] Index rows() const override { return kTile; }
  [[nodiscard]] Index columns() const override { return kTile; }
  [[nodiscard]] bool needs_sketch() const override { return true; }
  bool sketch(const StopToken& /*stop*/) const override { throw std::bad_alloc(); }
  bool read(const MatrixPart& /*part*/, std::span<float> out, const StopToken& /*stop*/) const override {
    std::fill(out.begin(), out.end(), 5.0F);
    return false;
  }
  [[nodiscard]] bool ready(const MatrixPart& /*part*/) const override { return false; }
};

TEST(TileLoader, BringsNoNumberOfWhatCannotBeRead) {
  const auto matrix = std::make_shared<const UnreadableMatrix>();
  TileLoader loader([] {});
  loader.want({{1, tile(0, 0), matrix, false}});
  const std::vector<LoadedTile> loaded = take(loader, 1);
  ASSERT_EQ(loaded.size(), 1U) << "it waits for a sketch that there cannot be";
  EXPECT_TRUE(std::ranges::all_of(loaded[0].texels, [](float number) { return std::isnan(number); }));
}

/// A matrix that takes 40 ms to read, in pieces that are kept when it is stopped, or are not.
class SlowMatrix final : public MatrixSource {
 public:
  explicit SlowMatrix(bool keeps) : keeps_(keeps) {}
  [[nodiscard]] Index rows() const override { return kTile; }
  [[nodiscard]] Index columns() const override { return kTile; }
  bool read(const MatrixPart& /*part*/, std::span<float> out, const StopToken& stop) const override {
    ++reads_;
    for (int piece = keeps_ ? done_.load() : 0; piece < kPieces; ++piece) {
      if (stop.stop_requested()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (keeps_) done_ = piece + 1;
    }
    std::fill(out.begin(), out.end(), 3.0F);
    return true;
  }
  [[nodiscard]] bool ready(const MatrixPart& /*part*/) const override { return false; }
  [[nodiscard]] double progress() const override { return static_cast<double>(done_) / kPieces; }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  static constexpr int kPieces = 20;
  bool keeps_;
  mutable std::atomic<int> done_ = 0;
  mutable std::atomic<int> reads_ = 0;
};

TEST(TileLoader, ReadsInSeveralStepsWhereEachIsShort) {
  for (const bool keeps : {true, false}) {
    const auto slow = std::make_shared<const SlowMatrix>(keeps);
    TileLoader loader([] {}, std::chrono::milliseconds(5));
    loader.want({{1, tile(0, 0), slow, false}});
    const std::vector<LoadedTile> loaded = take(loader, 1);
    ASSERT_EQ(loaded.size(), 1U) << keeps;
    EXPECT_EQ(loaded[0].matrix, 1U);
    EXPECT_EQ(loaded[0].texels.back(), 3.0F);
    // What is not kept gets more time in each step.
    EXPECT_GE(slow->reads(), 4) << keeps;
  }
}

}  // namespace
}  // namespace attnscope::platform
