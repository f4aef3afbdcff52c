// Every head of a trace beside the same head of a baseline, or beside one head: a map, and those that differ most or
// least.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/heads/compared_heads.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// What the heads are compared with.
struct ComparedWith {
  std::string title;                     ///< of the figure: "Every head now and in the baseline"
  bool alike = false;                    ///< the list begins with the most similar ones
  std::optional<HeadPlace> itself = {};  ///< is not listed: the head that all are compared with
  ParameterValues click;  ///< options that a click on a head sets besides `layer`, `attention` and `head`
};

/// A figure of `heads`, which are not empty and of `trace`.
Figure compared_heads_figure(const Trace& trace, const std::vector<ComparedHead>& heads, const ComparedWith& with,
                             const ViewOptions& options);

}  // namespace attnscope
