// The views: ways to look at a trace, each in a file of its own.
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
  /// Whether an option changes anything for this trace, with the options as they are; the window hides those that do
  /// not.
  bool (*applies)(const Trace&, const ParameterValues& chosen, std::string_view option) = nullptr;
  Figure (*build)(const Trace&, const ViewOptions&) = nullptr;
  /// Why the view has nothing to show of this trace: "worked-example has no picture"; empty where it has. Null: always.
  std::string (*missing)(const Trace&) = nullptr;
  /// What the numbers of an option that counts the trace stand for; null, or nothing for an option: for themselves.
  std::vector<std::string> (*names)(const Trace&, std::string_view option) = nullptr;
  /// How many pages there are of what the view shows, for its option "page"; null: it has no such option.
  Index (*pages)(const Trace&, const ParameterValues& chosen) = nullptr;
  bool shows_pair = false;  ///< its options query and key select one pair; opening it selects the pinned cell's
  ParameterValues with_baseline = {};  ///< the options that compare with the baseline; empty: it cannot
  std::string token_order = {};        ///< its option for an order of the tokens; empty: none
};

/// All views, in the order of the tabs.
std::span<const View> views();

const View* find_view(std::string_view name);

/// The view that an experiment asks for with every option set; or what is wrong with the name or an option.
Result<ViewOptions> view_options(const ViewChoice& choice);

/// The largest value of an option that counts what the trace has: `option_limit` of `figure/chosen.h`, or the pages.
/// `options` has every option of the view.
Index option_limit(const View& view, const Trace& trace, std::string_view option, const ParameterValues& options);

/// Fails where the trace has no such layer, head or item, or the view no such page, as `options` choose.
Result<void> check_options(const View& view, const Trace& trace, const ParameterValues& options);

/// `View::missing`, empty where the view has something to show.
std::string missing_for(const View& view, const Trace& trace);

/// Builds the view of that name, `options` as `view_options` made them; where it has nothing to show, a figure that
/// says so.
Figure build_view(std::string_view name, const Trace& trace, const ViewOptions& options);

/// What a view shows that cannot show what it is asked for: why.
Figure reason_figure(const std::string& why, const ViewOptions& options);

// One per file in views/.
View flow_view();
View qkv_view();
View tensor_view();
View heads_view();
View head_view();
View lines_view();
View image_view();
View compare_view();
View metrics_view();
View dot_view();
View scaling_view();
View permutation_view();
View complexity_view();

}  // namespace attnscope
