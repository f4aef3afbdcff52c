// The passing state of the window: hover, zoom, open dialogs, messages. Nothing here is saved.
#pragma once

#include <imgui.h>

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "figure/model/canvas.h"
#include "io/desktop/folder_list.h"
#include "io/desktop/unsaved_folder.h"
#include "ui/panels/animation_settings.h"
#include "ui/panels/export_settings.h"

namespace attnscope::ui {

/// A cell by the name of its tensor: it is the same cell in the next trace.
struct NamedCell {
  std::string tensor;
  std::vector<Index> index;

  friend bool operator==(const NamedCell&, const NamedCell&) = default;
};

/// The step that made the cell's tensor; null where the trace has no such cell: a cell stays pinned while tokens are
/// removed, and that of a lesson's step is pinned before the tensors of the step are there.
const Step* step_of(const Trace& trace, const NamedCell& cell);

/// The panels that can be hidden.
struct SidePanels {
  bool parameters = false;
  bool inspector = false;
};

/// What the user wants to see: panels, and nothing of the desktop.
struct ShownPanels {
  SidePanels usual = {true, true};
  SidePanels presented;  ///< while presenting, which begins without them
  /// Of the lesson's step that is presented: all of its figure, not what the step speaks of in large. Nothing: not of any.
  std::optional<std::size_t> whole_figure_of;
  bool full_screen = false;
  bool presenting = false;  ///< in large letters: the figure, and beside it the step of the open lesson

  [[nodiscard]] const SidePanels& sides() const { return presenting ? presented : usual; }
  [[nodiscard]] SidePanels& sides() { return presenting ? presented : usual; }
};

/// The part of the figure in view; zoom 1 shows all of it.
struct Camera {
  double zoom = 1;
  Point pan;  ///< logical pixels

  friend bool operator==(const Camera&, const Camera&) = default;
};

enum class Dialog {
  none,
  open,
  open_picture,
  open_model,
  save,
  export_figure,
  export_trace,
  animation,
  shortcuts,
  about,
  unsaved,     ///< asks about unsaved edits
  left_behind  ///< unsaved work of programs that ended
};

/// Paints the mask with a drag over scores or weights.
struct MaskBrush {
  bool on = false;
  std::optional<bool> keep;  ///< what the drag makes of the pairs it reaches; null: there is no drag
};

/// The tip of an arrow that is being dragged.
struct DraggedTip {
  MoveTip moves;
  double unit = 1;                            ///< pixels of the screen for 1, when the drag began
  std::vector<double> values;                 ///< of its cells, when the drag began
  std::vector<std::optional<double>> before;  ///< what was in their place by an edit before
  std::uint64_t gesture = 0;
  ImVec2 moved = {0, 0};  ///< since the drag began, when the numbers last followed
  bool given_up = false;  ///< the numbers are what they were; the button is still down
};

/// What is being dragged in the figure, if anything.
struct DraggedMark {
  std::optional<SwapTokens> token;
  std::optional<DraggedTip> tip;

  explicit operator bool() const { return token || tip; }
};

/// A number that is being typed into a slider; applied when the typing ends.
struct TypedValue {
  ImGuiID widget = 0;
  double value = 0;
  std::uint64_t gesture = 0;
};

/// What the parameter panel derives from the parameters and the file of tensors. With thousands of tensors that takes
/// longer than a frame, so it is derived again only when those change.
struct ParameterFacts {
  using Choices = std::vector<std::pair<std::string, std::string>>;

  std::string system;
  ParameterValues parameters;
  std::shared_ptr<const ImportedTensors> tensors;
  MaskSizes mask_sizes;
  std::map<std::string, Choices> choices;  ///< by parameter, for those that were shown
};

/// A text of a model while it is being typed, or after the model refused it.
struct TypedText {
  std::string text;
  std::string instead_of;  ///< the text that the model has
  std::string error;       ///< empty: it was taken
};

/// The boxes for the texts of a model.
struct TextBoxes {
  std::array<std::optional<TypedText>, 3> typed;  ///< as SetText counts them
  bool focus = false;                             ///< the first one gets the keyboard
  bool cursor_to_end = false;                     ///< of that text, once it has the keyboard
  std::string known_words;                        ///< of the model, once they were listed
};

/// What is looked for among the answers of a model, and the names that were shown.
struct AnswerSearch {
  std::string typed;
  std::string found_for;     ///< what was typed when `found` was found
  std::vector<Index> found;  ///< best first
  std::shared_ptr<const Model> model;
  std::map<Index, std::string> names;  ///< of some of its answers
};

/// The parts of a model that interventions can replace; derived once.
struct ModelParts {
  struct Part {
    std::string title;  ///< "head 3", "MLP"
    Intervention part;
  };
  struct Layer {
    std::string title;  ///< "Layer 2"
    std::vector<Part> parts;
  };

