// Regular expressions of tokenizer files, in the dialect that those are written in (Oniguruma), run by PCRE2.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"

namespace attnscope {

/// An expression for UTF-8 text. Immutable; searches may run at the same time.
class RegularExpression {
 public:
  using Clock = std::chrono::steady_clock;

  static Result<RegularExpression> compile(std::string_view pattern);
  /// An expression that matches `text` literally.
  static Result<RegularExpression> literal(std::string_view text);

  /// Calls `take` with all matches in `text` from left to right. Empty matches are left out. Fails if the text is not
  /// UTF-8, and if a search needs too many steps or is not done by `until`.
  [[nodiscard]] Result<void> each_match(std::string_view text, const std::function<void(ByteRange)>& take,
                                        Clock::time_point until = longest_search()) const;
  /// When a search that begins now has to be done. For the words of a text, ask once.
  static Clock::time_point longest_search();

 private:
  RegularExpression() = default;
  static Result<RegularExpression> compile_with(const std::string& pattern, std::uint32_t options);

  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace attnscope
