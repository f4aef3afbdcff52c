#include "ui/parts/lesson_runner.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "ui/panels/text_panel.h"
#include "ui/parts/presented_step.h"

namespace attnscope::ui {
namespace {

// The panel's padding, logical pixels.
constexpr double kAcross = 16;
constexpr double kDown = 10;

/// None where there is no memory for them: an exception would end the program in this thread.
std::vector<LessonFile> found_by(const std::function<std::vector<LessonFile>()>& find) {
  try {
    return find();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

LessonRunner::LessonRunner(Shared& shared, const Remembered& remembered, std::function<std::vector<LessonFile>()> find)
    : shared_(shared),
      remembered_(remembered),
      reading_({[find](int /*request*/, const StopToken& /*stop*/) { return found_by(find); }, nullptr, shared.wake}),
      to_begin_(find != nullptr ? ToBegin::in_next_frame : ToBegin::nothing) {}

void LessonRunner::take_lessons() {
  if (to_begin_ == ToBegin::now) reading_.request(0);
  to_begin_ = to_begin_ == ToBegin::in_next_frame ? ToBegin::now : ToBegin::nothing;
  if (std::optional<std::vector<LessonFile>> read = reading_.take()) lessons_ = std::move(*read);
}

void LessonRunner::follow_language() {
  ShownFor now = {shared_.session().shared_lesson(), remembered_.state().language};
  if (shown_for_ == now) return;
  shared_.lesson = now.lesson != nullptr ? in_language(now.lesson, now.language) : nullptr;
  shown_for_ = std::move(now);
}

std::string LessonRunner::title() const {
  const Lesson* lesson = shared_.session().lesson();
  const LessonTexts* texts = lesson != nullptr ? texts_in(*lesson, remembered_.state().language) : nullptr;
  return texts != nullptr ? texts->title : shared_.workspace.title();
}

std::optional<double> LessonRunner::height(const Style& style, double width) {
  const HeightFor now = {shared_.lesson.get(), width, style.scale};
  if (height_for_ == now) return height_;
  height_for_ = now;
  height_.reset();
  if (now.lesson == nullptr) return height_;
  const auto across = static_cast<float>(width) - 2 * style.px(kAcross);
  if (const std::optional<float> text = lesson_height(style, *now.lesson, across); text)
    height_ = static_cast<double>(*text + 2 * style.px(kDown));
  return height_;
}

const BesideStep& LessonRunner::beside_step() {
  BesideFor now = {shared_.session().shared_lesson(), shared_.session().lesson_step()};
  if (now != beside_for_) {
    // In the language that the lesson was written in, whatever is shown: controls have English names.
    beside_step_ = ui::beside_step(now.lesson->steps[now.step]);
    beside_for_ = std::move(now);
  }
  return beside_step_;
}

bool LessonRunner::tells_of_options() { return shared_.session().lesson() != nullptr && beside_step().options; }

void LessonRunner::show_below_look(const Style& style, const Areas& areas, const Beside& beside, UiState& state,
                                   UiIntents& intents) {
  const Experiment& experiment = shared_.session().experiment();
  const BesideStep& wanted = beside_step();
  if (!areas.has_row && wanted.text) texts_to_change(style, experiment, state, intents);
  if (!areas.has_row && !wanted.text) texts_to_read(style, experiment);
  if (!areas.has_parameters && !wanted.controls.empty())
    some_parameters(style, experiment, wanted.controls, state, intents);
  if (!areas.has_inspector && wanted.inspector && beside.inspection != nullptr)
    inspected_number(style, *beside.inspection);
  if (areas.has_row) return;
  words_to_read(style, answers_.of(shared_.traces.trace(), experiment, wanted.answers));
}

void LessonRunner::show(const Style& style, const Areas& areas, const Beside& beside, WindowParts& parts,
                        UiState& state, UiIntents& intents) {
  const Session& session = shared_.session();
  if (!areas.has_lesson || session.lesson() == nullptr) return;
  update_reference();
  parts.begin("Lesson", areas.lesson, ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar,
              style.palette.panel, {style.px(kAcross), style.px(kDown)});
  LessonShown shown = {*shared_.lesson, session.lesson_step(), session.away_from_lesson(), reference_};
  shown.comparison = comparison();
  if (beside.panels.presenting) {
    shown.presented = &beside.panels;
    shown.below_look = [&] { show_below_look(style, areas, beside, state, intents); };
    shown.can_play = beside.can_play;
    shown.shows_a_part = beside.shows_a_part;
  }
  lesson_panel(style, shown, intents);
  ImGui::End();
}

void LessonRunner::update_reference() {
  const Session& session = shared_.session();
  const std::shared_ptr<const Trace>& trace = shared_.traces.trace();
  // The numbers on screen are not those of a step that was just opened. After an edit the last numbers stay until the
  // next are computed, as everywhere.
  const bool awaited =
      trace != nullptr && !session.away_from_lesson() && !same_computation(trace->experiment(), session.experiment());
  const ReferenceFor now = {trace, &session.lesson()->steps[session.lesson_step()], awaited};
  if (reference_for_ == now) return;
  reference_for_ = now;
  reference_.clear();
  if (trace == nullptr) return;
  for (const ReferenceValues& each : now.step->printed) {
    reference_.push_back({reference_title(each), each.rows, computed_digits(*trace, each)});
    if (!awaited) continue;
    for (std::vector<std::string>& row : reference_.back().computed) std::fill(row.begin(), row.end(), "…");
  }
}

void LessonRunner::request_comparison() {
  const Session& session = shared_.session();
  const Lesson* lesson = session.lesson();
  const Equivalence* equivalence =
      lesson != nullptr ? find_equivalence(lesson->steps[session.lesson_step()].equivalence) : nullptr;
  if (equivalence == nullptr) {
    if (requested_) shared_.traces.worker().forget_comparison();
    requested_.reset();
    comparison_.reset();
    return;
  }
  if (requested_ && requested_->equivalence == equivalence &&
      same_computation(requested_->experiment, session.experiment())) {
    return;
  }
  // The last numbers stay until the next are computed; those of another claim do not.
  if (!requested_ || requested_->equivalence != equivalence) comparison_.reset();
  requested_ = ComparisonRequest{equivalence, session.experiment(), shared_.memory_budget};
  shared_.traces.worker().request(*requested_);
}

void LessonRunner::take_comparison() {
  if (auto comparison = shared_.traces.worker().take_comparison()) comparison_ = std::move(*comparison);
}

void LessonRunner::step(int by, UiIntents& intents) const {
  const Session& session = shared_.session();
  const Lesson* lesson = session.lesson();
  if (lesson == nullptr) return;
  const auto step = static_cast<std::ptrdiff_t>(session.lesson_step()) + by;
  if (step < 0 || step >= std::ssize(lesson->steps)) return;
  intents.actions.push_back({GoToStep{static_cast<std::size_t>(step)}, 0});
}

LessonRunner::Place LessonRunner::place() const {
  const Session& session = shared_.session();
  return {session.lesson() != nullptr, session.lesson_step()};
}

void LessonRunner::pin_cell_after(const Edit& edit, const Place& before) {
  const Session& session = shared_.session();
  const Place now = place();
  std::optional<NamedCell>& pinned = shared_.state.pinned;
  if (now.is_open && !before.is_open) pinned_before_ = pinned;
  if (before.is_open && !now.is_open) pinned = std::exchange(pinned_before_, std::nullopt);
  const bool opened = std::holds_alternative<OpenLesson>(edit) || std::holds_alternative<GoToStep>(edit) ||
                      std::holds_alternative<BackToLesson>(edit) || now.step != before.step;
  if (!opened || !now.is_open) return;
  const std::optional<LessonCell>& cell = session.lesson()->steps[session.lesson_step()].cell;
  pinned = cell ? std::optional(NamedCell{cell->tensor, cell->index}) : std::nullopt;
  shared_.state.by_keyboard = true;
}

}  // namespace attnscope::ui
