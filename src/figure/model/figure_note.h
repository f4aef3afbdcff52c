// A note below a figure, on the same page.
#pragma once

#include <string>

#include "figure/model/figure.h"

namespace attnscope {

struct FigureNote {
  std::string title;  ///< one line; may be empty
  std::string text;   ///< paragraphs, an empty line between them; may be empty

  friend bool operator==(const FigureNote&, const FigureNote&) = default;
};

/// The height of the note below a figure of that width, logical pixels; 0 for an empty note. In the font of the scope.
double note_height(const FigureNote& note, double width);

/// A page of `width` × `height` with `figure` in its upper part and the note in its lowest `room`: at the top of that
/// part, where it stays while numbers change, or in the middle above a title and a text, as every step of a lesson has a
/// figure of its own. A figure that is
/// larger than its part enlarges the page and the type of the note alike, so that pages scaled to the same width look
/// the same.
Figure with_note(Figure figure, double width, double height, const FigureNote& note, double room);

}  // namespace attnscope
