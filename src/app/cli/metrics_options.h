// The options of `attnscope metrics`, and what all that it measures has in common.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/cli/commands_experiment.h"
#include "app/cli/commands_line.h"
#include "core/heads/metrics.h"

namespace attnscope {

struct MetricsOptions : ExperimentOptions {
  std::string item = "1";  ///< a number or "all"
  std::optional<Index> layer;
  std::optional<Index> top;
  std::string sort;
  std::optional<std::string> texts;  ///< a file of texts; nothing: the one that the experiment reads
  bool find = false;
  bool rank = false;
  bool rollout = false;
  bool json = false;
  bool csv = false;
};

/// What is said when the effective rank is left out.
inline constexpr const char* kRankLeftOut =
    "the effective rank of so many weights takes long and is left out; --effective-rank computes it";

/// Whether the effective rank is asked for.
bool asks_for_rank(const MetricsOptions& options);

/// Fails with a usage error if `value` is not between `least` and `most`.
Result<void> check_between(const char* option, Index value, Index least, Index most);

/// Fails with a usage error if `top` is 0 or negative.
Result<void> check_top(std::optional<Index> top);

/// The index among the measures; nothing if no measure is named. `when` is part of the error: " with --find".
Result<std::optional<std::size_t>> sorting_measure(const std::string& name, std::span<const Measure> among,
                                                   const char* when = "");

/// What is said about rows of `tensor` with weights that are not finite; see `HeadMeasures::left_out`.
std::string rows_left_out_text(const std::string& tensor, Index rows);

/// `metrics --texts`: the measures of a model's heads over the texts of a file.
Result<CommandOutput> text_metrics(const MetricsOptions& options);

}  // namespace attnscope
