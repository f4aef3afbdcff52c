// What the fuzz targets of tensor files do with what they get.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/tensors/tensor_file.h"

namespace attnscope::fuzz {

/// Ends the program, which the fuzzer takes for a find.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// At most so many numbers of a tensor are read, and so much memory may members of an archive take.
inline constexpr Index kMaxNumbers = 1 << 16;
inline constexpr std::uint64_t kMemoryBudget = 1 << 20;

/// A box of at most kMaxNumbers at the end of the tensor, in two ways: whole, and by its last number.
inline void read_entry(const TensorFile& file, std::size_t number) {
  const TensorEntry& entry = file.entries()[number];
  std::vector<Index> begin;
  Index count = 1;
  for (const Index size : entry.shape) {
    const Index part = std::min(size, count == 0 ? size : std::max<Index>(1, kMaxNumbers / count));
    begin.push_back(size - part);
    count *= part;
  }
  std::vector<float> all(static_cast<std::size_t>(count));
  const Result<void> read = file.read(number, begin, entry.shape, all);
  require(read || !read.error().message.empty());
  require(read || read.error().message.find('\n') == std::string::npos);
  require(!read || entry.trouble.empty());
  if (!read || count == 0) return;
  std::vector<Index> last;
  for (const Index size : entry.shape) last.push_back(size - 1);
  float one = 0;
  require(file.read(number, last, entry.shape, {&one, 1}).has_value());
  require(one == all.back() || one != one);
}

inline int read_everything(const std::uint8_t* data, std::size_t size, const char* name) {
  const auto file = TensorFile::from_bytes({reinterpret_cast<const char*>(data), size}, name, kMemoryBudget);
  if (!file) {
    require(!file.error().message.empty() && file.error().message.find('\n') == std::string::npos);
    return 0;
  }
  for (std::size_t number = 0; number < (*file)->entries().size(); ++number) read_entry(**file, number);
  return 0;
}

}  // namespace attnscope::fuzz

// NOLINTNEXTLINE(readability-identifier-naming): the name that the fuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
