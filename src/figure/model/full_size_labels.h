// Labels of matrices in their full size.
#pragma once

#include "figure/model/figure.h"

namespace attnscope {

/// The figure with labels that are not made smaller to show more of them. Where words would be, every few of the tokens
/// have their number instead, for some of the words would read like another text; none where the labels are all or none.
Figure with_full_size_labels(Figure figure);

/// Whether no words would give way to numbers there, nor did where the figure was laid out.
bool has_room_for_words(const Figure& figure);

}  // namespace attnscope
