// Valid files of tensors, truncated at every byte and with every bit of their headers flipped: each is refused, or read
// as something that fits into the file.

#include <gtest/gtest.h>

#include <algorithm>

#include "io/tensors/tensor_file.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

constexpr std::uint64_t kBudget = 100'000;

/// A small file with the extension of its format.
struct SmallFile {
  std::string name;
  std::string bytes;
};

std::vector<SmallFile> small_files() {
  const std::string data = float_bytes({1, 2, 3, 4});
  const std::string header = R"({"__metadata__": {"a": "b"}, )" + entry_text("q", "F32", "[2, 1]", "[0, 8]") + ", " +
                             entry_text("k", "BF16", "[2, 2]", "[8, 16]") + "}";
  const std::string fortran = npy_bytes(npy_dictionary(">i2", "(2, 2, 2)", true), data, 3);
  ZipPart later = ZipPart::deflated("b.npy", fortran);
  later.descriptor = true;
  ZipPart wide = ZipPart::deflated("c.npy", small_npy());
  wide.zip64 = true;
  return {{"t.safetensors", safetensors_bytes(header, data)},
          {"one.npy", small_npy()},
          {"two.npy", npy_bytes(npy_dictionary("<f8", "(2,)"), data, 2)},
          {"three.npy", fortran},
          {"stored.npz", zip_bytes({ZipPart::stored("a.npy", small_npy()), ZipPart::stored("x.txt", "x")})},
          {"deflated.npz", zip_bytes({ZipPart::deflated("a.npy", small_npy()), later})},
          {"wide.npz", zip_bytes({wide, ZipPart::stored("a.npy", small_npy())}, true)}};
}

/// Whether a file is refused with a message, or everything in it can be read or is refused with a message.
void expect_sane(const SmallFile& file, const std::string& what) {
  const auto opened = TensorFile::from_bytes(file.bytes, file.name, kBudget);
  if (!opened) {
    EXPECT_TRUE(is_one_line(opened.error().message)) << what;
    return;
  }
  for (std::size_t i = 0; i < (*opened)->entries().size(); ++i) {
    const TensorEntry& entry = (*opened)->entries()[i];
    double count = 1;
    for (const Index size : entry.shape) count *= static_cast<double>(size);
    // Whatever can be viewed lies in the file, or fits into the budget.
    if (entry.trouble.empty()) {
      ASSERT_LE(count, static_cast<double>(std::max<std::uint64_t>(file.bytes.size(), kBudget))) << what;
    } else {
      EXPECT_TRUE(is_one_line(entry.trouble)) << what;
      count = 0;
    }
    std::vector<float> numbers(static_cast<std::size_t>(count));
    const std::vector<Index> begin(entry.shape.size());
    const Result<void> read = (*opened)->read(i, begin, entry.shape, numbers);
    EXPECT_TRUE(read || is_one_line(read.error().message)) << what;
  }
}

TEST(DamagedTensorFiles, CutOffAnywhere) {
  for (const SmallFile& file : small_files()) {
    for (std::size_t size = 0; size < file.bytes.size(); ++size) {
      const SmallFile cut = {file.name, file.bytes.substr(0, size)};
      EXPECT_FALSE(TensorFile::from_bytes(cut.bytes, cut.name)) << file.name << " " << size;
      expect_sane(cut, file.name + " cut off at " + std::to_string(size));
    }
  }
}

TEST(DamagedTensorFiles, WithEveryBitTurned) {
  for (const SmallFile& file : small_files()) {
    expect_sane(file, file.name);
    ASSERT_TRUE(TensorFile::from_bytes(file.bytes, file.name, kBudget)) << file.name;
    for (std::size_t bit = 0; bit < 8 * file.bytes.size(); ++bit) {
      SmallFile damaged = file;
      damaged.bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged.bytes[bit / 8]) ^ (1U << bit % 8));
      expect_sane(damaged, file.name + " with bit " + std::to_string(bit) + " turned");
    }
  }
}

TEST(DamagedTensorFiles, WithEveryByteLeastAndLargest) {
  for (const SmallFile& file : small_files()) {
    for (std::size_t at = 0; at < file.bytes.size(); ++at) {
      for (const char value : {'\0', '\x7f', '\xff', '9'}) {
        SmallFile damaged = file;
        damaged.bytes[at] = value;
        expect_sane(damaged, file.name + " with another byte at " + std::to_string(at));
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
