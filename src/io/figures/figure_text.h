// The text in figures' files next to the picture. Private to io/.
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

/// The text of attnscope in a PNG, SVG or PDF file; nothing if there is none or the file is damaged there. Nothing in a
/// file makes these functions read outside it. Everything that they copy and inflate, used or not, is charged to
/// `budget`, which bounds the time as well; if it is too much they return nothing, and `budget.exceeded()`.
std::optional<std::string> png_figure_text(std::string_view bytes, ParseBudget& budget);
std::optional<std::string> svg_figure_text(std::string_view bytes, ParseBudget& budget);
std::optional<std::string> pdf_figure_text(std::string_view bytes, ParseBudget& budget);

}  // namespace attnscope
