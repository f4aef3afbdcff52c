// A figure as a page for browsers: one file, which needs no other one, no JavaScript and no host.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "figure/model/figure.h"
#include "io/figures/figure_file.h"

namespace attnscope {

/// What stands on the page below the figure. Texts are escaped; the link is one of `write_experiment_link`.
struct FigureHtml {
  std::string caption;      ///< what the figure shows, and how it was made
  std::string link = {};    ///< to the experiment; empty: it cannot stand in a link
  bool is_live = false;     ///< whether a browser finds attnscope where the link leads to
  bool both_themes = true;  ///< of the screen, between which the reader's system chooses; otherwise that of the options
};

/// The page, as HTML that is XML too. Fails as `figure_bytes` does.
Result<std::string> figure_html(const Figure& figure, const FigureFileOptions& options, const FigureHtml& html);

}  // namespace attnscope
