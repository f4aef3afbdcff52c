// Words below a figure, on the same page.
#pragma once

#include <string>

#include "figure/model/figure.h"

namespace attnscope {

struct FigureNote {
  std::string title;  ///< one line; may be empty
  std::string text;   ///< paragraphs, an empty line between them; may be empty

  friend bool operator==(const FigureNote&, const FigureNote&) = default;
};

/// What the note takes below a figure of that width, logical pixels; 0 where it says nothing.
double note_height(const FigureNote& note, double width);

/// `figure` in the upper part of a page of `width` and `height` with the note in the lowest `room` of it. Whatever the
/// figure needs, page and note come out the same when they are scaled to the same width: a figure that is larger than
/// its part of the page makes the page larger, and the type of the note as well.
Figure with_note(Figure figure, double width, double height, const FigureNote& note, double room);

}  // namespace attnscope
