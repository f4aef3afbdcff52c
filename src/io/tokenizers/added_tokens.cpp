#include "io/tokenizers/added_tokens.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/unicode.h"
#include "io/tokenizers/vocabulary.h"

namespace attnscope {
namespace {

using nlohmann::json;

// Of all tokens, as they are looked for.
constexpr std::size_t kMaxAllBytes = 4'000'000;

/// The begin of the last character in `text`, which must not be empty.
std::size_t last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && !begins_character(text[at])) --at;
  return at;
}

bool ends_with_word(std::string_view text) {
  return !text.empty() && is_word_character(first_character(text.substr(last_character(text))).point);
}

bool begins_with_word(std::string_view text) { return !text.empty() && is_word_character(first_character(text).point); }

/// The range with the white space around it that the token takes, from `least` on.
ByteRange widened(const AddedToken& token, std::string_view text, ByteRange range, std::size_t least) {
  while (token.strips_left && range.from > least) {
    const std::size_t before = last_character(text.substr(0, range.from));
    if (!is_whitespace(first_character(text.substr(before)).point)) break;
    range.from = before;
  }
  while (token.strips_right && range.to < text.size()) {
    const Utf8Character after = first_character(text.substr(range.to));
    if (!is_whitespace(after.point)) break;
    range.to += after.bytes;
  }
  return range;
}

Result<AddedToken> parse_token(const json& value, const std::string& where) {
  Fields fields(value, where);
  AddedToken token;
  token.id = fields.number("id", Vocabulary::kMaxId);
  token.content = fields.text("content");
  token.special = fields.flag("special", false);
  token.strips_left = fields.flag("lstrip", false);
  token.strips_right = fields.flag("rstrip", false);
  token.single_word = fields.flag("single_word", false);
  token.normalized = fields.flag("normalized", !token.special);
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  return token;
}

}  // namespace

Result<AddedTokens> AddedTokens::parse(const json& list, const Normalizer& normalizer) {
  AddedTokens added;
  added.tokens_.reserve(list.size());
  std::size_t bytes = 0;
  for (const json& each : list) {
    const std::string where = "added_tokens[" + std::to_string(added.tokens_.size()) + "]";
    Result<AddedToken> token = parse_token(each, where);
    if (!token) return tl::unexpected(token.error());
    const int position = static_cast<int>(added.tokens_.size());
    std::string content = token->content;
    if (token->normalized && content.size() <= PieceTrie::kMaxPieceBytes) {
      Result<AlignedText> normal = normalizer(AlignedText(content));
      if (!normal) return fail(where + ": " + normal.error().message);
      content = normal->text();
    }
    bytes += content.size();
    if (content.size() > PieceTrie::kMaxPieceBytes || bytes > kMaxAllBytes) {
      return fail(where + ": a token of " + grouped_text(static_cast<Index>(content.size())) +
                  " bytes is not allowed; allowed: at most " +
                  grouped_text(static_cast<Index>(PieceTrie::kMaxPieceBytes)) + " bytes, and " +
                  grouped_text(static_cast<Index>(kMaxAllBytes)) + " bytes for all of them");
    }
    if (!content.empty()) (token->normalized ? added.normalized_ : added.plain_).add(content, position);
    added.tokens_.push_back(std::move(*token));
  }
  return added;
}

std::vector<TextSection> AddedTokens::sections(std::string_view text, bool normalized) const {
  const PieceTrie& trie = normalized ? normalized_ : plain_;
  std::vector<TextSection> all;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size() && !trie.empty();) {
    std::size_t longest = 0;
    int position = 0;
    trie.each_prefix(text.substr(at), [&](std::size_t bytes, int value) {
      longest = bytes;
      position = value;
    });
    const ByteRange match = {at, at + longest};
    at += std::max<std::size_t>(longest, 1);
    if (longest == 0) continue;
    const AddedToken& token = tokens_[static_cast<std::size_t>(position)];
    if (token.single_word && (ends_with_word(text.substr(0, match.from)) || begins_with_word(text.substr(match.to))))
      continue;
    const ByteRange range = widened(token, text, match, done);
    if (range.from > done) all.push_back({{done, range.from}, nullptr});
    all.push_back({range, &token});
    done = at = range.to;
  }
  if (done < text.size()) all.push_back({{done, text.size()}, nullptr});
  return all;
}

}  // namespace attnscope
