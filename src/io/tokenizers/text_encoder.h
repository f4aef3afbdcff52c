// How texts become tokens, without what a template adds.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"

namespace attnscope {

struct TextToken {
  int id;
  ByteRange range;  ///< of the text
  bool special;
};

/// Immutable.
class TextEncoder {
 public:
  TextEncoder() = default;
  TextEncoder(const TextEncoder&) = delete;
  TextEncoder& operator=(const TextEncoder&) = delete;
  virtual ~TextEncoder() = default;

  /// The tokens of `text`, which is UTF-8 of at most `AlignedText::kMaxBytes` bytes.
  [[nodiscard]] virtual Result<std::vector<TextToken>> encode(std::string_view text) const = 0;
  /// The piece as the vocabulary has it; empty for an id without one.
  [[nodiscard]] virtual std::string piece(int id) const = 0;
  /// The bytes that it stands for.
  [[nodiscard]] virtual std::string text_of(int id) const = 0;
  [[nodiscard]] virtual std::optional<int> id_of(std::string_view piece) const = 0;
  /// The token that stands for what the vocabulary lacks, if there is one.
  [[nodiscard]] virtual std::optional<int> unknown() const = 0;
  /// One more than the largest id.
  [[nodiscard]] virtual std::size_t size() const = 0;
};

/// The encoder that the object in a tokenizer.json describes. Errors begin with the name of the field.
Result<std::unique_ptr<const TextEncoder>> parse_pipeline(const nlohmann::json& document);

}  // namespace attnscope
