#include "figure/model/figure_note.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "figure/model/map_points.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kAboveNote = 14;      // from the figure to the first line
constexpr double kBelowNote = 10;      // from the last line to the end of the page
constexpr double kNoteMargin = 16;     // left and right of the lines
constexpr double kNoteTitleLine = 22;  // from one baseline to the next
constexpr double kNoteTextLine = 18;
constexpr double kNoteParagraph = 6;  // more than a line

struct NoteLine {
  std::string text;
  double top = 0;  ///< from that of the note
  bool is_title = false;
};

struct LaidOutNote {
  std::vector<NoteLine> lines;
  double height = 0;
};

LaidOutNote laid_out(const FigureNote& note, double width) {
  LaidOutNote out;
  double y = kAboveNote;
  if (!note.title.empty()) {
    out.lines.push_back({note.title, y, true});
    y += kNoteTitleLine;
  }
  for (const std::string& paragraph : split(note.text, '\n')) {
    const std::vector<std::string> lines = wrapped_text(paragraph, width - 2 * kNoteMargin, TypeSize::kBody);
    if (lines.empty() && !out.lines.empty()) y += kNoteParagraph;
    for (const std::string& line : lines) {
      out.lines.push_back({line, y, false});
      y += kNoteTextLine;
    }
  }
  out.height = out.lines.empty() ? 0 : y + kBelowNote;
  return out;
}

}  // namespace

double note_height(const FigureNote& note, double width) { return laid_out(note, width).height; }

Figure with_note(Figure figure, double width, double height, const FigureNote& note, double room) {
  const FontScope font(figure.font);
  const double upper = height - room;
  const double scale = std::max({1.0, figure.width / width, figure.height / upper});
  const double right = std::max(0.0, (width * scale - figure.width) / 2);
  const bool has_both = !note.title.empty() && !note.text.empty();
  const double down = !has_both ? 0 : std::max(0.0, (upper * scale - figure.height) / 2);
  if (right > 0 || down > 0) {
    map_points(figure, [&](double& x, double& y) {
      x += right;
      y += down;
    });
  }
  figure.width = width * scale;
  figure.height = height * scale;
  int number = 0;
  for (const NoteLine& line : laid_out(note, width).lines) {
    TextMark mark;
    mark.id = "note." + std::to_string(number++);
    mark.at = {kNoteMargin * scale, (upper + line.top) * scale};
    mark.markup = literal_markup(line.text);
    mark.size = (line.is_title ? TypeSize::kTitle : TypeSize::kBody) * scale;
    mark.weight = line.is_title ? FontWeight::semibold : FontWeight::regular;
    mark.vertical = VerticalAlign::top;
    figure.texts.push_back(std::move(mark));
  }
  return figure;
}

}  // namespace attnscope
