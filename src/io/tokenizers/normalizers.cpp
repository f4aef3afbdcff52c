#include "io/tokenizers/normalizers.h"

#include <utility>

#include "core/base/utf8.h"
#include "io/tokenizers/charsmap.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/regular_expression.h"
#include "io/tokenizers/unicode.h"

namespace attnscope {
namespace {

using nlohmann::json;

/// Copies `text` character by character; `change` appends what becomes of each one to a string.
template <typename Change>
AlignedText changed(const AlignedText& text, const Change& change) {
  AlignedText result;
  result.reserve(text.size());
  const std::string_view all = text.text();
  std::string piece;
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Character character = first_character(all.substr(at));
    const ByteRange range = {at, at + character.bytes};
    at = range.to;
    piece.clear();
    change(piece, character.point);
    if (piece == range.in(all)) {
      result.append(text, range);
    } else {
      result.append(piece, text, range);
    }
  }
  return result;
}

AlignedText lowercase(const AlignedText& text) { return changed(text, append_lowercase); }

/// Without the characters that `drops` names.
template <typename Drops>
AlignedText without(const AlignedText& text, const Drops& drops) {
  return changed(text, [&](std::string& to, char32_t point) {
    if (!drops(point)) append_utf8(to, point);
  });
}

AlignedText stripped(const AlignedText& text, bool left, bool right) {
  const std::string_view all = text.text();
  ByteRange kept = {all.size(), all.size()};
  if (!left) kept.from = 0;
  if (!right) kept.to = all.size();
  std::size_t end = 0;
  for (std::size_t at = 0; at < all.size();) {
    const Utf8Character character = first_character(all.substr(at));
    if (!is_whitespace(character.point)) {
      kept.from = std::min(kept.from, at);
      end = at + character.bytes;
    }
    at += character.bytes;
  }
  if (right) kept.to = std::max(end, kept.from);
  AlignedText result;
  result.append(text, kept);
  return result;
}

/// Control characters go, unusual spaces become plain: SentencePiece's rule nmt.
void append_nmt(std::string& to, char32_t point) {
  const auto between = [point](char32_t first, char32_t last) { return first <= point && point <= last; };
  if (between(0x1, 0x8) || point == 0xB || between(0xE, 0x1F) || point == 0x7F || point == 0x8F || point == 0x9F)
    return;
  const bool space = point == 0x9 || point == 0xA || point == 0xC || point == 0xD || point == 0x1680 ||
                     between(0x200B, 0x200F) || point == 0x2028 || point == 0x2029 || point == 0x2581 ||
                     point == 0xFEFF || point == 0xFFFD;
  append_utf8(to, space ? U' ' : point);
}

struct BertNormalizer {
  bool clean;
  bool han;
  bool accents;  // are stripped
  bool lower;

  Result<AlignedText> operator()(AlignedText text) const {
    if (clean) {
      text = changed(text, [](std::string& to, char32_t point) {
        if (point == 0 || point == kReplacementCharacter || is_control(point)) return;
        append_utf8(to, is_whitespace(point) ? U' ' : point);
      });
    }
    if (han) {
      text = changed(text, [](std::string& to, char32_t point) {
        if (is_han(point)) to += ' ';
        append_utf8(to, point);
        if (is_han(point)) to += ' ';
      });
    }
    if (accents) text = without(normal_form(text, NormalForm::nfd), is_nonspacing_mark);
    return within_limit(lower ? lowercase(text) : std::move(text));
  }
};

struct Replacing {
  RegularExpression pattern;
  std::string content;

