#include "figure/style/font_metrics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "figure/style/font_metrics_data.h"
#include "figure/style/font_metrics_latex.h"
#include "figure/style/font_metrics_serif.h"

namespace attnscope {

namespace {

constexpr int kUnknownWidth = 600;
constexpr int kWideWidth = 1000;
constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first;
  char32_t last;
};

// Sorted. Combining marks, joiners, direction marks, variation selectors: drawn over or between others.
constexpr std::array<Range, 13> kZeroWidth{{
    {0x0000, 0x001F},
    {0x007F, 0x009F},
    {0x00AD, 0x00AD},
    {0x0300, 0x036F},
    {0x0483, 0x0489},
    {0x0591, 0x05BD},
    {0x064B, 0x065F},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x200B, 0x200F},
    {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},
}};

// Sorted. The wide and full-width blocks of Unicode's East Asian Width, and the emoji.
constexpr std::array<Range, 14> kWide{{
    {0x1100, 0x115F},
    {0x231A, 0x231B},
    {0x2E80, 0x303E},
    {0x3041, 0x4DBF},
    {0x4E00, 0xA4CF},
    {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},
    {0x16FE0, 0x1B2FF},
    {0x1F000, 0x1FAFF},
    {0x20000, 0x3FFFD},
}};

template <std::size_t Count>
bool contains(const std::array<Range, Count>& ranges, char32_t code_point) {
  const auto* const found = std::ranges::lower_bound(ranges, code_point, {}, &Range::last);
  return found != ranges.end() && found->first <= code_point;
}

template <std::size_t Count>
std::optional<int> width_in(const font_data::Run<Count>& run, char32_t code_point, FontWeight weight) {
  if (code_point < run.first || code_point >= run.first + Count) return std::nullopt;
  const auto at = static_cast<std::size_t>(code_point - run.first);
  return weight == FontWeight::regular ? run.regular[at] : run.semibold[at];
}

template <std::size_t Count>
std::optional<int> width_among(const std::array<font_data::Single, Count>& singles, char32_t code_point,
                               FontWeight weight) {
  const auto* const found = std::ranges::lower_bound(singles, code_point, {}, &font_data::Single::code_point);
  if (found == singles.end() || found->code_point != code_point) return std::nullopt;
  return weight == FontWeight::regular ? found->regular : found->semibold;
}

/// The width of a character in the first table that has it.
template <typename... Tables>
std::optional<int> first_width(char32_t code_point, FontWeight weight, const Tables&... tables) {
  std::optional<int> width;
  ((width = width_in(tables, code_point, weight)) || ...);
  return width;
}

std::optional<int> known_width(char32_t code_point, FontWeight weight, FigureFont font) {
  namespace d = font_data;
  std::optional<int> width;
  switch (font) {
    case FigureFont::inter:
      width = first_width(code_point, weight, d::kAscii, d::kLatin, d::kGreek);
      return width ? width : width_among(d::kSingles, code_point, weight);
    case FigureFont::serif:
      width = first_width(code_point, weight, d::serif::kAscii, d::serif::kLatin, d::serif::kGreek);
      return width ? width : width_among(d::serif::kSingles, code_point, weight);
    case FigureFont::latex:
      width = first_width(code_point, weight, d::latex::kAscii, d::latex::kLatin, d::latex::kGreek);
      return width ? width : width_among(d::latex::kSingles, code_point, weight);
  }
  return width;
}

thread_local FigureFont font_in_use = FigureFont::inter;

}  // namespace

std::string_view font_name(FigureFont font) {
  return font == FigureFont::serif ? "serif" : font == FigureFont::latex ? "latex" : "inter";
}

std::optional<FigureFont> parse_font(std::string_view name) {
  for (const FigureFont font : {FigureFont::inter, FigureFont::serif, FigureFont::latex}) {
    if (font_name(font) == name) return font;
  }
  return std::nullopt;
}

double cap_height(FigureFont font) {
  constexpr double stix = 0.662;
  constexpr double latin_modern = 0.683;
  return font == FigureFont::serif ? stix : font == FigureFont::latex ? latin_modern : kFontCapHeight;
}

FontScope::FontScope(FigureFont font) : before_(font_in_use) { font_in_use = font; }
FontScope::~FontScope() { font_in_use = before_; }
FigureFont FontScope::current() { return font_in_use; }

int advance_width(char32_t code_point, FontWeight weight) {
  if (contains(kZeroWidth, code_point)) return 0;
  if (const auto width = known_width(code_point, weight, font_in_use)) return *width;
  return contains(kWide, code_point) ? kWideWidth : kUnknownWidth;
}

double text_width(std::string_view text, double size, FontWeight weight) {
  // Summed as integers: the width of a text does not depend on the order of its characters.
  long long thousandths = 0;
  while (!text.empty()) thousandths += advance_width(take_code_point(text), weight);
  return static_cast<double>(thousandths) * size / 1000.0;
}

std::string shortened_text(std::string_view text, double width, double size, FontWeight weight) {
  if (text_width(text, size, weight) <= width) return std::string(text);
  const double room = width - text_width("…", size, weight);
  long long thousandths = 0;
  std::size_t kept = 0;
  for (std::string_view rest = text; !rest.empty(); kept = text.size() - rest.size()) {
    thousandths += advance_width(take_code_point(rest), weight);
    if (static_cast<double>(thousandths) * size / 1000.0 > room) break;
  }
  return std::string(text.substr(0, kept)) + "…";
}

std::vector<std::string> breakable_words(std::string_view paragraph) {
  std::vector<std::string> words;
  for (std::string& word : split(paragraph, ' ')) {
    if (word.empty()) continue;
    if (word.starts_with('%') && !words.empty()) {
      words.back().append(" ").append(word);
    } else {
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::vector<std::string> wrapped_text(const std::string& paragraph, double width, double size, FontWeight weight) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : breakable_words(paragraph)) {
    const std::size_t before = line.size();
    if (before > 0) line += ' ';
    line += word;
    if (before == 0 || text_width(line, size, weight) <= width) continue;
    lines.push_back(line.substr(0, before));
    line = word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace attnscope
