// The formats of figures' files. A format is a writer (figure_page.h), a reader of the text that its files carry
// (figure_text.h), and a line of the table below.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "io/figures/figure_page.h"
#include "io/figures/figure_text.h"

namespace attnscope {

enum class FigureFormat { png, svg, pdf };

struct FigureFormatEntry {
  FigureFormat format;
  const char* name;
  std::string_view extension;
  bool embeds_fonts;  ///< a file without the fonts only names them
  Result<std::string> (*write)(const FigurePage& page, int dpi);
  bool (*sniff)(std::string_view bytes);  ///< whether a file that begins like `bytes` has this format
  std::optional<std::string> (*text)(std::string_view bytes, ParseBudget& budget);
};

/// In the order in which dialogs, messages and help name them.
inline constexpr std::array kFigureFormats = {
    FigureFormatEntry{FigureFormat::png, "PNG", ".png", true, png_page, is_png, png_figure_text},
    FigureFormatEntry{FigureFormat::svg, "SVG", ".svg", false, svg_page, is_svg, svg_figure_text},
    FigureFormatEntry{FigureFormat::pdf, "PDF", ".pdf", true, pdf_page, is_pdf, pdf_figure_text},
};

}  // namespace attnscope
