// Valid files of tensors: read exactly, in parts, with no more memory than requested.

#include "io/tensors/tensor_file.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "core/base/stop.h"
#include "core/trace/run.h"
#include "io/traces/trace_file.h"
#include "support/golden.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;
using File = std::shared_ptr<const TensorFile>;

File opened(const fs::path& path, std::uint64_t memory_budget = TensorFile::kMemoryBudget) {
  const auto file = TensorFile::open(path, memory_budget);
  EXPECT_TRUE(file) << file.error().message;
  return file ? *file : nullptr;
}

Index count_of(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  return count;
}

std::vector<float> part_of_entry(const TensorFile& file, std::size_t entry, const std::vector<Index>& begin,
                                 const std::vector<Index>& end) {
  std::vector<Index> shape;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) shape.push_back(end[axis] - begin[axis]);
  std::vector<float> numbers(static_cast<std::size_t>(count_of(shape)), -77);
  const Result<void> read = file.read(entry, begin, end, numbers);
  EXPECT_TRUE(read) << read.error().message;
  return numbers;
}

std::vector<float> whole(const TensorFile& file, std::size_t entry) {
  const std::vector<Index>& shape = file.entries()[entry].shape;
  return part_of_entry(file, entry, std::vector<Index>(shape.size()), shape);
}

/// The same bits, except that all NaN are equal.
bool same_numbers_exactly(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return (std::isnan(x) && std::isnan(y)) || std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

std::vector<Index> shape_of(const Tensor& tensor) {
  std::vector<Index> shape;
  for (const Axis& axis : tensor.axes()) shape.push_back(axis.size);
  return shape;
}

TEST(TensorFile, ReadsWhatNumpyAndPyTorchWroteToTheLastBit) {
  const Golden expected = read_golden(golden_path("tensor-files/expected.safetensors"));
  std::set<std::string> kinds;
  std::size_t entries = 0;
  for (const auto& [name, tensor] : expected.tensors) {
    const std::size_t slash = name.find('/');
    const File file = opened(golden_path("tensor-files/" + name.substr(0, slash)));
    ASSERT_TRUE(file) << name;
    EXPECT_TRUE(file->warnings().empty()) << name;
    const std::optional<std::size_t> entry = file->find(name.substr(slash + 1));
    ASSERT_TRUE(entry) << name;
    EXPECT_EQ(file->entries()[*entry].trouble, "");
    EXPECT_EQ(file->entries()[*entry].shape, shape_of(tensor)) << name;
    EXPECT_TRUE(same_numbers_exactly(whole(*file, *entry), tensor.values())) << name;
    kinds.insert(file->entries()[*entry].type);
    ++entries;
  }
  EXPECT_EQ(kinds.size(), 13U);  // all there are
  std::size_t listed = 0;
  for (const auto& each : fs::directory_iterator(golden_path("tensor-files"))) {
    if (each.path().filename() != "expected.safetensors") listed += opened(each.path())->entries().size();
  }
  EXPECT_EQ(listed, entries);
}

TEST(TensorFile, MetadataIsRead) {
  EXPECT_EQ(opened(golden_path("tensor-files/torch.safetensors"))->metadata(),
            (std::map<std::string, std::string>{{"format", "pt"}}));
}

/// The number at `index` of a tensor whose numbers are known.
float number_at(const std::vector<float>& numbers, const std::vector<Index>& shape, const std::vector<Index>& index) {
  Index at = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) at = at * shape[axis] + index[axis];
  return numbers[static_cast<std::size_t>(at)];
}

