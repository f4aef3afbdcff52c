#include "io/tokenizers/pre_tokenizers.h"

#include <map>
#include <utility>

#include "core/base/utf8.h"
#include "io/tokenizers/byte_level.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/regular_expression.h"
#include "io/tokenizers/unicode.h"
#include "io/tokenizers/word_splitting.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

PreTokenizer splitting(MatchWord matches, SplitBehavior behavior, bool invert = false) {
  return [matches = std::move(matches), behavior, invert](Words words) {
    return split_words(std::move(words), matches, behavior, invert);
  };
}

PreTokenizer splitting(RegularExpression expression, SplitBehavior behavior, bool invert = false) {
  return [expression = std::move(expression), behavior, invert](Words words) {
    const auto matches = [&, until = RegularExpression::longest_search()](std::string_view word,
                                                                          const std::function<void(ByteRange)>& take) {
      return expression.each_match(word, take, until);
    };
    return split_words(std::move(words), matches, behavior, invert);
  };
}

/// Rewrites every word: `rewrite` appends what it becomes to the new text. Fails where that becomes too long.
template <typename Rewrite>
Result<Words> rewritten(const Words& words, const Rewrite& rewrite) {
  Words result;
  result.text.reserve(words.text.size());
  result.words.reserve(words.words.size());
  for (const ByteRange word : words.words) {
    const std::size_t from = result.text.size();
    rewrite(result.text, word);
    if (result.text.size() > AlignedText::kMaxBytes) break;
    if (result.text.size() > from) result.words.push_back({from, result.text.size()});
  }
  Result<AlignedText> text = within_limit(std::move(result.text));
  if (!text) return tl::unexpected(text.error());
  result.text = std::move(*text);
  return result;
}

PreTokenizer in_sequence(std::vector<PreTokenizer> parts) {
  return [parts = std::move(parts)](Words words) -> Result<Words> {
    Result<Words> result = std::move(words);
    for (const PreTokenizer& part : parts) {
      if (result) result = part(std::move(*result));
    }
    return result;
  };
}

Result<Words> as_byte_level(const Words& words) {
  const auto& characters = byte_level_characters();
  return rewritten(words, [&](AlignedText& to, ByteRange word) {
    for (std::size_t at = word.from; at < word.to; ++at)
      to.append(characters[static_cast<unsigned char>(words.text.text()[at])], words.text, {at, at + 1});
  });
}

Result<Words> with_leading_space(const Words& words) {
  return rewritten(words, [&](AlignedText& to, ByteRange word) {
    if (words.text.text()[word.from] != ' ') to.append(" ", words.text, {word.from, word.from});
    to.append(words.text, word);
  });
}

Result<PreTokenizer> parse_byte_level(Fields& fields) {
  std::vector<PreTokenizer> parts;
  if (fields.flag("add_prefix_space", true)) parts.emplace_back(with_leading_space);
  if (fields.flag("use_regex", true)) {
    Result<RegularExpression> pattern = RegularExpression::compile(kGpt2Pattern);
    if (!pattern) return tl::unexpected(pattern.error());
    parts.push_back(splitting(std::move(*pattern), SplitBehavior::isolated));
  }
  parts.emplace_back(as_byte_level);
  return in_sequence(std::move(parts));
}

/// SentencePiece's way: spaces become a visible character, and the text begins with one.
struct Metaspace {
  enum class Prepend { always, first, never };

  std::string replacement;
  Prepend prepend;

  Result<Words> operator()(const Words& words) const {
    return rewritten(words, [&](AlignedText& to, ByteRange word) {
      const std::string& all = words.text.text();
      const std::string_view text = word.in(all);
      const bool wanted = prepend == Prepend::always ||
                          (prepend == Prepend::first && words.text.origin({word.from, word.from}).from == 0);
      if (wanted && text.front() != ' ' && !text.starts_with(replacement))
        to.append(replacement, words.text, {word.from, word.from});
      for (std::size_t at = word.from; at < word.to;) {
        const std::size_t space = std::min(all.find(' ', at), word.to);
        to.append(words.text, {at, space});
        if (space < word.to) to.append(replacement, words.text, {space, space + 1});
        at = space + 1;
      }
    });
  }
};

