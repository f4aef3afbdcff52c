#include "figure/style/markup.h"

namespace attnscope {
namespace {

/// Characters that a backslash escapes.
bool is_special(char c) { return c == '_' || c == '^' || c == '\\'; }

}  // namespace

std::vector<TextSpan> parse_markup(std::string_view markup) {
  std::vector<TextSpan> spans;
  std::string base;
  const auto flush = [&] {
    if (!base.empty()) spans.push_back({std::move(base), TextSpan::Level::base});
    base.clear();
  };
  for (std::size_t i = 0; i < markup.size(); ++i) {
    if (markup[i] == '\\' && i + 1 < markup.size() && is_special(markup[i + 1])) {
      base += markup[++i];
      continue;
    }
    const bool script = (markup[i] == '_' || markup[i] == '^') && i + 1 < markup.size() && markup[i + 1] == '{';
    const std::size_t close = script ? markup.find('}', i) : std::string_view::npos;
    if (close == std::string_view::npos) {
      base += markup[i];
      continue;
    }
    flush();
    spans.push_back({std::string(markup.substr(i + 2, close - i - 2)),
                     markup[i] == '_' ? TextSpan::Level::subscript : TextSpan::Level::superscript});
    i = close;
  }
  flush();
  return spans;
}

std::string literal_markup(std::string_view text) {
  std::string markup;
  for (const char c : text) {
    if (is_special(c)) markup += '\\';
    markup += c;
  }
  return markup;
}

std::string plain_text(std::string_view markup) {
  std::string text;
  for (const TextSpan& span : parse_markup(markup)) text += span.text;
  return text;
}

double markup_width(std::string_view markup, double size, FontWeight weight) {
  double width = 0;
  for (const TextSpan& span : parse_markup(markup)) {
    width += text_width(span.text, span.level == TextSpan::Level::base ? size : size * kScriptSize, weight);
  }
  return width;
}

}  // namespace attnscope
