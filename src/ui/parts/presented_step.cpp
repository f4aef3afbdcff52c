#include "ui/parts/presented_step.h"

#include <algorithm>
#include <string_view>

#include "figure/model/figure.h"

namespace attnscope::ui {
namespace {

bool is_of_name(char each) {
  return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '_' || each == '.';
}

/// Adds the tensors that are followed by an index, as in "weights[0,1]".
void add_quoted(std::string_view text, std::vector<std::string>& tensors) {
  for (std::size_t end = text.find('['); end != std::string_view::npos; end = text.find('[', end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
    std::string name(text.substr(begin, end - begin));
    if (!name.empty() && std::ranges::find(tensors, name) == tensors.end()) tensors.push_back(std::move(name));
  }
}

}  // namespace

std::vector<std::string> tensors_of_step(const LessonStep& step) {
  std::vector<std::string> tensors;
  if (step.cell) tensors.push_back(step.cell->tensor);
  add_quoted(step.text, tensors);
  add_quoted(step.look, tensors);
  return tensors;
}

double presenting_size(double width, double height) {
  const double letters = kPresentedLetters / TypeSize::kSmall;
  return letters * std::max(1.0, std::min(width / kPresentedWidth, height / kPresentedHeight));
}

bool PresentedStep::set(const LessonStep* step) {
  if (step == step_) return false;
  step_ = step;
  tensors_ = step != nullptr ? tensors_of_step(*step) : std::vector<std::string>();
  place_ = {};
  return step == nullptr;
}

bool PresentedStep::arrives_at(Place place) {
  if (place == place_) return false;
  place_ = place;
  return true;
}

}  // namespace attnscope::ui
