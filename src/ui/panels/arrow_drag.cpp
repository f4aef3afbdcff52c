#include "ui/panels/arrow_drag.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace attnscope::ui {
namespace {

constexpr float kDragBegins = 3;  // pixels: less is a click

/// The number that the experiment has in place of a cell's own.
std::optional<double> edited_value(const Experiment& experiment, const std::string& tensor,
                                   const std::vector<Index>& cell) {
  const auto found = std::ranges::find_if(
      experiment.edits, [&](const CellEdit& each) { return each.tensor == tensor && each.index == cell; });
  return found == experiment.edits.end() ? std::nullopt : std::optional(found->value);
}

DraggedTip begun_drag(const Trace& trace, const FigureTransform& transform, const MoveTip& moves,
                      std::uint64_t gesture) {
  DraggedTip tip;
  tip.moves = moves;
  tip.unit = moves.unit * transform.scale;
  tip.gesture = gesture;
  const Step* const step = trace.find(moves.tensor);
  for (const std::vector<Index>& cell : moves.cells) {
    const float value = trace.value(static_cast<int>(step - trace.steps().data()), cell);
    tip.values.push_back(static_cast<double>(value));
    tip.before.push_back(edited_value(trace.experiment(), moves.tensor, cell));
  }
  return tip;
}

/// As a number is written: a drag makes no more digits than anyone can see.
double rounded(double value, double unit) {
  const double step = std::pow(10, std::floor(std::log10(0.5 / unit)));
  return static_cast<double>(static_cast<float>(std::round(value / step) * step));
}

}  // namespace

void drag_tip(const Style& style, const Trace& trace, const FigureTransform& transform, const TargetMark* target,
              UiState& state, UiIntents& intents) {
  if (ImGui::IsItemActivated() && target != nullptr && target->moves)
    state.dragged.tip = begun_drag(trace, transform, *target->moves, ++state.gesture);
  if (!state.dragged.tip) return;
  if (!ImGui::IsItemActive()) {
    state.dragged.tip.reset();
    return;
  }
  DraggedTip& tip = *state.dragged.tip;
  if (tip.given_up || !ImGui::IsMouseDragging(0, kDragBegins * style.scale)) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const ImVec2 moved = ImGui::GetMouseDragDelta(0, 0);
  if (moved.x == tip.moved.x && moved.y == tip.moved.y) return;
  tip.moved = moved;
  for (std::size_t i = 0; i < tip.values.size(); ++i) {
    // Up is positive.
    const auto by = static_cast<double>(i == 0 ? moved.x : -moved.y);
    const double value = rounded(tip.values[i] + by / tip.unit, tip.unit);
    intents.actions.push_back({SetCell{tip.moves.tensor, tip.moves.cells[i], value}, tip.gesture});
  }
}

std::vector<Action> give_up_tip(UiState& state) {
  std::vector<Action> actions;
  if (!state.dragged.tip || state.dragged.tip->given_up) return actions;
  DraggedTip& tip = *state.dragged.tip;
  tip.given_up = true;
  for (std::size_t i = 0; i < tip.before.size(); ++i)
    actions.push_back({SetCell{tip.moves.tensor, tip.moves.cells[i], tip.before[i]}, tip.gesture});
  return actions;
}

}  // namespace attnscope::ui
