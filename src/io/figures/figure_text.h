// The text that files of figures carry besides the picture. Private to io/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/base/parse_budget.h"

namespace attnscope {

/// Whether a file that begins like `bytes` has that format.
bool is_png(std::string_view bytes);
bool is_svg(std::string_view bytes);
bool is_pdf(std::string_view bytes);

/// The text that stands in a PNG, SVG or PDF file in attnscope's place; nothing where there is none, or where the file
/// is damaged there. Nothing that a file says makes these read outside it. All that they copy and unpack, used or not,
/// is charged to `budget`, so that it bounds the time as well; nothing, and `budget.exceeded()`, where it is too much.
std::optional<std::string> png_figure_text(std::string_view bytes, ParseBudget& budget);
std::optional<std::string> svg_figure_text(std::string_view bytes, ParseBudget& budget);
std::optional<std::string> pdf_figure_text(std::string_view bytes, ParseBudget& budget);

}  // namespace attnscope
