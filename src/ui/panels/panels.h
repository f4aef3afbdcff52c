// The parts of the window. Each shows what it is given and returns what the user asked for; none changes the document.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/action.h"
#include "core/explain/explain.h"
#include "core/studies/equivalence.h"
#include "figure/views/view.h"
#include "ui/imgui/style.h"
#include "ui/panels/commands.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// What the user asked for in a frame.
struct UiIntents {
  std::vector<Action> actions;
  std::vector<Command> commands;
  std::vector<std::string> files;  ///< to be opened
};

/// Left: system, sliders, seed, labels; from the system's parameter table.
void parameter_panel(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents);

/// The tabs of the views and the options of the one that is open. Those that have nothing to show of `trace` (null:
/// there is none yet) are dim; what finds no room is in a list.
void view_tabs(const Style& style, const Experiment& experiment, const Trace* trace, UiIntents& intents);
void view_option_row(const Style& style, const Trace& trace, const ViewOptions& options, UiState& state,
                     UiIntents& intents);
/// Whether any option of the trace's view applies: whether there is a row at all.
bool has_option_row(const Trace& trace, const ViewOptions& options);

/// What the inspector says about a cell; made when the cell or the trace changes.
struct Inspection {
  NamedCell cell;
  Explanation explanation;
  ColorScale scale;                                 ///< see `inspected_scale`
  std::string coordinates;                          ///< "head 2 · query “sat” · key “the”"
  std::string row_title;                            ///< "softmax of this row", "this row"
  std::vector<std::pair<std::string, double>> row;  ///< the cells: value, and label of those that are listed
  bool row_is_weights = false;
  std::size_t row_current = 0;            ///< which of them is the cell's own
  std::vector<NamedCell> sources;         ///< one per region behind the cell: its first cell
  std::vector<std::string> source_texts;  ///< "q[1, 2, :]"
  std::optional<NamedCell> feeds;
  bool drawn = false;      ///< another number can be put in its place
  bool by_hand = false;    ///< and has been
  std::string feeds_text;  ///< "weights[1, 2, 4]"
};

/// The inspection of a cell, or nothing where the trace does not have it.
std::optional<Inspection> inspect(const Trace& trace, const NamedCell& cell);

/// The colours that the cell, which the trace has, stands in: those of the figure that shows it.
ColorScale inspected_scale(const Trace& trace, const Figure& figure, const NamedCell& cell);

/// Right: the number under the cursor, or pinned; then a drawn one can be changed.
void inspector_panel(const Style& style, const Inspection* inspection, bool pinned, UiState& state, UiIntents& intents);

/// What the status bar shows at its right.
struct Performance {
  double compute_seconds = 0;
  double frame_seconds = 0;
  double bytes = 0;
  bool busy = false;
  float progress = 0;
  double drawn = 1;          ///< of what the picture shows, 0 to 1: large matrices come bit by bit
  std::string writing = {};  ///< an animation, and how far it is, or a figure: "writing a.gif 40 %"; empty: none
  bool writes_figure = false;
  bool building = false;  ///< the picture, which is not the one that is wanted yet
};

void status_bar(const Style& style, const Trace* trace, const Performance& performance, const UiState& state,
                UiIntents& intents);

/// Numbers that a source printed, and the computed ones in their places.
struct ReferenceTable {
  std::string title;
  std::vector<std::vector<std::string>> printed;
  std::vector<std::vector<std::string>> computed;
};

/// What the lesson panel shows.
struct LessonShown {
  const Lesson& lesson;
  std::size_t step = 0;
  bool away = false;  ///< the experiment is not the step's
  std::span<const ReferenceTable> printed;
  const Result<EquivalenceResult>* comparison = nullptr;  ///< of the step's equivalence; null until it is computed
};

/// Below the picture: the open lesson's step, with what was printed and what comes to the same.
void lesson_panel(const Style& style, const LessonShown& shown, UiIntents& intents);

/// What the menus mark and offer.
struct MenuState {
  std::string title;  ///< of the document
  bool modified = false;
  bool can_undo = false;
  bool can_redo = false;
  bool dark = true;
  bool inspector = true;  ///< whether it is shown
  bool baseline = false;  ///< whether there is one
  bool cell = false;      ///< whether a cell is pinned
  std::span<const LessonFile> lessons;
  const Lesson* open_lesson = nullptr;
  std::span<const std::string> recent = {};  ///< files that were opened before
  bool can_reload = false;                   ///< whether there is a file to read again
};

/// The menus, and the experiment's name at their right.
void menu_bar(const Style& style, const Experiment& experiment, const MenuState& state, UiIntents& intents);

/// What a dialog was closed with.
struct DialogResult {
  Dialog dialog = Dialog::none;
  std::string path;
  bool stops = false;                      ///< the animation that is being written
  bool saves = false;                      ///< edits, before they are left; otherwise they are given up
  std::optional<UnsavedEntry> entry = {};  ///< of unsaved work: to be restored, or discarded
  bool discards = false;
  bool replaces = false;  ///< files that are there: it was asked
};

struct ExportShown;
struct AnimationShown;

/// The open dialog, if any; returns its result when it is confirmed. `exported` and `animated` are what the dialogs for
/// figures and animations show, null where there is nothing yet.
std::optional<DialogResult> dialogs(const Style& style, const ExportShown* exported, const AnimationShown* animated,
                                    UiState& state);

}  // namespace attnscope::ui
