// The options that several views have, and what they choose of a trace: an attention, one of its heads, an item of the
// batch. Everything counts from 1 in options, and what is beyond the last is the last.
#pragma once

#include <string>
#include <string_view>

#include "core/heads/head_layers.h"
#include "core/trace/trace.h"
#include "figure/slices/matrix.h"

namespace attnscope {

Parameter attention_option();
Parameter layer_option();
Parameter head_option();
Parameter item_option();

/// The attention that "attention" (self or cross) and "layer" choose; where a trace has no second sequence, the tokens'
/// own.
struct SelectedAttention {
  const Step* weights = nullptr;  ///< null: the trace has no attention
  Index layer_number = 1;
  std::string layer;  ///< what the names of its tensors begin with: "layer2."
  bool cross = false;
  bool has_cross = false;  ///< the trace has
  bool has_heads = false;
};
SelectedAttention selected_attention(const Trace& trace, const ParameterValues& options);

/// Which one it is, behind the name of what is shown of it: ", cross-attention, item 2"; nothing where there is one
/// only.
std::string attention_text(const Trace& trace, const SelectedAttention& chosen, Index item);

/// The head and the item of the batch; 0 where there are none.
Slice selected_slice(const Trace& trace, const ParameterValues& options);

/// Why views of attention have nothing to show; empty where there is attention.
std::string no_attention(const Trace& trace);

/// How many matrices the last two axes of a tensor span.
Index slice_count(const Axes& axes);

/// How many layers attend one after the other. Names of the second one's tensors begin with "layer2.", and so on.
Index layer_count(const Trace& trace);
/// How many heads the first layer's weights have, otherwise 1.
Index head_count(const Trace& trace);
/// How many items the batch has, otherwise 1.
Index item_count(const Trace& trace);

/// Whether a view option counts what the trace has, as `option_limit` lists them; the others have a range of their own.
/// `other_head` and `other_layer` are the same of a second attention.
bool counts_the_trace(std::string_view option);

/// The largest value of a view option that counts from 1: `head`, `item`, `layer`, `channel` of a picture, and `query`
/// or `key` of the weights; of the attention that `options` choose (what pages there are a view knows, see
/// `figure/views/view.h`). `tensor` counts all tensors, `slice` the matrices
/// of the one that `options` choose.
Index option_limit(const Trace& trace, std::string_view option, const ParameterValues& options);

/// The options as if those of the second attention were those of the first.
ParameterValues other_attention(const ParameterValues& options);

/// Whether an option of those above, or `query` or `key`, leaves a choice, whatever the other options are.
bool leaves_choice(const Trace& trace, std::string_view option);
/// The same as the `applies` of a view.
bool leaves_choice(const Trace& trace, const ParameterValues& chosen, std::string_view option);

}  // namespace attnscope
