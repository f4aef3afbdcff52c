// The entry of the mask that belongs to a cell on screen.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/trace/trace.h"

namespace attnscope {

/// An entry of the mask, counted from 0.
struct MaskCell {
  Index batch = 0;
  Index head = 0;
  Index query = 0;
  Index key = 0;

  friend bool operator==(const MaskCell&, const MaskCell&) = default;
};

/// Whether the step has weights that another program computed: there are no scores that a mask could change.
bool is_imported_weights(const Step& step);

/// The mask entry of a cell of scores or weights; nothing for a cell that the mask does not apply to.
std::optional<MaskCell> mask_cell(const Trace& trace, std::string_view tensor, std::span<const Index> index);

/// Whether the experiment leaves that entry unmasked; nothing where its mask has no such entry: a trace can be of an
/// experiment with more tokens.
std::optional<bool> is_kept(const Experiment& experiment, const MaskCell& cell);

}  // namespace attnscope
