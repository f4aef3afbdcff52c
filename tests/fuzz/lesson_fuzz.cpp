// Lessons in JSON.
#include "core/plan/validate.h"
#include "io/experiments/lesson_file.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  const auto lesson = attnscope::parse_lesson({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (!lesson) {
    require(lesson.error().message.starts_with("fuzz.json: "));
    require(lesson.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(!lesson->steps.empty());
  for (const attnscope::LessonStep& step : lesson->steps) require(attnscope::validate(step.experiment).has_value());
  return 0;
}
