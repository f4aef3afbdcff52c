// A tokenizer.json, and behind a zero byte a text for it.
#include <string>

#include "io/tokenizers/piece_decoder.h"
#include "io/tokenizers/tokenizer.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view json = all.substr(0, all.find('\0'));
  const std::string_view text = all.substr(std::min(all.size(), json.size() + 1));
  const auto tokenizer = attnscope::Tokenizer::parse(json);
  if (!tokenizer) {
    require(tokenizer.error().message.find('\n') == std::string::npos);
    return 0;
  }
  for (const std::string_view each : {text, std::string_view("It's a naïve  ﬁx\r\n 123 é👩‍👧 <s>")}) {
    const auto tokens = (*tokenizer)->encode(each, text);
    if (!tokens) {
      require(tokens.error().message.find('\n') == std::string::npos);
      continue;
    }
    require(tokens->ids.size() == tokens->spans.size() && tokens->ids.size() == tokens->pieces.size());
    for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
      require(tokens->ids[i] >= 0);
      const auto [from, to] = tokens->spans[i];
      require(from <= to && to <= std::max(each.size(), text.size()));
      require((*tokenizer)->text_of(tokens->ids[i]).size() <= std::max(json.size(), attnscope::kMaxTokenBytes));
    }
  }
  return 0;
}
