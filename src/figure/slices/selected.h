// Options that several views share, and what they select in a trace: an attention, one of its heads, an item of the
// batch. Options count from 1; a number beyond the last selects the last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/trace/trace.h"
#include "figure/slices/matrix.h"

namespace attnscope {

Parameter attention_option();
Parameter layer_option();
Parameter head_option();
Parameter item_option();

/// The attention that the options "attention" (self or cross) and "layer" select; self-attention where the trace has no
/// second sequence. "layer" counts `layer_attentions`: of a model with two parts also those of the decoder.
struct SelectedAttention {
  const Step* weights = nullptr;  ///< null: the trace has no attention
  Index layer_number = 1;
  std::string layer;  ///< prefix of its tensors' names: "layer2.", "decoder.layer1.cross_"
  std::string title;  ///< "layer 2", "decoder layer 1"
  bool cross = false;
  bool has_cross = false;  ///< whether the trace has cross-attention
  bool has_heads = false;
};
SelectedAttention selected_attention(const Trace& trace, const ParameterValues& options);

/// Parameter "stage": multi-head or single-head attention, where the trace has both.
Parameter stage_option();
/// Whether it leaves a choice.
bool has_stages(const Trace& trace);

/// The attention that a figure shows: `selected_attention`, of the stage that the option "stage" selects. In the
/// single-head stage `layer` is "single.".
SelectedAttention shown_attention(const Trace& trace, const ParameterValues& options);

/// Says which attention it is, for the end of a title: ", cross-attention, item 2"; empty where there is only one.
std::string attention_text(const Trace& trace, const SelectedAttention& chosen, Index item);

/// The head and the item of the batch; 0 where there are none.
Slice selected_slice(const Trace& trace, const ParameterValues& options);

/// Why views of attention have nothing to show; empty: the trace has attention.
std::string no_attention(const Trace& trace);

/// Why a view has nothing to show for a trained model: "This view is not for trained models: …".
std::string no_model(const std::string& reason);

/// The number of matrices that the last two axes of a tensor span.
Index slice_count(const Axes& axes);

/// The number of `layer_attentions`, at least 1.
Index layer_count(const Trace& trace);
/// `View::names` of the options that choose a layer: "encoder layer 1", … where numbers alone would not say which part.
std::vector<std::string> layer_names(const Trace& trace, std::string_view option);
/// The weights of the first layer; null: the trace has no attention.
const Step* first_weights(const Trace& trace);
/// The number of heads of the first layer's weights; 1 without heads.
Index head_count(const Trace& trace);
/// The number of items in the batch; 1 without a batch.
Index item_count(const Trace& trace);

/// Whether the range of a view option follows from the trace: the options that `option_limit` lists. `other_head` and
/// `other_layer` select a second attention, `other_token` a second token.
bool counts_the_trace(std::string_view option);

/// The largest value of a view option that counts from 1: `head`, `item`, `layer`, `channel` of a picture, `query` and
/// `key` of the attention that `options` select; `tensor` of all tensors; `slice` of the selected tensor's matrices;
/// `position` of the tokens with logits, or where the option `direction` says from which token or to which one, of the
/// queries or the keys. `token` is an id, and `after` counts layers, the embeddings as 0.
/// Pages are the view's own matter, see `figure/views/view.h`.
Index option_limit(const Trace& trace, std::string_view option, const ParameterValues& options);

/// The options with those of the second attention in place of the first.
ParameterValues other_attention(const ParameterValues& options);

/// Whether the model has attentions within a text and from one text to another.
bool has_both_kinds(const Trace& trace);
/// Those of the attentions that the option `attention` wants, of a model that has both kinds; otherwise all.
std::vector<LayerAttention> wanted_attentions(const Trace& trace, const ParameterValues& options);

/// Whether an option has more than one value for some choice of the others.
bool leaves_choice(const Trace& trace, std::string_view option);
/// The same as a function for `View::applies`.
bool leaves_choice(const Trace& trace, const ParameterValues& chosen, std::string_view option);

}  // namespace attnscope
