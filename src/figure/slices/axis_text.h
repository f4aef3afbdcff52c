// What a position along an axis of a tensor, which is called `tensor`, is called in a line of text, for an item of the
// batch. See TokenNames.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace attnscope {

/// A token's label, shortened where it is very long; nothing where it has none or the axis does not count tokens.
std::optional<std::string> label_of(const Trace& trace, std::string_view tensor, const Axis& axis, Index token,
                                    Index item = 0);

/// A token as in a sentence: “sat”, or its number from 1 where it has no label. Very long labels are shortened.
std::string token_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index token, Index item = 0);

/// A position along an axis as in a sentence: "head 2", "item 1", "query “sat”", "dim 3", and where the tokens are
/// pixels "key 6 (row 2, column 2)".
std::string axis_position_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index position,
                               Index item = 0);

/// The same in a list, where the axis need not be named again: "sat", "dim 3"; "ing (113)" with the id of a token of the
/// vocabulary; "sat (3)" where another token of the text is called so as well.
std::string entry_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index position, Index item = 0);

}  // namespace attnscope
