// The views: ways to look at a trace, each in a file of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "figure/figure.h"
#include "figure/matrix.h"

namespace attnscope {

/// How a view is to be built.
struct ViewOptions {
  double width = 672;      ///< logical pixels there are for the figure
  double height = 0;       ///< 0: as high as it comes out
  ParameterValues values;  ///< the view's own options; what is missing is at its default

  /// The option of that name, which is in the view's table.
  [[nodiscard]] Index integer(std::string_view name) const { return std::get<Index>(values.find(name)->second); }
  [[nodiscard]] const std::string& choice(std::string_view name) const {
    return std::get<std::string>(values.find(name)->second);
  }
};

struct View {
  std::string name;     ///< as in files and on the command line
  std::string title;    ///< as on the tab
  std::string summary;  ///< one sentence
  std::vector<Parameter> options;
  /// Whether an option changes anything for this trace; the window hides those that do not.
  bool (*applies)(const Trace&, std::string_view option) = nullptr;
  Figure (*build)(const Trace&, const ViewOptions&) = nullptr;
};

/// All views, in the order of the tabs.
std::span<const View> views();

const View* find_view(std::string_view name);

/// The view that an experiment asks for with every option set; or what is wrong with the name or an option.
Result<ViewOptions> view_options(const ViewChoice& choice);

/// Builds the view that `choice` names, `options` as `view_options` made them.
Figure build_view(std::string_view name, const Trace& trace, const ViewOptions& options);

/// What the views of single matrices share: the options "head" and "item" (of the batch), counted from 1, and the slice
/// that they choose; the last one where the trace has fewer.
Parameter head_option();
Parameter item_option();
Slice chosen_slice(const Trace& trace, const ViewOptions& options);

// One per file in views/.
View flow_view();
View qkv_view();
View heads_view();

}  // namespace attnscope
