// Limits on the memory that a file makes us hold while it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnscope {

/// The memory that reading one file may take. Readers charge it before they allocate: for inflated data, for each value
/// and key of the JSON, for pixels. Without a limit a small file could ask for anything: a kilobyte of zlib inflates to
/// a megabyte, and two bytes of JSON take eighty. The limit is `kBaseBytes` and `kBytesPerFileByte` per byte of the
/// file; the bytes of the file itself count towards it.
class ParseBudget {
 public:
  static constexpr std::uint64_t kBaseBytes = 64'000'000;
  static constexpr std::uint64_t kBytesPerFileByte = 8;

  /// For a file of `file_bytes` bytes, which are charged at once: its reader holds them.
  explicit ParseBudget(std::uint64_t file_bytes);

  /// Charges `bytes`, or charges nothing and returns false if they would exceed the limit.
  [[nodiscard]] bool charge(std::uint64_t bytes);
  /// Returns `bytes` that were charged, when their memory is freed.
  void release(std::uint64_t bytes);
  /// Whether a charge was ever refused; `release` does not reset it.
  [[nodiscard]] bool exceeded() const { return exceeded_; }
  /// Bytes that can still be charged.
  [[nodiscard]] std::uint64_t left() const { return limit_ - taken_; }
  /// The error after a refused charge. For `what` = "the JSON": "the JSON takes more than 64.5 MB, the limit for a file
  /// of 58.1 kB".
  [[nodiscard]] std::string refusal(std::string_view what) const;

 private:
  std::uint64_t file_bytes_;
  std::uint64_t limit_;  ///< bytes
  std::uint64_t taken_;  ///< bytes charged, those of the file included; at most `limit_`
  bool exceeded_ = false;
};

}  // namespace attnscope
