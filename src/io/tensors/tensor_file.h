// Files of tensors that other programs wrote: safetensors, npy, npz.
//
// Nothing in them is trusted. Every size, offset and count is checked against the others and against the file before it
// is used and before memory is taken. A contradiction is refused with one line that names file, tensor, field, value and
// limit. Nothing in them is executed: of Python's own formats only numpy's array header is read, and never evaluated.
//
// - .safetensors: every tensor, and the metadata. Types that cannot be shown (F8_E4M3, …) and unknown ones are listed.
// - .npy: one array, big-endian and in Fortran order too. Bytes after the array are a warning.
// - .npz: stored arrays are read in place; deflated ones are inflated at the first look, and kept. Either way the
//   checksum is verified then, which reads the array once. Members that are no .npy are omitted with a warning; one that
//   is damaged, encrypted or not of numbers is listed with the reason. Arrays of texts with one or two axes are read:
//   they may label tokens. The metadata of our own traces is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "io/tensors/tensor_format.h"
#include "io/tensors/tensor_listing.h"

namespace attnscope {

/// An open file of tensors. Its numbers stay in the file until somebody asks for them: it may be larger than memory.
/// Any thread may ask, several at once. Once the file changes, reading fails: all numbers are those of the moment when
/// it was opened.
class TensorFile {
 public:
  /// The limit on the memory of all inflated members, unless another is given.
  static constexpr std::uint64_t kMemoryBudget = 2'000'000'000;

  /// Opens a file and reads its headers. The first bytes decide which of `formats` it has. The extension counts only
  /// where no format begins like that: the reader that it names then says what is wrong.
  static Result<std::shared_ptr<const TensorFile>> open(const std::filesystem::path& path,
                                                        std::uint64_t memory_budget = kMemoryBudget,
                                                        std::span<const TensorFormat> formats = tensor_formats());
  /// The same for bytes from elsewhere, such as standard input. Messages call them `name`.
  static Result<std::shared_ptr<const TensorFile>> from_bytes(std::string bytes, const std::string& name,
                                                              std::uint64_t memory_budget = kMemoryBudget,
                                                              std::span<const TensorFormat> formats = tensor_formats());

  /// The name in messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The tensors in the order of the file. The array of an .npy has no name.
  [[nodiscard]] std::span<const TensorEntry> entries() const { return listing_.entries; }
  /// The index of the entry with that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return listing_.metadata; }
  /// Arrays of texts with one or two axes, which are entries without numbers as well.
  [[nodiscard]] std::span<const TextArray> texts() const { return listing_.texts; }
  /// What the user should know: bytes that belong to nothing, omitted members.
  [[nodiscard]] std::span<const std::string> warnings() const { return listing_.warnings; }

  /// Fills `out` with the numbers begin ≤ index < end of an entry in C order, each rounded to the nearest float32.
  /// Fails if the entry cannot be viewed, if the box is not part of it or not as large as `out`, if the file is damaged
  /// or has changed, and soon after `stop` is requested.
  Result<void> read(std::size_t entry, std::span<const Index> begin, std::span<const Index> end, std::span<float> out,
                    const StopToken& stop = {}) const;

 private:
  TensorFile(std::shared_ptr<const ByteSource> bytes, std::string name, std::uint64_t memory_budget)
      : bytes_(std::move(bytes)), name_(std::move(name)), memory_budget_(memory_budget) {}

  static Result<std::shared_ptr<const TensorFile>> from_source(std::shared_ptr<const ByteSource> bytes,
                                                               const std::filesystem::path& path,
                                                               std::uint64_t memory_budget,
                                                               std::span<const TensorFormat> formats);
  Result<void> list(const std::filesystem::path& path, std::span<const TensorFormat> formats);
  /// The bytes that an entry's offset refers to.
  Result<std::shared_ptr<const ByteSource>> source_of(std::size_t entry, const StopToken& stop) const;
  void make_room(std::uint64_t bytes) const;

  std::shared_ptr<const ByteSource> bytes_;
  std::string name_;
  std::uint64_t memory_budget_;
  TensorListing listing_;

  /// A member of an archive that has been opened.
  struct Opened {
    std::size_t member = 0;
    std::shared_ptr<const ByteSource> bytes;
    std::uint64_t taken = 0;  ///< of memory
    std::string trouble;      ///< why there are no bytes: it is damaged
  };
  mutable std::mutex opening_;
  mutable std::vector<Opened> opened_;  ///< oldest first
};

}  // namespace attnscope
