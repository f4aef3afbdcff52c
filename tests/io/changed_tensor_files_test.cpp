// Files of tensors that are damaged, or written while they are read: the result is the numbers of the moment when the
// file was opened, or an error.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "core/trace/run.h"
#include "io/experiments/imported_tensor_file.h"
#include "io/tensors/tensor_file.h"
#include "io/traces/trace_file.h"
#include "support/background_thread.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

using OpenedTensors = std::shared_ptr<const TensorFile>;

Result<std::vector<float>> numbers_in(const TensorFile& file, std::size_t entry) {
  const std::vector<Index>& shape = file.entries()[entry].shape;
  std::size_t count = 1;
  for (const Index size : shape) count *= static_cast<std::size_t>(size);
  std::vector<float> numbers(count);
  const std::vector<Index> begin(shape.size(), 0);
  if (const Result<void> read = file.read(entry, begin, shape, numbers); !read) return tl::unexpected(read.error());
  return numbers;
}

std::string npy_of(const std::vector<float>& numbers, const std::string& shape) {
  return npy_bytes(npy_dictionary("<f4", shape), float_bytes(numbers));
}

void write_in_place(const fs::path& path, const std::string& bytes, std::size_t at = 0) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file << bytes;
}

TEST(ChangedTensorFiles, AreRefusedOnceTheyAreWrittenInPlace) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("x.npy", npy_of({1, 2, 3, 4}, "(2, 2)"));
  const OpenedTensors file = *TensorFile::open(path);
  EXPECT_EQ(numbers_in(*file, 0), (std::vector<float>{1, 2, 3, 4}));
  // At once and with the same length: only the time differs.
  write_in_place(path, npy_of({5, 6, 7, 8}, "(2, 2)"));
  const auto changed = numbers_in(*file, 0);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().message, path.string() + ": the file has changed since it was opened");
  EXPECT_EQ(numbers_in(**TensorFile::open(path), 0), (std::vector<float>{5, 6, 7, 8}));
}

TEST(ChangedTensorFiles, AreRefusedOnceTheyAreShorterOrLonger) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("x.npy", npy_of({1, 2, 3, 4}, "(2, 2)"));
  const std::uintmax_t size = fs::file_size(path);
  OpenedTensors file = *TensorFile::open(path);
  fs::resize_file(path, size - 4);
  auto changed = numbers_in(*file, 0);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().message, path.string() + ": the file has been shortened since it was opened");
  // Zeros replace the content.
  fs::resize_file(path, size);
  changed = numbers_in(*file, 0);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().message, path.string() + ": the file has changed since it was opened");
  file = *TensorFile::open(path);
  fs::resize_file(path, size + 4);
  EXPECT_FALSE(numbers_in(*file, 0));
}

TEST(ChangedTensorFiles, StayWhatTheyWereWhenAnotherTakesTheirPlace) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("x.npy", npy_of({1, 2, 3, 4}, "(2, 2)"));
  const OpenedTensors file = *TensorFile::open(path);
  fs::rename(folder.file("y.npy", npy_of({5, 6, 7, 8}, "(2, 2)")), path);
  EXPECT_EQ(numbers_in(*file, 0), (std::vector<float>{1, 2, 3, 4}));
  fs::remove(path);
  EXPECT_EQ(numbers_in(*file, 0), (std::vector<float>{1, 2, 3, 4}));
}

TEST(ChangedTensorFiles, MembersOfAnArchiveAreRefusedToo) {
  for (const bool deflated : {false, true}) {
    const TemporaryFolder folder;
    const std::string array = npy_of({1, 2, 3, 4}, "(2, 2)");
    const auto part = deflated ? &ZipPart::deflated : &ZipPart::stored;
    const fs::path path = folder.file("x.npz", zip_bytes({part("a.npy", array), part("b.npy", array)}));
    const OpenedTensors file = *TensorFile::open(path);
    EXPECT_TRUE(numbers_in(*file, 0));
    write_in_place(path, "PK");
    // What was inflated before the change stays valid.
    EXPECT_EQ(numbers_in(*file, 0).has_value(), deflated);
    const auto changed = numbers_in(*file, 1);
    ASSERT_FALSE(changed);
    EXPECT_NE(changed.error().message.find("\"b\": the file has changed since it was opened"), std::string::npos)
        << changed.error().message;
  }
}

/// A file of equal numbers, which another thread overwrites in place again and again, and sometimes truncates.
class Rewritten {
 public:
  Rewritten(fs::path path, std::size_t numbers) : path_(std::move(path)), numbers_(numbers) {
    const std::string header = npy_dictionary("<f4", "(" + std::to_string(numbers) + ",)");
    at_ = 10 + header.size();
    std::ofstream(path_, std::ios::binary) << npy_bytes(header, float_bytes(std::vector<float>(numbers, 0)));
    writer_.emplace([this](const StopToken& stop) {
      while (!stop.stop_requested()) write_anew();
    });
  }

  /// How often a write began or ended: even while the file is complete, with equal numbers.
  [[nodiscard]] int version() const { return version_; }

 private:
  void write_anew() {
    const int next = version_ + 2;
    ++version_;
    const std::uintmax_t size = fs::file_size(path_);
    if (next % 6 == 0) fs::resize_file(path_, size / 2);
    if (next % 6 == 0) fs::resize_file(path_, size);
    write_in_place(path_, float_bytes(std::vector<float>(numbers_, static_cast<float>(next))), at_);
    ++version_;
    std::this_thread::sleep_for(std::chrono::milliseconds(next % 31));
  }

