// Which part of the mask a cell on the screen stands for.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/trace/trace.h"

namespace attnscope {

/// A pair of a query and a key that the mask keeps or does not; everything counts from 0.
struct MaskCell {
  Index batch = 0;
  Index head = 0;
  Index query = 0;
  Index key = 0;

  friend bool operator==(const MaskCell&, const MaskCell&) = default;
};

/// Of a cell of scores or weights that the experiment's mask applies to, otherwise nothing.
std::optional<MaskCell> mask_cell(const Trace& trace, std::string_view tensor, std::span<const Index> index);

/// Whether the experiment's mask keeps it.
bool is_kept(const Experiment& experiment, const MaskCell& cell);

}  // namespace attnscope
