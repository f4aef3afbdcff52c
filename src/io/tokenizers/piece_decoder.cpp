#include "io/tokenizers/piece_decoder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/tokenizers/byte_level.h"
#include "io/tokenizers/fields.h"

namespace attnscope {
namespace {

using nlohmann::json;

PieceDecoder replacing(std::string from, std::string to) {
  return [from = std::move(from), to = std::move(to)](std::string piece) {
    if (from.empty()) return piece;
    for (std::size_t at = piece.find(from); at != std::string::npos; at = piece.find(from, at + to.size()))
      piece.replace(at, from.size(), to);
    return piece;
  };
}

PieceDecoder without_prefix(std::string prefix) {
  return [prefix = std::move(prefix)](const std::string& piece) {
    return piece.starts_with(prefix) ? piece.substr(prefix.size()) : piece;
  };
}

std::string decoded_fallback(const std::string& piece) {
  const std::optional<char> byte = byte_of_fallback_piece(piece);
  return byte ? std::string(1, *byte) : piece;
}

Result<PieceDecoder> parse_replace(Fields& fields) {
  const Result<RegularExpression> pattern = parse_pattern(fields);
  if (!pattern) return tl::unexpected(pattern.error());
  return [pattern = *pattern, content = fields.text("content")](const std::string& piece) {
    std::string result;
    std::size_t at = 0;
    const Result<void> done = pattern.each_match(piece, [&](ByteRange match) {
      if (result.size() > kMaxTokenBytes) return;
      result += piece.substr(at, match.from - at) + content;
      at = match.to;
    });
    result += piece.substr(at);
    return done && result.size() <= std::max(piece.size(), kMaxTokenBytes) ? result : piece;
  };
}

Result<PieceDecoder> parse_sequence_of_decoders(Fields& fields) {
  std::vector<PieceDecoder> parts;
  const json& list = fields.list("decoders");
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<PieceDecoder> part = parse_decoder(list[i], fields.where() + ".decoders[" + std::to_string(i) + "]");
    if (!part) return part;
    parts.push_back(std::move(*part));
  }
  return [parts = std::move(parts)](std::string piece) {
    for (const PieceDecoder& part : parts) piece = part(std::move(piece));
    return piece;
  };
}

Result<PieceDecoder> parse_known_decoder(const std::string& type, Fields& fields) {
  if (type == "ByteLevel") return [](const std::string& piece) { return bytes_of_byte_level(piece); };
  if (type == "ByteFallback") return decoded_fallback;
  if (type == "Metaspace") return replacing(fields.text("replacement", "▁"), " ");
  if (type == "BPEDecoder") return replacing(fields.text("suffix", "</w>"), " ");
  if (type == "WordPiece") return without_prefix(fields.text("prefix", "##"));
  if (type == "Replace") return parse_replace(fields);
  if (type == "Sequence") return parse_sequence_of_decoders(fields);
  // These two concern a whole text.
  if (type != "Fuse" && type != "Strip") {
    fields.refuse("type",
                  "BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, Sequence, Strip or WordPiece");
  }
  return [](std::string piece) { return piece; };
}

}  // namespace

Result<PieceDecoder> parse_decoder(const json& value, const std::string& where) {
  if (value.is_null()) return [](std::string piece) { return piece; };
  Fields fields(value, where);
  Result<PieceDecoder> decoder = parse_known_decoder(fields.text("type"), fields);
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  return decoder;
}

}  // namespace attnscope
