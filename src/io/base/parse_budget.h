// Limits on the memory that a file makes us hold while it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnscope {

/// Counts the memory that reading a file takes, before it is taken: for inflated data, for each value and key of its
/// JSON, for its pixels. A small file can ask for anything (a kilobyte of zlib for a megabyte, two bytes of JSON for
/// eighty): the limit is `kLeast` and `kTimes` its size, which includes the bytes of the file itself.
class ParseBudget {
 public:
  static constexpr std::uint64_t kLeast = 64'000'000;
  static constexpr std::uint64_t kTimes = 8;

  /// For a file of that size, whose bytes are held.
  explicit ParseBudget(std::uint64_t file_bytes);

  /// Takes bytes; takes none and returns false if they are too many.
  [[nodiscard]] bool charge(std::uint64_t bytes);
  /// Returns bytes to the budget.
  void release(std::uint64_t bytes);
  /// Whether the limit was ever exceeded.
  [[nodiscard]] bool exceeded() const { return exceeded_; }
  /// Bytes that can still be taken.
  [[nodiscard]] std::uint64_t left() const { return limit_ - taken_; }
  /// "the JSON takes more than 64.5 MB, the limit for a file of 58.1 kB"
  [[nodiscard]] std::string refusal(std::string_view what) const;

 private:
  std::uint64_t file_bytes_;
  std::uint64_t limit_;
  std::uint64_t taken_;
  bool exceeded_ = false;
};

}  // namespace attnscope
