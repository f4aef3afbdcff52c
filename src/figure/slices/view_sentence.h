// What a figure shows, as a sentence for its caption.
#pragma once

#include <string>
#include <string_view>

#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// One or two sentences with full stops, without markup: "Attention weights of head 2 of 4, self-attention, for 6 tokens:
/// rows are queries, columns keys." Numbers are those of the tensors in the trace. `figure` is the view, built; the
/// options are all set. What colours mean is not in it: `with_content` adds that.
std::string view_sentence(std::string_view view, const Trace& trace, const ViewOptions& options, const Figure& figure);

}  // namespace attnscope