  std::vector<Layer> layers;
  std::size_t layer = 0;  ///< selected
  std::size_t part = 0;
  std::optional<Intervention> followed = {};  ///< the head on screen when the selection last followed it
};

/// What the parameter panel says of a model; derived once.
struct ModelFacts {
  struct Row {
    std::string name;
    std::string value;
    std::string help;
  };

  std::shared_ptr<const Model> model;
  std::vector<Row> rows;
  std::optional<ModelParts> parts;
};

/// A folder as a dialog lists it.
struct ListedFolder {
  std::string folder;
  std::vector<FolderEntry> entries;
  double read_at = 0;  ///< ImGui time
};

/// The open dialog. Its settings outlive it; see `UiState`.
struct DialogState {
  Dialog open = Dialog::none;
  Dialog shown = Dialog::none;  ///< as ImGui has it; follows `open`
  std::string path;
  std::string error;
  std::string question;                   ///< about files that would be replaced; empty: none is asked
  std::vector<UnsavedEntry> left_behind;  ///< what its dialog lists
  std::optional<ListedFolder> listed;     ///< below a field for a path

  // The desktop's file dialog, see FileDialogs.
  bool can_browse = false;                    ///< there is one
  bool fresh = false;                         ///< the dialog was opened in this frame
  bool on_desktop = false;                    ///< the desktop's dialog asks in place of this one
  bool browse = false;                        ///< the user wants the desktop's dialog
  bool focus = false;                         ///< the field for the path gets the keyboard
  bool browsed = false;                       ///< `path` comes from the desktop's dialog, and was not looked at yet
  std::vector<std::filesystem::path> agreed;  ///< files that the user agreed to replace there

  /// Opens that dialog with a suggested path.
  void show(Dialog dialog, std::string suggestion);
};

/// The last refusal or confirmation, in the status bar.
struct StatusMessage {
  std::string text;
  bool is_error = false;
  double until = 0;    ///< ImGui time
  std::string copies;  ///< what a click on the message copies; empty: nothing
};

struct UiState {
  std::optional<NamedCell> hovered;
  std::optional<NamedCell> pinned;
  bool by_keyboard = false;  ///< arrows or a step chose what is pinned: the cell under a resting mouse does not count
  MaskBrush brush;
  DraggedMark dragged;
  Camera camera;
  double camera_still_at = 0;  ///< ImGui time from which on it has not moved
  std::uint64_t gesture = 0;   ///< number of the last drag or typing; see Action::gesture
  std::optional<TypedValue> typed;
  DialogState dialog;
  ExportSettings export_settings;  ///< of the last export; the next one starts with them
  AnimationSettings animation_settings;
  std::optional<ParameterFacts> parameter_facts;
  std::size_t labels_typed = 0;  ///< how many labels, the first ones, the field for them has
  TextBoxes text_boxes;
  std::optional<ModelFacts> model_facts;
  AnswerSearch answer_search;
  StatusMessage message;
  std::filesystem::path last_folder;  ///< of the file that a dialog last opened or wrote; empty: none

  /// The cell that the inspector shows: under the cursor, otherwise pinned.
  [[nodiscard]] const std::optional<NamedCell>& inspected() const { return hovered ? hovered : pinned; }

  /// Shows a line in the status bar for some seconds. Within an ImGui context.
  void say(const std::string& text, bool is_error);
  /// The same for an error that the open dialog shows as well.
  void refuse(const std::string& error);
  /// Shows in the open dialog what must be asked before files are written, or why they cannot be; whether there is
  /// anything. `confirmed`: the user confirmed the dialog with a question in it.
  bool asks(const Result<std::string>& question, bool confirmed);
};

}  // namespace attnscope::ui
