// The most probable answers of a model as bars.
#pragma once

#include <string>
#include <vector>

#include "core/residual/lens.h"
#include "figure/model/figure.h"

namespace attnscope {

/// The height of a row: comfortable, and the least.
inline constexpr double kMaxAnswerRow = 22;
inline constexpr double kMinAnswerRow = 16;

struct AnswerList {
  std::string heading;          ///< of the names: "token"
  std::vector<Answer> answers;  ///< the largest first
  std::vector<std::string> names;
  Index others = 0;                ///< answers that are not listed
  std::vector<TensorCell> logits;  ///< of each answer, for the inspector; empty: they are no numbers of the trace
  std::vector<OpenView> opens;     ///< what a click on a name opens; empty: nothing
  double row = kMaxAnswerRow;      ///< height of a row
};

/// The height of the list.
double answer_list_height(const AnswerList& list);

/// The smallest width at which it can be read.
double answer_list_width(const AnswerList& list);

/// Adds the list with its top left corner at `at`. Bars are drawn against a probability of 1.
void add_answer_list(Figure& figure, const AnswerList& list, Point at, double width);

}  // namespace attnscope
