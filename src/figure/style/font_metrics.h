// How wide text is, known without any font library, so that a figure is laid out the same way everywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// The two weights that attnscope writes in; a font without a semibold has its bold there.
enum class FontWeight { regular, semibold };

/// The fonts of figures. The window writes in Inter.
enum class FigureFont {
  inter,
  serif,  ///< STIX
  latex,  ///< Latin Modern Roman, as in LaTeX documents
};

/// As on the command line: "inter", "serif", "latex".
std::string_view font_name(FigureFont font);
std::optional<FigureFont> parse_font(std::string_view name);

/// The font whose widths `text_width` has in this thread, while it lives; Inter without one. A figure is laid out and
/// painted within the scope of its font: `build_view` and `paint` open one.
class FontScope {
 public:
  explicit FontScope(FigureFont font);
  ~FontScope();
  FontScope(const FontScope&) = delete;
  FontScope& operator=(const FontScope&) = delete;

  static FigureFont current();

 private:
  FigureFont before_;
};

/// Heights of Inter in em, from the baseline; the same in both weights. Letters and digits of the other fonts are a
/// little lower and stay within them. A line of capitals or digits is centred on y when its baseline lies at
/// y + size * kFontCapHeight / 2 (y down).
inline constexpr double kFontAscent = 0.969;
inline constexpr double kFontDescent = 0.241;
inline constexpr double kFontCapHeight = 0.727;
inline constexpr double kFontXHeight = 0.545;

/// The height of a font's capitals, em.
double cap_height(FigureFont font);

/// The width of `text` (UTF-8, one line) set in the font of the scope at `size`, in the unit of `size`. It is the sum of the advance
/// widths, without kerning, with tabular figures: all digits are equally wide, so that a number that changes does not
/// move its neighbours.
///
/// Letters of Western and Central European languages, Greek and the mathematics that the figures use have their true
/// widths (what the font lacks counts as in DejaVu Sans). Other characters count 0.6 em; East Asian characters and emoji
/// 1 em; combining marks, joiners and control characters nothing. Invalid UTF-8 never fails: every maximal piece that
/// starts no character counts as one replacement character (U+FFFD).
///
/// Source: Inter 4.0 beta 7, STIX 1.1.1, Latin Modern 2.005 and DejaVu Sans 2.37.
double text_width(std::string_view text, double size, FontWeight weight = FontWeight::regular);

/// `text`, with an ellipsis in place of its end where it would be wider than `width`.
std::string shortened_text(std::string_view text, double width, double size, FontWeight weight = FontWeight::regular);

/// The parts of a paragraph between which a line may break: at spaces, but not before a unit as in "99.8 %".
std::vector<std::string> breakable_words(std::string_view paragraph);

/// One paragraph in lines no wider than `width`; a word that is wider has a line of its own.
std::vector<std::string> wrapped_text(const std::string& paragraph, double width, double size,
                                      FontWeight weight = FontWeight::regular);

/// The advance width of one character as `text_width` counts it, in 1/1000 em.
int advance_width(char32_t code_point, FontWeight weight);

}  // namespace attnscope
