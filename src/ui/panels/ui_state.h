// What passes: hover, zoom, open dialogs, messages. Nothing here is saved.
#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "figure/model/canvas.h"
#include "io/desktop/unsaved_folder.h"
#include "ui/panels/animation_settings.h"
#include "ui/panels/export_settings.h"

namespace attnscope::ui {

/// A cell by the name of its tensor, so that it stays the same cell in the next trace.
struct NamedCell {
  std::string tensor;
  std::vector<Index> index;

  friend bool operator==(const NamedCell&, const NamedCell&) = default;
};

/// Where in the figure the canvas looks: 1 shows all of it.
struct Camera {
  double zoom = 1;
  Point pan;  ///< logical pixels

  friend bool operator==(const Camera&, const Camera&) = default;
};

enum class Dialog {
  none,
  open,
  open_picture,
  save,
  export_figure,
  export_trace,
  animation,
  shortcuts,
  about,
  unsaved,     ///< what becomes of edits, before they are left
  left_behind  ///< unsaved work of programs that ended
};

/// A number being typed into a slider; it counts when the typing ends.
struct TypedValue {
  ImGuiID widget = 0;
  double value = 0;
  std::uint64_t gesture = 0;
};

/// What the parameter panel shows that follows from the parameters and the file of tensors. With thousands of tensors
/// that takes longer than a frame: it is worked out again when those change.
struct ParameterFacts {
  using Choices = std::vector<std::pair<std::string, std::string>>;

  std::string system;
  ParameterValues parameters;
  std::shared_ptr<const ImportedTensors> tensors;
  MaskSizes mask_sizes;
  std::map<std::string, Choices> choices;  ///< of a parameter, as far as they were asked for
};

struct UiState {
  std::optional<NamedCell> hovered;
  std::optional<NamedCell> pinned;
  bool by_keyboard = false;        ///< the kept cell was chosen by arrows: the mouse that lies about points at nothing
  bool brush = false;              ///< a drag over scores or weights paints the mask
  std::optional<bool> brush_keep;  ///< what the drag under way makes of the pairs it comes to
  std::optional<Index> dragged_place;  ///< of the token that is being dragged; see TargetMark::place
  Camera camera;
  double camera_still_at = 0;  ///< ImGui time from which on it has not moved
  std::uint64_t gesture = 0;   ///< number of the last drag or typing; see Action::gesture
  std::optional<TypedValue> typed;
  Dialog dialog = Dialog::none;
  Dialog dialog_shown = Dialog::none;  ///< as ImGui has it; follows `dialog`
  std::string dialog_path;
  std::string dialog_error;
  std::string dialog_question;            ///< about files that would be replaced; empty: none is asked
  std::vector<UnsavedEntry> left_behind;  ///< what its dialog lists
  ExportSettings export_settings;         ///< of the last export; the next one starts with them
  AnimationSettings animation_settings;
  std::optional<ParameterFacts> parameter_facts;
  std::size_t labels_typed = 0;  ///< how many labels, the first ones, the field for them has
  std::string message;           ///< the last refusal or confirmation, in the status bar
  bool message_is_error = false;
  double message_until = 0;    ///< ImGui time
  std::string message_copies;  ///< what a click on the message copies; empty: nothing

  /// The cell that the inspector shows: under the cursor, otherwise pinned.
  [[nodiscard]] const std::optional<NamedCell>& inspected() const { return hovered ? hovered : pinned; }
};

}  // namespace attnscope::ui
