// The views: ways to look at a trace, one file each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/matrix.h"
#include "figure/slices/view_options.h"

namespace attnscope {

struct View {
  std::string name;     ///< as in files and on the command line
  std::string title;    ///< as on the tab
  std::string summary;  ///< one sentence
  std::vector<Parameter> options;
  /// Whether an option changes anything for this trace with the other options as they are. `applies`, `pages` and
  /// `moments` are called only where nothing is `missing`: ask `option_applies` and `option_limit`.
  bool (*applies)(const Trace&, const ParameterValues& chosen, std::string_view option) = nullptr;
  Figure (*build)(const Trace&, const ViewOptions&) = nullptr;
  /// Why the view cannot show this trace: "worked-example has no picture"; empty: it can. Null: it always can.
  std::string (*missing)(const Trace&) = nullptr;
  /// Display names for the values of an option that counts the trace; null or empty: show the number.
  std::vector<std::string> (*names)(const Trace&, std::string_view option) = nullptr;
  /// The number of pages for the option "page"; null: the view has no such option.
  Index (*pages)(const Trace&, const ParameterValues& chosen) = nullptr;
  /// The number of moments for the option "moment"; null: the view has no such option. 0: it cannot be played.
  Index (*moments)(const Trace&, const ParameterValues& chosen) = nullptr;
  bool shows_pair = false;   ///< its options query and key select one pair; opening it selects the pinned cell's
  bool opens_heads = false;  ///< its heads of a trained model open in the view `head`
  ParameterValues with_baseline = {};  ///< the options that compare with the baseline; empty: it cannot
  std::string token_order = {};        ///< its option for an order of the tokens; empty: none
};

/// All views, in the order of the tabs.
std::span<const View> views();

const View* find_view(std::string_view name);

/// The options of the view that an experiment selects, every one set. Fails on an unknown view or option and on a value
/// that is not allowed.
Result<ViewOptions> view_options(const ViewChoice& choice);

/// Whether the option changes anything, as `View::applies`; never where the view cannot show the trace. The window hides
/// the others.
bool option_applies(const View& view, const Trace& trace, const ParameterValues& options, std::string_view option);

/// The largest value of an option that counts the trace: `option_limit` of `figure/slices/selected.h`, or the number of
/// pages or moments, which is 1 or 0 where the view cannot show the trace. `options` has every option of the view.
Index option_limit(const View& view, const Trace& trace, std::string_view option, const ParameterValues& options);

/// Fails where that option, which counts the trace, is larger than its limit.
Result<void> check_option(const View& view, const Trace& trace, const std::string& name,
                          const ParameterValues& options);

/// Fails where the trace has no such layer, head or item, or the view no such page, as `options` choose. Queries and keys
/// beyond the last one mean that one: they stay chosen while tokens are removed.
Result<void> check_options(const View& view, const Trace& trace, const ParameterValues& options);

/// Whether the view's figures are of an attention, with an equation: such a view shows an item of the batch.
bool shows_attention(const View& view);

/// `View::missing`; empty: the view can show the trace.
std::string missing_for(const View& view, const Trace& trace);

/// Builds the view of that name with the options of `view_options`; where it cannot show the trace, a figure that says
/// why.
Figure build_view(std::string_view name, const Trace& trace, const ViewOptions& options);

/// A figure that says why the view cannot show what it is asked for.
Figure reason_figure(const std::string& why, const ViewOptions& options);

/// The views of `views.inc`. See `views` for the list that is made once.
std::vector<View> make_views();

}  // namespace attnscope
