// What shortcuts and the command line ask of any view: another head, a pair of query and key, the baseline, an order.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "figure/model/intent.h"
#include "figure/views/view.h"

namespace attnscope {

/// The head, from 0, that the view shows with these options; nothing where it does not show one head.
std::optional<Index> selected_head(const View& view, const Trace& trace, const ParameterValues& options);

/// Shows head `head`, from 0. From the heads of a trained model, it opens that head: of the attention whose weights
/// are `pinned`, or otherwise of the first. Nothing where the view shows no heads, or the trace has no such head.
ClickIntent show_head(const View& view, const Trace& trace, const ParameterValues& options, Index head,
                      std::string_view pinned = {});

/// Shows the pair of query and key that the cell at `index` of scores or weights stands for: the options that differ
/// from `now`, which has every option of the view. Nothing where the view shows no pair, or the cell stands for none.
SetOptions show_pair(const View& view, const Step& step, std::span<const Index> index, const ParameterValues& now);

/// The first view that can compare with the baseline.
const View& baseline_view();

/// Whether a figure of this view shows the baseline.
bool shows_baseline(const ViewChoice& choice);

/// The first view that shows the tokens in another order.
const View& token_order_view();

}  // namespace attnscope
