// What `attnscope metrics --find` prints: the heads that the standard test found, in the order that was asked for.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/heads/finder.h"

namespace attnscope {

/// Orders the heads by a measure of `finder_measures`, largest first, and keeps the first `most` of them, if that is
/// not 0.
void rank_found_heads(FoundHeads& found, std::optional<std::size_t> measure, Index most);

/// A table with the name of every head, and how far the measure that it is named after exceeds uniform attention and
/// shuffled tokens; of heads without a name, the largest measure, or `measure` if the heads are sorted by it. What the
/// columns mean stands below.
std::string found_text(const Model& model, const FoundHeads& found, std::optional<std::size_t> measure);

/// One line per head with every measure in full.
std::string found_csv(const FoundHeads& found);

/// The texts of the test, and one object per head with every measure in full.
nlohmann::ordered_json found_json(const Model& model, const FoundHeads& found);

}  // namespace attnscope
