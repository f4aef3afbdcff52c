// Translations of lessons in JSON.
#include "io/experiments/lesson_texts.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  const auto texts = attnscope::parse_lesson_texts({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (!texts) {
    require(texts.error().message.starts_with("fuzz.json: "));
    require(texts.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(attnscope::is_translation_language(texts->language));
  require(!texts->lessons.empty());
  for (const auto& [name, lesson] : texts->lessons) require(!lesson.steps.empty() && !lesson.title.empty());
  return 0;
}
