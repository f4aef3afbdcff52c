// The text that files of figures carry besides the picture. Private to io/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// Bytes that a text may have once it is unpacked.
inline constexpr std::size_t kMostFigureText = 64'000'000;

/// The text that stands in a PNG, SVG or PDF file in attnscope's place; nothing where there is none, or where the file
/// is damaged there. Nothing that a file says makes these read outside it or take more memory than kMostFigureText and
/// the file's own size.
std::optional<std::string> png_figure_text(std::string_view bytes);
std::optional<std::string> svg_figure_text(std::string_view bytes);
std::optional<std::string> pdf_figure_text(std::string_view bytes);

/// What `bytes` (zlib) begin with unpacks to; nothing where they are damaged or it is over `most` bytes. `used` is how
/// many of them were read.
std::optional<std::string> unpacked(std::string_view bytes, std::size_t most, std::size_t* used = nullptr);

/// The same text packed.
std::string packed(std::string_view text);

}  // namespace attnscope
