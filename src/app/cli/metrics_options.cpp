#include "app/cli/metrics_options.h"

#include <algorithm>
#include <vector>

#include "core/base/text.h"

namespace attnscope {

bool asks_for_rank(const MetricsOptions& options) { return options.rank || options.sort == "effective_rank"; }

Result<void> check_between(const char* option, Index value, Index least, Index most) {
  if (value >= least && value <= most) return {};
  return fail(std::string(option) + ": " + std::to_string(value) + " is not allowed; allowed: whole numbers from " +
                  std::to_string(least) + " to " + std::to_string(most),
              Error::Kind::usage);
}

Result<void> check_top(std::optional<Index> top) {
  if (!top || *top >= 1) return {};
  return fail("--top: " + std::to_string(*top) + " is not allowed; allowed: whole numbers from 1 on",
              Error::Kind::usage);
}

Result<std::optional<std::size_t>> sorting_measure(const std::string& name, std::span<const Measure> among,
                                                   const char* when) {
  if (name.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const Measure& measure : among) names.emplace_back(measure.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    return fail("--sort: " + quoted_text(name) + " is not allowed" + when + "; allowed: " + join(names, ", "),
                Error::Kind::usage);
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::string rows_left_out_text(const std::string& tensor, Index rows) {
  const bool is_one = rows == 1;
  return tensor + ": " + grouped_text(rows) + (is_one ? " row with a weight that is" : " rows with weights that are") +
         " not finite " + (is_one ? "is" : "are") + " left out of the measures";
}

}  // namespace attnscope
