// Figures: PNG, SVG and PDF, as their beginnings say. What is accepted is an experiment that reads back the same.
#include "io/experiments/experiment_file.h"
#include "io/figures/figure_source.h"
#include "png_checksums.h"
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attnscope::fuzz::require;
  const std::string bytes = attnscope::fuzz::with_right_checksums({reinterpret_cast<const char*>(data), size});
  (void)attnscope::is_figure_file(bytes);
  const auto parsed = attnscope::parse_figure_source(bytes, "fuzz.png");
  if (!parsed) {
    require(parsed.error().message.starts_with("fuzz.png: "));
    require(parsed.error().message.find('\n') == std::string::npos);
    return 0;
  }
  for (const auto* each : {&parsed->experiment, parsed->pinned ? &*parsed->pinned : nullptr}) {
    if (each == nullptr || each->tensors != nullptr) continue;
    const auto again = attnscope::parse_experiment(attnscope::experiment_json(*each), "again.json");
    require(again.has_value() && *again == *each);
  }
  return 0;
}
