// One query and one key in words, and the arithmetic from their dot product to the weight.
#pragma once

#include <string>
#include <vector>

#include "figure/layout/arithmetic.h"
#include "figure/slices/dot_numbers.h"

namespace attnscope {

/// "query 2 · cat", "key 4 · sat".
std::string query_text(const Trace& trace, const DotNumbers& numbers);
std::string key_text(const Trace& trace, const DotNumbers& numbers);
/// Both: "query 2 · cat, key 4 · sat".
std::string pair_text(const Trace& trace, const DotNumbers& numbers);
/// ", head 2, item 1", where there are several.
std::string slice_text(const Trace& trace, const DotNumbers& numbers);

/// A factor of the scores, by the number of its step: "q", or "(q ÷ √32)" where the queries are scaled before the product.
std::string factor_symbol(const Trace& trace, const DotProduct& product, int step);

/// From the dot product, which `sign` is in front of, to the weight: "q · k ÷ √d = score …".
std::vector<ArithmeticTerm> score_terms(const Trace& trace, const DotNumbers& numbers, const std::string& sign);

}  // namespace attnscope