  fs::path path_;
  std::size_t numbers_;
  std::size_t at_ = 0;
  std::atomic<int> version_ = 0;
  std::optional<BackgroundThread> writer_;  // last: it uses the others
};

TEST(ChangedTensorFiles, OldNumbersAndNewOnesAreNeverMixed) {
  const TemporaryFolder folder;
  const fs::path path = folder / "x.npy";
  constexpr Index kNumbers = 200'000;
  constexpr Index kPart = 50'000;
  const Rewritten writer(path, kNumbers);
  int whole = 0;
  int refused = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kSanitized ? 10 : 3);
  while (std::chrono::steady_clock::now() < end || whole == 0 || refused == 0) {
    const int version = writer.version();
    const Result<OpenedTensors> file = TensorFile::open(path);
    if (!file || version % 2 != 0 || writer.version() != version) continue;
    // In parts, as views read them. Others may write the file from here on.
    std::vector<float> numbers(kNumbers);
    bool read = true;
    for (Index at = 0; read && at < kNumbers; at += kPart) {
      const auto part = std::span(numbers).subspan(static_cast<std::size_t>(at), kPart);
      read = (*file)->read(0, std::vector<Index>{at}, std::vector<Index>{at + kPart}, part).has_value();
      if (whole % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    ++(read ? whole : refused);
    if (!read) continue;
    const auto right = [&](float each) { return each == static_cast<float>(version); };
    ASSERT_TRUE(std::all_of(numbers.begin(), numbers.end(), right)) << numbers.front() << " to " << numbers.back();
  }
}

/// The effect of one changed bit: the file is refused, or has all its numbers.
void expect_right_or_refused(const std::string& bytes, const std::vector<float>& right, const std::string& about) {
  const Result<OpenedTensors> file = TensorFile::from_bytes(bytes, "x.npz");
  if (!file) return;
  for (std::size_t i = 0; i < (*file)->entries().size(); ++i) {
    const auto numbers = numbers_in(**file, i);
    if (!numbers) continue;
    EXPECT_EQ(*numbers, right) << about;
  }
}

TEST(DamagedTensorFiles, EachBitOfAnArchiveGivesTheRightNumbersOrAnError) {
  const std::vector<float> right = {1, -2.5F, 3e-7F, 4, 5, 6};
  const std::string array = npy_of(right, "(2, 3)");
  for (const auto& part : {ZipPart::stored("a.npy", array), ZipPart::deflated("a.npy", array)}) {
    const std::string zip = zip_bytes({part});
    for (std::size_t at = 0; at < zip.size(); ++at) {
      for (unsigned bit = 0; bit < 8; bit += kSanitized ? 4 : 1) {
        std::string damaged = zip;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
        expect_right_or_refused(damaged, right, std::to_string(at) + ", bit " + std::to_string(bit));
      }
    }
  }
}

Experiment experiment_on_file(const fs::path& path) {
  const Result<Experiment> experiment = experiment_of_tensors(path);
  EXPECT_TRUE(experiment) << experiment.error().message;
  return *experiment;
}

TEST(DamagedTensorFiles, AWrongChecksumEndsTheRun) {
  const TemporaryFolder folder;
  const std::string array = npy_of({0.5F, 0.5F, 0.25F, 0.75F}, "(1, 2, 2)");
  for (ZipPart part : {ZipPart::stored("attn.npy", array), ZipPart::deflated("attn.npy", array)}) {
    part.crc ^= 1U;
    const fs::path path = folder.file("x.npz", zip_bytes({part}));
    const auto trace = run(experiment_on_file(path));
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().message,
              path.string() + ": tensor \"attn\": its checksum (CRC-32) is wrong: the archive is damaged");
    // Saying so again reads nothing more.
    EXPECT_FALSE(run(experiment_on_file(path)));
  }
}

TEST(DamagedTensorFiles, ABombEndsTheRun) {
  const TemporaryFolder folder;
  const std::string array = npy_of({0.5F, 0.5F, 0.25F, 0.75F}, "(1, 2, 2)");
  ZipPart part = ZipPart::deflated("attn.npy", array + std::string(100'000, '\0'));
  part.size = array.size();
  const fs::path path = folder.file("x.npz", zip_bytes({part}));
  const auto trace = run(experiment_on_file(path));
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("it inflates to more than the "), std::string::npos) << trace.error().message;
}

TEST(DamagedTensorFiles, WhatIsOddIsAWarningOfTheTrace) {
  const TemporaryFolder folder;
  const std::string array = npy_of({0.5F, 0.5F, 0.25F, 0.75F}, "(1, 2, 2)");
  const fs::path longer = folder.file("long.npy", array + "more");
  const auto of_npy = *run(experiment_on_file(longer));
  ASSERT_EQ(of_npy->warnings().size(), 1U);
  EXPECT_EQ(of_npy->warnings()[0], longer.string() + ": the file has 4 bytes after its numbers");
  const fs::path mixed =
      folder.file("mixed.npz", zip_bytes({ZipPart::stored("attn.npy", array), ZipPart::stored("notes.txt", "hello")}));
  const auto of_npz = *run(experiment_on_file(mixed));
  ASSERT_EQ(of_npz->warnings().size(), 1U);
  EXPECT_EQ(of_npz->warnings()[0], mixed.string() + ": omitted, not .npy files: \"notes.txt\"");
}

}  // namespace
}  // namespace attnscope::test