PreTokenizer parse_metaspace(Fields& fields) {
  Metaspace metaspace{fields.text("replacement", "▁"), Metaspace::Prepend::always};
  if (character_count(metaspace.replacement) != 1) fields.refuse("replacement", "a single character");
  const std::string scheme = fields.text("prepend_scheme", fields.flag("add_prefix_space", true) ? "always" : "never");
  if (scheme == "first") {
    metaspace.prepend = Metaspace::Prepend::first;
  } else if (scheme == "never") {
    metaspace.prepend = Metaspace::Prepend::never;
  } else if (scheme != "always") {
    fields.refuse("prepend_scheme", "always, first or never");
  }
  if (!fields.flag("split", true)) return metaspace;
  const std::string_view replacement = metaspace.replacement;
  const char32_t point = replacement.empty() ? U' ' : first_character(replacement).point;
  return in_sequence({metaspace, splitting(match_characters([point](char32_t each) { return each == point; }),
                                           SplitBehavior::merged_with_next)});
}

SplitBehavior parse_behavior(Fields& fields, const std::optional<std::string>& fallback) {
  static const std::map<std::string, SplitBehavior> names = {
      {"Removed", SplitBehavior::removed},
      {"Isolated", SplitBehavior::isolated},
      {"MergedWithPrevious", SplitBehavior::merged_with_previous},
      {"MergedWithNext", SplitBehavior::merged_with_next},
      {"Contiguous", SplitBehavior::contiguous}};
  const auto found = names.find(fields.text("behavior", fallback));
  if (found != names.end()) return found->second;
  fields.refuse("behavior", "Contiguous, Isolated, MergedWithNext, MergedWithPrevious or Removed");
  return SplitBehavior::isolated;
}

Result<PreTokenizer> parse_split(Fields& fields) {
  Result<RegularExpression> pattern = parse_pattern(fields);
  if (!pattern) return tl::unexpected(pattern.error());
  const SplitBehavior behavior = parse_behavior(fields, std::nullopt);
  return splitting(std::move(*pattern), behavior, fields.flag("invert", false));
}

Result<PreTokenizer> parse_sequence_of_pre_tokenizers(Fields& fields) {
  std::vector<PreTokenizer> parts;
  const json& list = fields.list("pretokenizers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<PreTokenizer> part =
        parse_pre_tokenizer(list[i], fields.where() + ".pretokenizers[" + std::to_string(i) + "]");
    if (!part) return part;
    parts.push_back(std::move(*part));
  }
  return in_sequence(std::move(parts));
}

Result<PreTokenizer> parse_known_pre_tokenizer(const std::string& type, Fields& fields) {
  const PreTokenizer on_spaces = splitting(match_characters(is_whitespace), SplitBehavior::removed);
  if (type == "ByteLevel") return parse_byte_level(fields);
  if (type == "Sequence") return parse_sequence_of_pre_tokenizers(fields);
  if (type == "Split") return parse_split(fields);
  if (type == "Metaspace") return parse_metaspace(fields);
  if (type == "WhitespaceSplit") return on_spaces;
  if (type == "BertPreTokenizer")
    return in_sequence({on_spaces, splitting(match_characters(is_punctuation), SplitBehavior::isolated)});
  if (type == "Punctuation") return splitting(match_characters(is_punctuation), parse_behavior(fields, "Isolated"));
  if (type == "Digits") {
    return splitting(match_characters(is_numeric),
                     fields.flag("individual_digits", false) ? SplitBehavior::isolated : SplitBehavior::contiguous);
  }
  if (type == "Whitespace") {
    Result<RegularExpression> pattern = RegularExpression::compile(R"(\w+|[^\w\s]+)");
    if (!pattern) return tl::unexpected(pattern.error());
    return splitting(std::move(*pattern), SplitBehavior::removed, true);
  }
  fields.refuse("type",
                "BertPreTokenizer, ByteLevel, Digits, Metaspace, Punctuation, Sequence, Split, Whitespace or "
                "WhitespaceSplit");
  return PreTokenizer();
}

}  // namespace

Result<PreTokenizer> parse_pre_tokenizer(const json& value, const std::string& where) {
  if (value.is_null()) return [](Words words) -> Result<Words> { return words; };
  Fields fields(value, where);
  Result<PreTokenizer> pre_tokenizer = parse_known_pre_tokenizer(fields.text("type"), fields);
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  return pre_tokenizer;
}

}  // namespace attnscope
