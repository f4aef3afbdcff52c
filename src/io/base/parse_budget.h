// What a file may make us hold while it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnscope {

/// Counts what reading one file takes, before it is taken: what is unpacked, each value and key of its JSON, its
/// pixels. A small file can ask for anything (a kilobyte of zlib for a megabyte, two bytes of JSON for eighty), so the
/// limit is `kLeast` and `kTimes` its size, the bytes of the file itself among them.
class ParseBudget {
 public:
  static constexpr std::uint64_t kLeast = 64'000'000;
  static constexpr std::uint64_t kTimes = 8;

  /// For a file of so many bytes, which are held.
  explicit ParseBudget(std::uint64_t file_bytes);

  /// Takes so many bytes; false, and none are taken, where they are too many.
  [[nodiscard]] bool charge(std::uint64_t bytes);
  /// Gives back what was taken.
  void release(std::uint64_t bytes);
  /// Whether anything was too much, ever.
  [[nodiscard]] bool exceeded() const { return exceeded_; }
  /// How many bytes can still be taken.
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
