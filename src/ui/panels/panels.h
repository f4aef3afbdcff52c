// The panels of the window. Each shows what it is given and returns what the user asked for; none changes the document.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/action.h"
#include "core/explain/explain.h"
#include "core/studies/equivalence.h"
#include "figure/views/view.h"
#include "io/models/bundled_models.h"
#include "ui/imgui/style.h"
#include "ui/panels/commands.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// What the user asked for in a frame.
struct UiIntents {
  std::vector<Action> actions;
  std::vector<Command> commands;
  std::vector<std::string> files;  ///< to be opened
  Menu menu = Menu::none;          ///< the same
  std::optional<OpenCheckpoint> checkpoint;
  std::optional<std::string> language;  ///< of lessons
};

/// Left: system, sliders, seed, labels; from the system's parameter table.
void parameter_panel(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents);

/// Some of its controls: of the parameters with these names, and of "seed", "labels" and "interventions".
void some_parameters(const Style& style, const Experiment& experiment, std::span<const std::string> names,
                     UiState& state, UiIntents& intents);

/// What the state knows of the model; found again where that was about another one.
ModelFacts& known_facts(const std::shared_ptr<const Model>& model, UiState& state);

/// What a trained model is, in rows of the parameter panel.
void model_facts(const Style& style, const std::shared_ptr<const Model>& model, UiState& state);

/// What takes the place of parts of a trained model, and what could; below its facts.
void intervention_panel(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents);

/// The tabs of the views. A view that has nothing to show of `trace` (null: none is computed yet) is dim; tabs without
/// room are in a list.
void view_tabs(const Style& style, const Experiment& experiment, const Trace* trace, UiIntents& intents);
/// The options of the open view.
void view_option_row(const Style& style, const Trace& trace, const ViewOptions& options, UiState& state,
                     UiIntents& intents);
/// Whether any option of the trace's view applies.
bool has_option_row(const Trace& trace, const ViewOptions& options);

/// What the inspector shows about a cell.
struct Inspection {
  NamedCell cell;
  Explanation explanation;
  ColorScale scale;                                 ///< see `inspected_scale`
  std::string coordinates;                          ///< "head 2 · query “sat” · key “the”"
  std::string row_title;                            ///< "softmax of this row", "this row"
  std::vector<std::pair<std::string, double>> row;  ///< label, where it is listed, and value of each cell
  std::vector<std::size_t> row_listed;  ///< the cells to list, in this order; the row's size stands for those left out
  bool row_is_weights = false;
  std::size_t row_current = 0;            ///< position of the cell in its row
  std::vector<NamedCell> sources;         ///< a cell of each input region: the same one, or the first
  std::vector<std::string> source_texts;  ///< "q[1, 2, :]"
  std::optional<NamedCell> used_by;
  bool drawn = false;        ///< a random number, which can be edited
  bool stored = false;       ///< a weight of a trained model, which can be edited as well
  bool edited = false;       ///< and was
  std::string used_by_text;  ///< "weights[1, 2, 4]"
};

/// Nothing where the trace does not have the cell.
std::optional<Inspection> inspect(const Trace& trace, const NamedCell& cell);

/// The colour scale of the figure that shows the cell, which the trace has.
ColorScale inspected_scale(const Trace& trace, const Figure& figure, const NamedCell& cell);

/// Right: the number under the cursor, or the pinned one, which can be edited if it is random.
void inspector_panel(const Style& style, const Inspection* inspection, bool pinned, UiState& state, UiIntents& intents);

/// The same number, to be read below the words of a lesson.
void inspected_number(const Style& style, const Inspection& inspection);

