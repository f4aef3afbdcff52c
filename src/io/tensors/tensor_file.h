// Files of tensors that other programs wrote: safetensors, npy, npz.
//
// Nothing in them is believed. Every size, offset and count is checked against the others and against the file before
// it is used and before memory is taken; what does not fit together is refused with one line that names file, tensor,
// field, value and what is allowed. Nothing in them is run: of Python's own formats only numpy's array header is read,
// and not evaluated.
//
// .safetensors  Every tensor, and the metadata. Kinds that cannot be shown (F8_E4M3, …) and unknown ones are listed.
// .npy          One array. Big-endian numbers and Fortran order are read too; bytes behind the array are a warning.
// .npz          Arrays that are stored are read where they are, deflated ones inflated when they are first looked at
// and
//               kept. The checksum of either is checked then, which goes through all of it once. Members that are no
//               .npy are left out with a warning; one that is damaged, encrypted or holds something else than numbers
//               is listed with the reason. The metadata of our own traces is read.
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

/// A file of tensors, open. Its numbers stay where they are until they are asked for, so that it may be larger than
/// memory. Any thread may ask, several at once. Once the file changes, reading fails: numbers are those that it had
/// when it was opened.
class TensorFile {
 public:
  /// Bytes that inflated members take together at most, where nothing else is said.
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

  /// As messages have it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The tensors in the order of the file. The one of an .npy has no name.
  [[nodiscard]] std::span<const TensorEntry> entries() const { return listing_.entries; }
  /// The place among them of the one of that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return listing_.metadata; }
  /// What the user should know: bytes that belong to nothing, members that were left out.
  [[nodiscard]] std::span<const std::string> warnings() const { return listing_.warnings; }

  /// Fills `out` with the numbers begin ≤ index < end of an entry, one after the other in C order, each the float32
  /// nearest to what the file has. Fails where `entry` cannot be viewed, where that is no part of it or not as large as
  /// `out`, where the file is damaged or has changed, and soon after `stop` was requested.
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
  /// The bytes that an entry's offset counts in.
  Result<std::shared_ptr<const ByteSource>> source_of(std::size_t entry, const StopToken& stop) const;
  void make_room(std::uint64_t bytes) const;

  std::shared_ptr<const ByteSource> bytes_;
  std::string name_;
  std::uint64_t memory_budget_;
  TensorListing listing_;

  /// A member of an archive that was looked at.
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
