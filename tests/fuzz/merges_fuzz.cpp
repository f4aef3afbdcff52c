// A merges.txt, with a vocabulary that has everything in it; its own text is then encoded.
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/utf8.h"
#include "io/tokenizers/tokenizer.h"
#include "io/tokenizers/vocabulary_files.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  using nlohmann::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // JSON cannot have other text; the program reads such a file as one with a wrong vocabulary.
  if (!attnscope::is_utf8(text)) return 0;
  const json merges = *attnscope::parse_merges_text(text);
  std::set<std::string> pieces;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t bytes = attnscope::first_character(rest).bytes;
    pieces.emplace(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
  for (const json& merge : merges) {
    const std::string both = merge;
    const std::size_t space = both.find(' ');
    pieces.insert(both.substr(0, space));
    if (space == std::string::npos) continue;
    pieces.insert(both.substr(space + 1));
    pieces.insert(both.substr(0, space) + both.substr(space + 1));
  }
  json vocab = json::object();
  for (const std::string& piece : pieces) vocab.emplace(piece, static_cast<unsigned>(vocab.size()));
  const json document = {{"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
  const auto tokenizer = attnscope::Tokenizer::parse(document.dump());
  if (!tokenizer) {
    require(tokenizer.error().message.find('\n') == std::string::npos);
    return 0;
  }
  const auto tokens = (*tokenizer)->encode(text);
  require(tokens.has_value());
  std::string joined;
  for (const std::string& piece : tokens->pieces) joined += piece;
  require(joined == text);
  return 0;
}
