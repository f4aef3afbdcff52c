// The workbench's share in lessons: which one is open, what it shows and when that is computed.
#include <algorithm>

#include "ui/panels/widgets.h"
#include "ui/workbench/workbench.h"
#include "ui/workbench/workbench_areas.h"

namespace attnscope::ui {

void Workbench::show_lesson(const Style& style, const Areas& places, UiIntents& requests) {
  const Lesson* lesson = session_.lesson();
  if (!places.has_lesson || lesson == nullptr) return;
  update_reference();
  begin_part("Lesson", places.lesson, ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar, colors().panel,
             {style.px(16), style.px(10)});
  lesson_panel(style, {*lesson, session_.lesson_step(), session_.away_from_lesson(), reference_, comparison()},
               requests);
  ImGui::End();
}

void Workbench::update_reference() {
  // A step that was just opened has no numbers yet; those on screen are another one's. What is edited shows the last
  // numbers until the next are there, as everywhere.
  const bool awaited = trace_ != nullptr && !session_.away_from_lesson() &&
                       !same_computation(trace_->experiment(), session_.experiment());
  const ReferenceFor now = {trace_, &session_.lesson()->steps[session_.lesson_step()], awaited};
  if (reference_for_ == now) return;
  reference_for_ = now;
  reference_.clear();
  if (trace_ == nullptr) return;
  for (const ReferenceValues& each : now.step->printed) {
    reference_.push_back({reference_title(each), each.rows, computed_digits(*trace_, each)});
    if (!awaited) continue;
    for (std::vector<std::string>& row : reference_.back().computed) std::fill(row.begin(), row.end(), "…");
  }
}

void Workbench::request_comparison() {
  const Lesson* lesson = session_.lesson();
  const Equivalence* equivalence =
      lesson != nullptr ? find_equivalence(lesson->steps[session_.lesson_step()].equivalence) : nullptr;
  if (equivalence == nullptr) {
    if (comparing_) worker_.forget_comparison();
    comparing_.reset();
    comparison_.reset();
    return;
  }
  if (comparing_ && comparing_->equivalence == equivalence &&
      same_computation(comparing_->experiment, session_.experiment())) {
    return;
  }
  // The last numbers stay until the next are there, as everywhere; those of another claim do not.
  if (!comparing_ || comparing_->equivalence != equivalence) comparison_.reset();
  comparing_ = ComparisonRequest{equivalence, session_.experiment(), memory_budget_};
  worker_.request(*comparing_);
}

bool Workbench::lesson_key(int key, UiIntents& requests) const {
  const Lesson* lesson = session_.lesson();
  const bool next = key == ' ' || key == platform::KeyPress::kRight;
  if (lesson == nullptr || (!next && key != platform::KeyPress::kLeft)) return false;
  const std::size_t step = session_.lesson_step();
  if (next && step + 1 < lesson->steps.size()) requests.actions.push_back({GoToStep{step + 1}, 0});
  if (!next && step > 0) requests.actions.push_back({GoToStep{step - 1}, 0});
  return true;
}

void Workbench::pin_for(const Edit& edit) {
  const bool opened = std::holds_alternative<OpenLesson>(edit) || std::holds_alternative<GoToStep>(edit) ||
                      std::holds_alternative<BackToLesson>(edit);
  if (!opened || session_.lesson() == nullptr) return;
  const std::optional<LessonCell>& cell = session_.lesson()->steps[session_.lesson_step()].cell;
  transient_.pinned = cell ? std::optional(NamedCell{cell->tensor, cell->index}) : std::nullopt;
}

}  // namespace attnscope::ui
