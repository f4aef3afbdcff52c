// Numbers that a source printed, beside those that are computed.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

/// What a source printed of one tensor: a corner of it, or a statistic over all of it.
struct ReferenceValues {
  std::string tensor;
  std::vector<Index> index;                    ///< of the leading axes; one or two axes are left, or none
  std::string statistic;                       ///< "mean", "std" (divided by n − 1), or none
  std::vector<std::vector<std::string>> rows;  ///< the digits as printed, with "−" for minus; one number is one row
};

/// The computed numbers in the places of `printed.rows`, each with as many digits behind the point, so that equal texts
/// are equal numbers to the last digit printed. "—" where the trace has no such number.
std::vector<std::vector<std::string>> computed_digits(const Trace& trace, const ReferenceValues& printed);

/// "head_outputs", "out[0, 0, 0, :]", "std of out".
std::string reference_title(const ReferenceValues& printed);

/// Whether the steps of an experiment have all these numbers: the error names what they lack.
Result<void> check_reference(std::span<const PlannedStep> steps, const ReferenceValues& printed);

}  // namespace attnscope
