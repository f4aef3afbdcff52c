#include "io/tokenizers/word_splitting.h"

#include <algorithm>
#include <utility>

#include "core/base/utf8.h"

namespace attnscope {
namespace {

struct Segment {
  ByteRange range;
  bool is_match;
};

/// Joins neighbours; `joins(segment, next)` says which.
template <typename Joins>
void join_neighbours(std::vector<Segment>& segments, const Joins& joins) {
  std::vector<Segment> joined;
  joined.reserve(segments.size());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 && joins(segments[i - 1], segments[i])) {
      joined.back().range.to = segments[i].range.to;
    } else {
      joined.push_back(segments[i]);
    }
  }
  segments = std::move(joined);
}

void behave(std::vector<Segment>& segments, SplitBehavior behavior) {
  switch (behavior) {
    case SplitBehavior::isolated: return;
    case SplitBehavior::removed: std::erase_if(segments, [](const Segment& each) { return each.is_match; }); return;
    case SplitBehavior::contiguous:
      join_neighbours(segments, [](const Segment& a, const Segment& b) { return a.is_match == b.is_match; });
      return;
    case SplitBehavior::merged_with_previous:
      join_neighbours(segments, [](const Segment& a, const Segment& b) { return b.is_match && !a.is_match; });
      return;
    case SplitBehavior::merged_with_next:
      join_neighbours(segments, [](const Segment& a, const Segment& b) { return a.is_match && !b.is_match; });
      return;
  }
}

}  // namespace

Result<Words> split_words(Words words, const MatchWord& matches, SplitBehavior behavior, bool invert) {
  std::vector<ByteRange> cut;
  cut.reserve(words.words.size());
  std::vector<Segment> segments;
  for (const ByteRange word : words.words) {
    segments.clear();
    std::size_t at = word.from;
    const auto take = [&](ByteRange match) {
      const ByteRange range = {word.from + match.from, word.from + match.to};
      if (range.from > at) segments.push_back({{at, range.from}, invert});
      segments.push_back({range, !invert});
      at = range.to;
    };
    if (const Result<void> done = matches(word.in(words.text.text()), take); !done) return tl::unexpected(done.error());
    if (word.to > at) segments.push_back({{at, word.to}, invert});
    behave(segments, behavior);
    for (const Segment& segment : segments) cut.push_back(segment.range);
  }
  words.words = std::move(cut);
  return words;
}

MatchWord match_characters(std::function<bool(char32_t)> matches) {
  return [matches = std::move(matches)](std::string_view word,
                                        const std::function<void(ByteRange)>& take) -> Result<void> {
    for (std::size_t at = 0; at < word.size();) {
      const Utf8Character character = first_character(word.substr(at));
      if (matches(character.point)) take({at, at + character.bytes});
      at += character.bytes;
    }
    return {};
  };
}

}  // namespace attnscope