/// Every part of an entry equals the same part of the whole.
void expect_parts(const TensorFile& file, std::size_t entry, std::mt19937& random) {
  const std::vector<Index> shape = file.entries()[entry].shape;
  const std::vector<float> all = whole(file, entry);
  std::vector<Index> begin;
  std::vector<Index> end;
  for (const Index size : shape) {
    begin.push_back(static_cast<Index>(random()) % (size + 1));
    end.push_back(begin.back() + static_cast<Index>(random()) % (size + 1 - begin.back()));
  }
  std::vector<float> expected;
  std::vector<Index> index = begin;
  bool left = count_of(shape) > 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) left = left && begin[axis] < end[axis];
  while (left) {
    expected.push_back(number_at(all, shape, index));
    std::size_t axis = shape.size();
    for (; axis > 0; --axis) {
      if (++index[axis - 1] < end[axis - 1]) break;
      index[axis - 1] = begin[axis - 1];
    }
    left = axis > 0;
  }
  EXPECT_TRUE(same_numbers_exactly(part_of_entry(file, entry, begin, end), expected))
      << file.name() << " " << file.entries()[entry].name << " " << testing::PrintToString(begin) << " "
      << testing::PrintToString(end);
}

TEST(TensorFile, AnyPartIsThatOfTheWhole) {
  std::mt19937 random(7);
  for (const auto& each : fs::directory_iterator(golden_path("tensor-files"))) {
    const File file = opened(each.path());
    for (std::size_t entry = 0; entry < file->entries().size(); ++entry)
      for (int i = 0; i < (kSanitized ? 5 : 20); ++i) expect_parts(*file, entry, random);
  }
}

TEST(TensorFile, LargePartsAreReadInPieces) {
  // Rows of a megabyte, and rows far apart.
  const TemporaryFolder folder;
  constexpr Index kRows = 12;
  constexpr Index kColumns = 300'000;
  std::vector<float> numbers(kRows * kColumns);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  for (const bool fortran : {false, true}) {
    const std::string dictionary = npy_dictionary("<f4", "(12, 300000)", fortran);
    const File file = opened(folder.file("t.npy", npy_bytes(dictionary, float_bytes(numbers))));
    std::mt19937 random(7);
    for (int i = 0; i < 4; ++i) expect_parts(*file, 0, random);
    const std::vector<float> column = part_of_entry(*file, 0, {0, 70'000}, {kRows, 70'001});
    EXPECT_EQ(column[5], fortran ? 70'000 * kRows + 5 : 5 * kColumns + 70'000);
  }
}

TEST(TensorFile, PartsThatAreNoneAreRefused) {
  const auto file = *TensorFile::from_bytes(npy_bytes(npy_dictionary("<f4", "(2, 2)"), float_bytes({1, 2, 3, 4})), "-");
  std::array<float, 4> numbers = {};
  const auto trouble = [&](std::size_t entry, const std::vector<Index>& begin, const std::vector<Index>& end,
                           std::size_t room = 4) {
    const Result<void> read = file->read(entry, begin, end, std::span(numbers).first(room));
    return read ? "none" : read.error().message;
  };
  EXPECT_EQ(trouble(0, {0, 0}, {2, 2}), "none");
  EXPECT_EQ(trouble(0, {2, 0}, {2, 2}, 0), "none");
  EXPECT_EQ(trouble(1, {}, {}), "-: there is no tensor number 1");
  EXPECT_EQ(trouble(0, {0, 0}, {2, 3}), "-: there is no slice [0, 0] to [2, 3]; allowed: within [2, 2]");
  for (const auto& [begin, end] : std::vector<std::pair<std::vector<Index>, std::vector<Index>>>{
           {{0}, {2}}, {{-1, 0}, {2, 2}}, {{2, 0}, {1, 2}}, {{0, 0, 0}, {1, 2, 2}}})
    EXPECT_NE(trouble(0, begin, end), "none");
  EXPECT_EQ(trouble(0, {0, 0}, {1, 2}), "-: room for 4 numbers instead of 2");
  StopSource stop;
  stop.request_stop();
  EXPECT_FALSE(file->read(0, std::vector<Index>{0, 0}, std::vector<Index>{2, 2}, numbers, stop.token()));
}

/// Memory of this process in bytes.
std::uint64_t memory_taken() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  statm >> pages >> resident;
  return resident * 4096;
}

