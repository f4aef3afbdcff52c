// Finds which of many pieces a text begins with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace attnscope {

class PieceTrie {
 public:
  /// Bytes of the longest piece that files may have: as many can be compared at every place of a text.
  static constexpr std::size_t kMaxPieceBytes = 1'000;

  /// Adds a piece, which must not be empty, with a value from 0; the first one with the same bytes stays.
  void add(std::string_view piece, int value);
  [[nodiscard]] bool empty() const { return values_.size() == 1; }

  /// Calls `take(length, value)` with every piece that `text` begins with, shorter ones first.
  template <typename Take>
  void each_prefix(std::string_view text, const Take& take) const {
    std::uint32_t node = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::optional<std::uint32_t> next = child(node, text[at]);
      if (!next) return;
      node = *next;
      if (values_[node] != kNone) take(at + 1, values_[node]);
    }
  }

 private:
  static constexpr int kNone = -1;

  static std::uint64_t edge(std::uint32_t node, char byte) {
    return std::uint64_t{node} << 8U | static_cast<unsigned char>(byte);
  }
  [[nodiscard]] std::optional<std::uint32_t> child(std::uint32_t node, char byte) const;

  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::vector<int> values_ = {kNone};  // of each node
};

}  // namespace attnscope