  Result<AlignedText> operator()(const AlignedText& text) const {
    AlignedText result;
    std::size_t at = 0;
    result.reserve(text.size());
    const Result<void> done = pattern.each_match(text.text(), [&](ByteRange match) {
      if (result.size() > AlignedText::kMaxBytes) return;
      result.append(text, {at, match.from});
      result.append(content, text, match);
      at = match.to;
    });
    if (!done) return tl::unexpected(done.error());
    result.append(text, {at, text.size()});
    return within_limit(std::move(result));
  }
};

Normalizer prepending(std::string piece) {
  return [piece = std::move(piece)](const AlignedText& text) -> Result<AlignedText> {
    if (text.empty()) return text;
    AlignedText result;
    result.reserve(text.size() + piece.size());
    result.append(piece, text, {0, 0});
    result.append(text, {0, text.size()});
    return within_limit(std::move(result));
  };
}

Result<Normalizer> parse_sequence_of_normalizers(Fields& fields) {
  std::vector<Normalizer> parts;
  const json& list = fields.list("normalizers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<Normalizer> part = parse_normalizer(list[i], fields.where() + ".normalizers[" + std::to_string(i) + "]");
    if (!part) return part;
    parts.push_back(std::move(*part));
  }
  return [parts = std::move(parts)](AlignedText text) -> Result<AlignedText> {
    Result<AlignedText> result = std::move(text);
    for (const Normalizer& part : parts) {
      if (result) result = part(std::move(*result));
      if (result) result = within_limit(std::move(*result));
    }
    return result;
  };
}

Result<Normalizer> parse_bert(Fields& fields) {
  const bool lower = fields.flag("lowercase", true);
  return BertNormalizer{fields.flag("clean_text", true), fields.flag("handle_chinese_chars", true),
                        fields.flag("strip_accents", lower), lower};
}

/// A normalizer that is the function of its name, without settings. Nothing if there is none.
Normalizer plain_normalizer(std::string_view type) {
  if (type == "NFC") return [](const AlignedText& text) { return normal_form(text, NormalForm::nfc); };
  if (type == "NFD") return [](const AlignedText& text) { return normal_form(text, NormalForm::nfd); };
  if (type == "NFKC") return [](const AlignedText& text) { return normal_form(text, NormalForm::nfkc); };
  if (type == "NFKD") return [](const AlignedText& text) { return normal_form(text, NormalForm::nfkd); };
  if (type == "Lowercase") return lowercase;
  if (type == "StripAccents") return [](const AlignedText& text) { return without(text, is_mark); };
  if (type == "Nmt") return [](const AlignedText& text) { return changed(text, append_nmt); };
  return nullptr;
}

Result<Normalizer> parse_known_normalizer(const std::string& type, Fields& fields) {
  if (type == "Sequence") return parse_sequence_of_normalizers(fields);
  if (type == "BertNormalizer") return parse_bert(fields);
  if (type == "Prepend") return prepending(fields.text("prepend"));
  if (type == "Strip") {
    return [left = fields.flag("strip_left", true), right = fields.flag("strip_right", true)](const AlignedText& text) {
      return stripped(text, left, right);
    };
  }
  if (type == "Precompiled") {
    Result<Charsmap> map = Charsmap::parse_base64(fields.text("precompiled_charsmap", ""));
    if (!map) return fail(fields.where() + "." + map.error().message);
    return [map = std::move(*map)](const AlignedText& text) { return map.apply(text); };
  }
  if (type == "Replace") {
    Result<RegularExpression> pattern = parse_pattern(fields);
    if (!pattern) return tl::unexpected(pattern.error());
    return Replacing{std::move(*pattern), fields.text("content")};
  }
  if (Normalizer plain = plain_normalizer(type)) return plain;
  fields.refuse("type",
                "BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend, Replace, Sequence, Strip "
                "or StripAccents");
  return Normalizer();
}

}  // namespace

Result<Normalizer> parse_normalizer(const json& value, const std::string& where) {
  if (value.is_null()) return [](AlignedText text) -> Result<AlignedText> { return text; };
  Fields fields(value, where);
  Result<Normalizer> normalizer = parse_known_normalizer(fields.text("type"), fields);
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  return normalizer;
}

}  // namespace attnscope
