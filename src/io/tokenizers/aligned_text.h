// A text on its way to the tokens: changed, cut into words, and still tied to the bytes that it came from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// The bytes [from, to) of a text.
struct ByteRange {
  std::size_t from = 0;
  std::size_t to = 0;

  [[nodiscard]] std::size_t size() const { return to - from; }
  [[nodiscard]] std::string_view in(std::string_view text) const { return text.substr(from, to - from); }
};

/// A text that was made from another one.
class AlignedText {
 public:
  /// Bytes of the longest text.
  static constexpr std::size_t kMaxBytes = 16'000'000;

  AlignedText() = default;
  /// `text` itself, before any change. The caller has checked `kMaxBytes`.
  explicit AlignedText(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] bool empty() const { return text_.empty(); }

  /// Appends the bytes `range` of `other` with their origins.
  void append(const AlignedText& other, ByteRange range);
  /// Appends `piece`, which stands for the bytes `range` of `other`; for an empty range, it was inserted there.
  void append(std::string_view piece, const AlignedText& other, ByteRange range);
  void reserve(std::size_t bytes);

  /// The bytes of the first text that `range` came from.
  [[nodiscard]] ByteRange origin(ByteRange range) const;

 private:
  struct Origin {
    std::uint32_t from;
    std::uint32_t to;
  };

  std::string text_;
  std::vector<Origin> origins_;  // of each byte
  std::uint32_t end_ = 0;        // of the first text's last byte that has been seen
};

/// `text`, unless it has become longer than a text may be: what a tokenizer's file puts in has any length.
Result<AlignedText> within_limit(AlignedText text);

/// A text cut into words, which follow each other in it; what is between them is dropped.
struct Words {
  AlignedText text;
  std::vector<ByteRange> words;
};

}  // namespace attnscope
