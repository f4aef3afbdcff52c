// What the inspector shows of long lists.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace attnscope::ui {

/// The lines to show when no more than `most` of `count` are: the first and the last ones, with `count` for the gap. If
/// `wanted` would be in it, it takes the place of the line before.
std::vector<std::size_t> elided(std::size_t count, std::size_t most, std::optional<std::size_t> wanted = {});

}  // namespace attnscope::ui
