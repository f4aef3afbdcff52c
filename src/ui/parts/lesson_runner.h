// The open lesson's step: its printed numbers for the trace on screen, and its comparison for the open experiment.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/jobs/latest_job.h"
#include "ui/panels/panels.h"
#include "ui/parts/areas.h"
#include "ui/parts/presented_step.h"
#include "ui/parts/quoted_answers.h"
#include "ui/parts/remembered.h"
#include "ui/parts/shared.h"
#include "ui/parts/window_parts.h"

namespace attnscope::ui {

class LessonRunner {
 public:
  /// `find`: the lessons as the menu lists them; called in a thread, because all of their files are read. Null: none.
  /// The language of the texts is the remembered one.
  LessonRunner(Shared& shared, const Remembered& remembered, std::function<std::vector<LessonFile>()> find);

  /// None while they are being read.
  [[nodiscard]] std::span<const LessonFile> lessons() const { return lessons_; }
  /// Whether they are being read.
  [[nodiscard]] bool is_reading() const {
    return to_begin_ != ToBegin::nothing || reading_.busy() || reading_.has_result();
  }
  /// Takes those that were read since the last frame. Call it in each frame: the first picture does not share the
  /// processors with the reading, which begins with the second.
  void take_lessons();
  /// Has the open lesson in the language that is chosen now; the document stays as it is. Call it before anything shows
  /// the lesson.
  void follow_language();
  /// As it was when the last frame began; null: none was open.
  [[nodiscard]] const Lesson* shown() const { return shared_.lesson.get(); }
  /// The open lesson's title in that language, or that of the document.
  [[nodiscard]] std::string title() const;
  /// What the step is shown beside.
  struct Beside {
    const ShownPanels& panels;
    bool can_play = false;                   ///< whether the open view has moments and shows none yet
    bool shows_a_part = false;               ///< whether something of the figure is not in view
    const Inspection* inspection = nullptr;  ///< null: no cell is inspected
  };
  /// Shows the step below the figure, where a lesson is open.
  void show(const Style& style, const Areas& areas, const Beside& beside, WindowParts& parts, UiState& state,
            UiIntents& intents);
  /// The height that the open lesson needs in a panel of that width, in pixels; nothing: no lesson is open, or how high it
  /// gets is not known.
  [[nodiscard]] std::optional<double> height(const Style& style, double width);
  /// Whether the open step tells to use the options of its view.
  [[nodiscard]] bool tells_of_options();
  /// Goes `by` steps on in the open lesson, as far as it has them.
  void step(int by, UiIntents& intents) const;
  /// Where the user is in a lesson.
  struct Place {
    bool is_open = false;
    std::size_t step = 0;
  };
  [[nodiscard]] Place place() const;
  /// Pins the step's cell when `edit` opened a step, or led to another one than `before`. What the user had pinned before
  /// a lesson was opened comes back with the document below it.
  void pin_cell_after(const Edit& edit, const Place& before);

  /// Requests the step's comparison, unless it was the last one requested.
  void request_comparison();
  /// Takes a comparison that was computed since the last frame.
  void take_comparison();
  /// Null where the step has none, or it is not computed yet.
  [[nodiscard]] const Result<EquivalenceResult>* comparison() const { return comparison_ ? &*comparison_ : nullptr; }
  /// The numbers that the step's source printed, with the computed ones.
  [[nodiscard]] std::span<const ReferenceTable> printed() const { return reference_; }

 private:
  enum class ToBegin { in_next_frame, now, nothing };

  /// What the reference tables were made for.
  struct ReferenceFor {
    std::shared_ptr<const Trace> trace;
    const LessonStep* step = nullptr;
    bool awaited = false;  ///< the step's own trace is still being computed
    friend bool operator==(const ReferenceFor&, const ReferenceFor&) = default;
  };
  /// The step that was asked what stands beside it.
  struct BesideFor {
    std::shared_ptr<const Lesson> lesson;
    std::size_t step = 0;
    friend bool operator==(const BesideFor&, const BesideFor&) = default;
  };

  /// What stands beside the open step; a lesson is open.
  const BesideStep& beside_step();
  /// Below what to look at, while presenting: what has no panel of its own then.
  void show_below_look(const Style& style, const Areas& areas, const Beside& beside, UiState& state,
                       UiIntents& intents);

  /// What the height was found for.
  struct HeightFor {
    const Lesson* lesson = nullptr;
    double width = 0;
    float scale = 0;
    friend bool operator==(const HeightFor&, const HeightFor&) = default;
  };
  /// The lesson and the language that `Shared::lesson` was made of.
  struct ShownFor {
    std::shared_ptr<const Lesson> lesson;
    std::string language;
    friend bool operator==(const ShownFor&, const ShownFor&) = default;
  };
  void update_reference();

  Shared& shared_;
  const Remembered& remembered_;
  ShownFor shown_for_;
  std::vector<LessonFile> lessons_;
  LatestJob<int, std::vector<LessonFile>> reading_;  ///< what it is asked does not matter
  ToBegin to_begin_;
  HeightFor height_for_;
  std::optional<double> height_;
  ReferenceFor reference_for_;
  std::vector<ReferenceTable> reference_;
  BesideFor beside_for_;
  BesideStep beside_step_;
  QuotedAnswers answers_;
  std::optional<NamedCell> pinned_before_;  ///< by the user, before the lesson was opened
  std::optional<ComparisonRequest> requested_;
  std::optional<Result<EquivalenceResult>> comparison_;
};

}  // namespace attnscope::ui
