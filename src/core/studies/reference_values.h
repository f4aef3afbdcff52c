// Numbers printed by a source, compared with computed ones.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

/// What a source printed of one tensor: the beginning of a row or matrix, or a statistic of the whole tensor.
struct ReferenceValues {
  std::string tensor;
  std::vector<Index> index;  ///< of the leading axes; at most two axes remain
  std::string statistic;     ///< "mean", "std" (divided by n − 1), or empty
  std::vector<std::vector<std::string>>
      rows;  ///< the digits as printed, with "−" for minus; a single number is one row
};

/// The computed numbers for `printed.rows`, each rounded to the same number of decimals: equal texts are equal numbers
/// to the last printed digit. "—" if the trace has no such number.
std::vector<std::vector<std::string>> computed_digits(const Trace& trace, const ReferenceValues& printed);

/// "head_outputs", "out[0, 0, 0, :]", "std of out".
std::string reference_title(const ReferenceValues& printed);

/// Checks that an experiment has all these numbers; the error names what is missing.
Result<void> check_reference(std::span<const PlannedStep> steps, const ReferenceValues& printed);

}  // namespace attnscope
