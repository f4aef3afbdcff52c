// What views of a model's answers begin with: a title, and answers to choose one from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/residual/lens.h"
#include "core/residual/residual_stream.h"
#include "figure/model/figure.h"

namespace attnscope {

/// A title about the model's answers at a position, with "position 3 of 9" behind it; returns its width. Null: only that.
double add_answer_title(Figure* figure, const Trace& trace, const ResidualStream& stream, Index position,
                        const std::string& words, Point at);

/// A line of answers; a click on one sets an option of the view to its number.
struct AnswerChips {
  std::string option;           ///< of the view
  std::string name;             ///< before the line
  std::vector<Answer> offered;  ///< the most probable ones; the chosen one is added if it is not among them
  Index chosen = -1;
  bool optional = false;  ///< −1 is offered too, as "none"
  /// What a click does; the argument is the answer in quotation marks, empty for "none".
  std::function<std::string(const std::string&)> about;
};

/// The height of a line.
inline constexpr double kAnswerChipsHeight = 24;

/// As many as fit into `width`.
void add_answer_chips(Figure& figure, const Trace& trace, const AnswerChips& chips, Point at, double width);

}  // namespace attnscope
