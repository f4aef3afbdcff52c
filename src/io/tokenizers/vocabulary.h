// Pieces and their ids.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/result.h"

namespace attnscope {

/// A hash that finds a string by a view of it.
struct PieceHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's name
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// The pieces of a model with their ids. Ids may have gaps; when two pieces have the same id, the first added is the one
/// that is printed.
class Vocabulary {
 public:
  static constexpr int kMaxId = (1 << 24) - 1;

  Vocabulary() = default;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;  // `pieces_` points into `ids_`
  Vocabulary& operator=(const Vocabulary&) = delete;
  ~Vocabulary() = default;

  /// Adds a piece; one that is already there keeps its id.
  void add(std::string piece, int id);
  /// Adds a piece; one that is already there gets this id.
  void assign(std::string piece, int id);
  [[nodiscard]] std::optional<int> id(std::string_view piece) const;
  /// Empty for an id without a piece.
  [[nodiscard]] std::string_view piece(int id) const;
  /// One more than the largest id.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Bytes of the longest piece.
  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  std::unordered_map<std::string, int, PieceHash, std::equal_to<>> ids_;
  std::unordered_map<int, const std::string*> pieces_;
  std::size_t size_ = 0;
  std::size_t longest_ = 0;
};

}  // namespace attnscope
