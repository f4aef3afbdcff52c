// Experiments in JSON: what is accepted reads back the same.
#include "core/plan/validate.h"
#include "io/experiments/experiment_file.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  const auto parsed = attnscope::parse_experiment({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  if (!parsed) {
    require(!parsed.error().message.empty() && parsed.error().message.find('\n') == std::string::npos);
    return 0;
  }
  const auto again = attnscope::parse_experiment(attnscope::experiment_json(*parsed), "again.json");
  require(again.has_value() && *again == *parsed);
  const auto valid = attnscope::validate(*parsed);
  require(valid || !valid.error().message.empty());
  return 0;
}
