// The program in the window: one experiment, its trace, its figure, and the frames of the interface. It knows no
// window, so tests and benchmarks run all of it offscreen.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platform/gl/window.h"
#include "ui/imgui/imgui_host.h"
#include "ui/parts/animation_export.h"
#include "ui/parts/documents.h"
#include "ui/parts/figure_export.h"
#include "ui/parts/file_dialogs.h"
#include "ui/parts/inspected_cell.h"
#include "ui/parts/keyboard_navigation.h"
#include "ui/parts/lesson_runner.h"
#include "ui/parts/look.h"
#include "ui/parts/offered_words.h"
#include "ui/parts/open_files.h"
#include "ui/parts/shown_figure.h"
#include "ui/parts/start_offers.h"
#include "ui/parts/tensor_export.h"

namespace attnscope::ui {

struct WorkbenchOptions {
  std::optional<Theme> theme = Theme::dark;  ///< nothing: the last one
  float scale = 1;                           ///< pixels per logical pixel
  double memory_budget = kDefaultMemoryBudget;
  std::filesystem::path shader_folder;
  FontFiles fonts;
  std::function<std::vector<LessonFile>()> lessons;  ///< see LessonRunner
  std::filesystem::path user_folder = {};            ///< for what is remembered; empty: nothing is
  std::function<void()> wake;                        ///< called from another thread when a frame is due; may be empty
  FileDialogKind file_dialog = FileDialogKind::own;
  std::string parent_window = {};  ///< see FileQuestion
  /// How long a frame waits for a figure or a file; what takes longer is shown in a later frame.
  std::chrono::milliseconds patience{8};
};

/// The files that are made of what is on screen.
struct Exports {
  FigureExport figure;
  TensorExport tensor;
  AnimationExport animation;
};

class Workbench {
 public:
  /// Needs a current OpenGL context, and `host`'s ImGui context. `experiment` has been validated. `version` is what
  /// the file contained, see Session.
  static Result<std::unique_ptr<Workbench>> create(ImGuiHost& host, Experiment experiment, const std::string& file,
                                                   const WorkbenchOptions& options, std::string version = {});

  /// Builds a frame of the interface, ready to be rendered by `host`, and carries out what the user asked for in it.
  void frame();
  /// After the frame was drawn.
  void finish(double frame_seconds);

  void set_scale(float scale) { look_.set_scale(scale); }
  /// A key for shortcuts; text fields get theirs from ImGui.
  void press(const platform::KeyPress& press) { navigation_.press(press); }
  /// Opens files that were dropped on the window, one after the other: experiments, figures of one, or any other PNG
  /// for the pixels of the open experiment. An error becomes a message.
  void open_files(const std::vector<std::string>& paths);
  /// Makes a validated experiment the baseline as soon as it is computed; the open one is computed after it.
  void compare_with(Experiment baseline);
  /// See Documents::offer_left_behind.
  void offer_left_behind(bool named);
  /// At the start without a file: shows where to begin, unless the user has closed that before, or unsaved work was
  /// restored.
  void offer_beginnings() {
    if (!session().modified()) start_.begin();
  }
  /// Ends the program, or asks first what becomes of unsaved edits.
  void ask_to_quit() { documents_.ask_to_quit(); }
  [[nodiscard]] bool wants_to_quit() const { return documents_.wants_to_quit(); }
  [[nodiscard]] bool wants_full_screen() const { return shown_.full_screen; }

  /// Whether the next frame will differ without any input: something moves, or waits for its turn to be shown.
  [[nodiscard]] bool animating() const { return shown_figure_.animating(); }
  /// Whether a frame will be due later, with what is being computed or read.
  [[nodiscard]] bool busy() const;

