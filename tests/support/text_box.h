// Where letters are, for tests of what is painted.
#pragma once

#include "figure/model/canvas.h"
#include "figure/style/markup.h"

namespace attnscope::test {

/// The room that a text takes up: from the top of its capitals to the end of what hangs below the line.
inline Rect text_box(const PlacedText& text) {
  double width = 0;
  bool raised = false;
  bool lowered = false;
  for (const TextSpan& span : text.spans) {
    const bool base = span.level == TextSpan::Level::base;
    width += text_width(span.text, base ? text.size : text.size * kScriptSize, text.weight);
    raised = raised || span.level == TextSpan::Level::superscript;
    lowered = lowered || span.level == TextSpan::Level::subscript;
  }
  const double ascent = text.size * (raised ? kSuperscriptRise + kScriptSize * kFontCapHeight : kFontCapHeight);
  const double descent = text.size * (lowered ? kSubscriptDrop : 0.0);
  double baseline = 0;
  if (text.vertical == VerticalAlign::middle) baseline = text.size * kFontCapHeight / 2;
  if (text.vertical == VerticalAlign::top) baseline = text.size * kFontAscent;
  const double left = text.horizontal == HorizontalAlign::left     ? 0
                      : text.horizontal == HorizontalAlign::center ? -width / 2
                                                                   : -width;
  const Rect level = {left, baseline - ascent, width, ascent + descent};
  if (text.angle == 0) return {text.at.x + level.x, text.at.y + level.y, level.width, level.height};
  // Turned by −90°: what was right is up, what was down is right.
  return {text.at.x + level.y, text.at.y - level.right(), level.height, level.width};
}

}  // namespace attnscope::test
