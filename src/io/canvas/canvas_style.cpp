#include "io/canvas/canvas_style.h"

#include <vector>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace attnscope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_space(char32_t point) {
  return point == '\t' || point == '\n' || point == '\r' || point == 0x85 || point == 0x2028 || point == 0x2029;
}

/// Code points that are no characters in any text; cairo writes no PDF with them.
bool is_noncharacter(char32_t point) { return (point >= 0xFDD0 && point <= 0xFDEF) || (point & 0xFFFEU) == 0xFFFE; }

/// Characters that XML 1.0 forbids or advises against; the replacement character itself may stand for malformed bytes.
bool is_unfit(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0xFFFD || is_noncharacter(point);
}

}  // namespace

const char* font_families(FigureFont font) {
  switch (font) {
    case FigureFont::inter: return "Inter, DejaVu Sans, sans-serif";
    case FigureFont::serif: return "STIX, STIX Two Text, DejaVu Sans, serif";
    // One of the sizes that Latin Modern Roman is drawn for: its family alone could be any of them.
    case FigureFont::latex: return "LM Roman 10, Latin Modern Math, DejaVu Sans, serif";
  }
  return "";
}

std::string css_font_families(FigureFont font) {
  std::vector<std::string> families;
  for (std::string family : split(font_families(font), ',')) {
    family.erase(0, family.find_first_not_of(' '));
    const bool generic = family == "serif" || family == "sans-serif";
    families.push_back(generic ? family : "'" + family + "'");
  }
  return join(families, ", ");
}

double baseline_shift(VerticalAlign align, double size, FigureFont font) {
  switch (align) {
    case VerticalAlign::top: return size * kFontAscent;
    case VerticalAlign::middle: return size * cap_height(font) / 2;
    case VerticalAlign::baseline: return 0;
  }
  return 0;
}

double span_size(TextSpan::Level level, double size) {
  return level == TextSpan::Level::base ? size : size * kScriptSize;
}

double span_drop(TextSpan::Level level, double size) {
  switch (level) {
    case TextSpan::Level::base: return 0;
    case TextSpan::Level::subscript: return size * kSubscriptDrop;
    case TextSpan::Level::superscript: return -size * kSuperscriptRise;
  }
  return 0;
}

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t point = take_code_point(text);
    if (is_space(point)) {
      clean += ' ';
    } else if (is_unfit(point)) {
      clean += kReplacement;
    } else {
      clean += before.substr(0, before.size() - text.size());
    }
  }
  return clean;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace attnscope
