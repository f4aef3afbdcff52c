// Cutting words where a rule matches.
#pragma once

#include <functional>
#include <string_view>

#include "core/base/result.h"
#include "io/tokenizers/aligned_text.h"

namespace attnscope {

/// What becomes of the matches, by the names of tokenizer.json.
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// Reports the matches in a word from left to right; they must not be empty.
using MatchWord = std::function<Result<void>(std::string_view word, const std::function<void(ByteRange)>& take)>;

/// Cuts every word at its matches; with `invert`, what does not match counts as a match.
Result<Words> split_words(Words words, const MatchWord& matches, SplitBehavior behavior, bool invert = false);

/// Matches single characters.
MatchWord match_characters(std::function<bool(char32_t)> matches);

}  // namespace attnscope