/// What the right end of the status bar shows.
struct Performance {
  double compute_seconds = 0;
  double frame_seconds = 0;
  double bytes = 0;
  bool busy = false;
  float progress = 0;
  double drawn = 1;            ///< share of the figure's matrices, 0 to 1: large ones are drawn in pieces
  std::string writing = {};    ///< a file: "writing a.gif 40 %"; empty: none
  bool stops_at_once = false;  ///< a click stops it; otherwise it has a dialog
  bool building = false;       ///< the wanted figure is not on screen yet
  float built = 0;             ///< how much of it is done, 0 to 1, where that is known; otherwise 0
};

/// What happens now; where nothing does, how large the experiment is and how fast, unless it is being presented.
void status_bar(const Style& style, const Trace* trace, const Performance& performance, const UiState& state,
                bool presenting, UiIntents& intents);

/// The lines that the bar needs for a warning or an error, `width` wide with its padding, in pixels: at most 3.
int status_lines(const Style& style, const Trace* trace, const UiState& state, float width, float padding);

/// Numbers that a source printed, and the same numbers as computed.
struct ReferenceTable {
  std::string title;
  std::vector<std::vector<std::string>> printed;
  std::vector<std::vector<std::string>> computed;
};

/// What the lesson panel shows.
struct LessonShown {
  const Lesson& lesson;
  std::size_t step = 0;
  bool away = false;  ///< the experiment was edited since the step was opened
  std::span<const ReferenceTable> printed;
  const Result<EquivalenceResult>* comparison = nullptr;  ///< of the step's equivalence; null until it is computed
  const ShownPanels* presented = nullptr;                 ///< what else is shown while presenting; null: not presenting
  std::function<void()> below_look = nullptr;             ///< draws what stands there; null: nothing
  bool can_play = false;                                  ///< whether the open view has moments and shows none yet
  bool shows_a_part = false;                              ///< whether something of the figure is not in view
};

/// How high that panel must be, in a content `width` wide, for the texts of every step; nothing for a lesson with numbers
/// beside them.
std::optional<float> lesson_height(const Style& style, const Lesson& lesson, float width);

/// Below the figure: the open lesson's step, with printed numbers and an equivalence.
void lesson_panel(const Style& style, const LessonShown& shown, UiIntents& intents);

/// What the menus enable, mark and list.
struct MenuState {
  std::string title;  ///< of the document
  bool modified = false;
  bool can_undo = false;
  bool can_redo = false;
  bool dark = true;
  ShownPanels shown;
  bool baseline = false;  ///< whether there is one
  bool cell = false;      ///< whether a cell is pinned
  std::span<const LessonFile> lessons;
  const Lesson* open_lesson = nullptr;
  std::span<const std::string> recent = {};   ///< files that were opened before
  bool can_reload = false;                    ///< whether there is a file to read again
  std::span<const BundledModel> models = {};  ///< that come along
  bool can_find_heads = false;                ///< by the standard test of a model
  bool can_play = false;                      ///< whether the open view has moments
  bool reading_lessons = false;
  std::string_view language = kLessonLanguage;  ///< of lessons
};

/// The menus, of which `opening` opens, and the document's name at their right.
void menu_bar(const Style& style, const Experiment& experiment, const MenuState& state, Menu opening,
              UiIntents& intents);

/// What a dialog was closed with.
struct DialogResult {
  Dialog dialog = Dialog::none;
  std::string path;
  bool stops = false;                      ///< writing the animation
  bool saves = false;                      ///< unsaved edits; otherwise they are given up
  std::optional<UnsavedEntry> entry = {};  ///< of unsaved work: to be restored, or discarded
  bool discards = false;
  bool replaces = false;               ///< existing files: the user was asked
  std::vector<std::string> more = {};  ///< files to open after `path`
};

struct ExportShown;
struct AnimationShown;

/// Shows the open dialog, if any; returns its result when the user confirms it. `exported` and `animated` are what the
/// dialogs for figures and animations show; null: nothing is computed yet.
std::optional<DialogResult> dialogs(const Style& style, const ExportShown* exported, const AnimationShown* animated,
                                    UiState& state);

}  // namespace attnscope::ui
