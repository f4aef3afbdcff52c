// The title of a map of what each layer of a model would say, with the positions that it shows.
#pragma once

#include <string>

#include "figure/model/figure.h"

namespace attnscope {

/// The positions that a map shows, of all.
struct ShownPositions {
  Index first = 0;
  Index count = 0;
  Index of = 0;

  [[nodiscard]] Index end() const { return first + count; }
  [[nodiscard]] bool are_all() const { return count == of; }
};

/// The least width of the title. `turns`: with words that are there to be clicked, for other positions.
double lens_title_width(const ShownPositions& positions, bool turns);

/// Adds the title from `at` to `right`, on that baseline; a click on a turn sets the option "position".
void add_lens_title(Figure& figure, const ShownPositions& positions, bool turns, Point at, double right);

}  // namespace attnscope