  [[nodiscard]] Workspace& workspace() { return workspace_; }
  [[nodiscard]] const Session& session() const { return workspace_.session(); }
  [[nodiscard]] UiState& state() { return state_; }
  /// Null until the first one is computed.
  [[nodiscard]] const Trace* trace() const { return traces_.trace().get(); }
  [[nodiscard]] const ShownFigure& shown_figure() const { return shown_figure_; }
  [[nodiscard]] const FigureExport& figure_export() const { return exports_.figure; }
  [[nodiscard]] const AnimationExport& animation_export() const { return exports_.animation; }
  [[nodiscard]] const LessonRunner& lesson() const { return lesson_; }
  [[nodiscard]] const Look& look() const { return look_; }
  /// The areas that the last frame's panels fill, in pixels of the framebuffer.
  [[nodiscard]] std::span<const platform::ColoredArea> backdrop() const { return parts_.areas(); }
  /// "x.json — attnscope", for the title bar.
  [[nodiscard]] std::string window_title() const;

 private:
  [[nodiscard]] const Palette& colors() const { return look_.colors(); }
  Workbench(ImGuiHost& host, Session session, platform::HeatmapRenderer heatmaps, const WorkbenchOptions& options);

  /// Takes what was computed and written since the last frame.
  void take_results();
  /// Opens a lesson whose file was read, once an edited one may be left for it.
  void open_read_lesson();
  /// Requests what the open experiment and lesson need computed.
  void request_computation();

  // The parts of a frame, between ImGui's start and end of it.
  void show_parts();
  [[nodiscard]] MenuState menu_state() const;
  [[nodiscard]] double row_height() const;
  [[nodiscard]] Areas areas_of_parts(const Style& style);
  void show_menu_bar(const Style& style, UiIntents& intents);
  void show_parameters(const Style& style, const Areas& areas, UiIntents& intents);
  void show_tabs(const Style& style, const Areas& areas, UiIntents& intents);
  void show_row(const Style& style, const Areas& areas, UiIntents& intents);
  void show_center(const Style& style, const Areas& areas, UiIntents& intents);
  void show_inspector(const Style& style, const Areas& areas, UiIntents& intents);
  void show_status(const Style& style, const Areas& areas, UiIntents& intents);
  std::optional<DialogResult> show_dialogs(const Style& style);

  // What the user asked for.
  void shortcut(const platform::KeyPress& press, UiIntents& intents);
  void apply(const UiIntents& intents);
  void apply(const Action& action);
  /// Shows in its box why a text was refused; the last picture stays.
  void refuse_text(const SetText& set, const std::string& error);
  void take_text(const SetText& set);
  /// Whether the action leaves an edited lesson: then the user is asked, and it is applied after that.
  bool asks_before(const Action& action);
  void apply_actions(const UiIntents& intents);
  void carry_out(Command command);
  void fit_figure();
  void edit_text();
  /// The commands on documents and exports; false for another one. `stem`: of suggested file names.
  bool carry_out_file(Command command, const std::string& stem);
  /// Leaves the document for the one that the program starts with.
  void begin_anew();
  /// The commands that copy something; false for another one.
  bool carry_out_copy(Command command);
  /// The commands that edit the experiment, its view or the lesson; false for another one.
  bool edit_by(Command command, UiIntents& intents);
  void close_dialog_or_unpin();
  /// Plays the query of the pinned cell, where the view chooses one.
  void play();
  void carry_out(const DialogResult& result);
  void set_baseline();
  void set_theme(Theme theme);
  /// Goes so many moments on in what is played, or else moves the pinned cell so many columns to the right.
  void go_across(Index by);
  /// Makes everything so many steps larger; 0: as large as usual.
  void enlarge(int steps);
  /// How large everything is in this frame.
  [[nodiscard]] double window_size() const;
  /// The largest size up to that one at which the window has room for everything.
  [[nodiscard]] double fitting_size(double size) const;

  ImGuiHost& host_;
  Workspace workspace_;
  UiState state_;
  Remembered remembered_;
  Look look_;
  platform::HeatmapRenderer heatmaps_;
  ColorLuts luts_;
  Traces traces_;
  Shared shared_;
  ShownFigure shown_figure_;
  InspectedCell inspected_;
  OfferedWords offered_words_;
  Exports exports_;
  LessonRunner lesson_;
  StartOffers start_;
  FileWatch watch_;
  Documents documents_;
  OpenFiles files_;
  std::vector<BundledModel> models_;
  FileDialogs file_dialogs_;
  WindowParts parts_;
  KeyboardNavigation navigation_;
  ShownPanels shown_;
  double frame_seconds_ = 0;
};

}  // namespace attnscope::ui
