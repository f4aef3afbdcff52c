// Labels of matrices in their full size.
#pragma once

#include "figure/model/figure.h"

namespace attnscope {

/// The figure with labels that are not made smaller to show more of them: where they would be, fewer are shown, or none
/// where that would read like another text. They become texts of the figure.
Figure with_full_size_labels(Figure figure);

}  // namespace attnscope