TEST(TensorFile, TenGigabytesAreOpenAtOnce) {
  // A hole, which takes no room on the disk.
  const TemporaryFolder folder;
  const std::string header = "{" + entry_text("a", "F16", "[50000, 100000]", "[0, 10000000000]") + "}";
  const fs::path path = folder.file("t.safetensors", safetensors_bytes(header));
  fs::resize_file(path, fs::file_size(path) + 10'000'000'000);
  const std::uint64_t before = memory_taken();
  const File file = opened(path);
  EXPECT_EQ(part_of_entry(*file, 0, {49'999, 99'990}, {50'000, 100'000}), std::vector<float>(10));
  EXPECT_EQ(part_of_entry(*file, 0, {0, 5}, {1000, 6}), std::vector<float>(1000));
  EXPECT_TRUE(kSanitized || memory_taken() < before + 4'000'000);
}

/// An archive with three deflated arrays of 40 kB.
std::string three_arrays() {
  std::vector<ZipPart> parts;
  for (const char* name : {"a.npy", "b.npy", "c.npy"}) {
    std::vector<float> numbers(10'000, name[0]);
    parts.push_back(ZipPart::deflated(name, npy_bytes(npy_dictionary("<f4", "(10000,)"), float_bytes(numbers))));
  }
  return zip_bytes(parts);
}

TEST(TensorFile, InflatedMembersGiveWayToEachOther) {
  const TemporaryFolder folder;
  const File file = opened(folder.file("t.npz", three_arrays()), 90'000);
  for (const std::size_t entry : {0U, 1U, 0U, 2U, 0U, 1U, 2U})
    EXPECT_EQ(whole(*file, entry), std::vector<float>(10'000, static_cast<float>('a' + entry)));
  const File small = opened(folder / "t.npz", 39'000);
  EXPECT_EQ(small->entries()[0].trouble, "it takes 40.1 kB of memory when inflated; allowed: 39.0 kB");
}

TEST(TensorFile, SeveralThreadsMayRead) {
  const File file = *TensorFile::from_bytes(three_arrays(), "-", 50'000);
  std::vector<std::thread> threads;
  for (std::size_t entry = 0; entry < 3; ++entry) {
    threads.emplace_back([&, entry] {
      for (int i = 0; i < 20; ++i)
        EXPECT_EQ(whole(*file, entry), std::vector<float>(10'000, static_cast<float>('a' + entry)));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TensorFile, NamesOfMembersDoNotMeet) {
  const File file =
      *TensorFile::from_bytes(zip_bytes({ZipPart::stored("a", small_npy()), ZipPart::stored("a.npy", small_npy()),
                                         ZipPart::stored("b.npy", small_npy()), ZipPart::stored(".npy", small_npy())}),
                              "t.npz");
  std::vector<std::string> names;
  for (const TensorEntry& entry : file->entries()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a.npy", "b", ""}));
}

TEST(TensorFile, OurTracesReadBack) {
  const TemporaryFolder folder;
  Experiment e = *default_experiment("worked-example");
  ASSERT_TRUE(set_parameter_text(e, "mask", "causal"));
  const auto trace = *run(e);
  for (const char* name : {"t.safetensors", "t.npz"}) {
    ASSERT_TRUE(write_trace(*trace, folder / name));
    const File file = opened(folder / name);
    EXPECT_TRUE(file->warnings().empty());
    EXPECT_EQ(file->entries().size(), trace->steps().size());
    EXPECT_EQ(file->metadata().at("format"), "attnscope-trace/1");
    EXPECT_EQ(file->metadata().at("axes:scores"), "head,query,key");
    for (std::size_t i = 0; i < trace->steps().size(); ++i) {
      const Step& step = trace->steps()[i];
      EXPECT_EQ(file->find(step.name), i);
      EXPECT_EQ(file->entries()[i].shape, shape_of(*step.tensor));
      EXPECT_TRUE(same_numbers_exactly(whole(*file, i), step.tensor->values())) << step.name;
    }
  }
}

}  // namespace
}  // namespace attnscope::test
