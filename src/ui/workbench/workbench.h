// The program behind the window: one experiment, its trace, its figure, and a frame of the interface. It knows no
// window, so that tests and benchmarks run all of it offscreen.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/jobs/figure_builder.h"
#include "app/jobs/figure_job.h"
#include "app/jobs/file_opener.h"
#include "app/jobs/file_watch.h"
#include "app/jobs/worker.h"
#include "app/session/matrix_text.h"
#include "app/session/workspace.h"
#include "io/canvas/font_files.h"
#include "io/desktop/user_state.h"
#include "io/experiments/experiment_file.h"
#include "io/figures/figure_file.h"
#include "platform/gl/window.h"
#include "platform/heatmap/heatmap.h"
#include "ui/dialogs/animation_dialog.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/imgui/imgui_host.h"
#include "ui/panels/figure_panel.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {

struct Areas;

struct WorkbenchOptions {
  std::optional<Theme> theme = Theme::dark;  ///< nothing: as it was last
  float scale = 1;                           ///< pixels per logical pixel
  double memory_budget = kDefaultMemoryBudget;
  std::filesystem::path shader_folder;
  FontFiles fonts;
  std::vector<LessonFile> lessons = {};    ///< as the menu lists them
  std::filesystem::path user_folder = {};  ///< where is kept what is remembered; empty: nowhere
  std::function<void()> wake;              ///< called from another thread when a frame is due; may be empty
  /// How long a frame waits for a picture or a file that is soon there; what takes longer comes in a later one.
  std::chrono::milliseconds patience{8};
};

class Workbench {
 public:
  /// Needs a current OpenGL context, and `host`'s ImGui context. `experiment` has been validated.
  /// `version` is what stood in the file, see Session.
  static Result<std::unique_ptr<Workbench>> create(ImGuiHost& host, Experiment experiment, const std::string& file,
                                                   const WorkbenchOptions& options, std::string version = {});

  /// The whole interface, and what the user asked for with it. It is `host`'s frame then, which waits to be rendered.
  void frame();
  /// After the frame was drawn.
  void finish(double frame_seconds);

  void set_scale(float scale);
  /// A key for shortcuts; text fields get theirs from ImGui.
  void press(const platform::KeyPress& press) { presses_.push_back(press); }
  /// Opens a file, as a drop on the window does: an experiment, a figure of one, or any other PNG for the pixels of the
  /// one that is open. What is wrong with it becomes a message.
  void open_file(const std::string& path);
  /// Pins an experiment, which has been validated, as soon as it is computed; the open one is computed after it.
  void compare_with(Experiment pinned);

  /// Offers the unsaved work of programs that ended out of order: of the open file where it was `named`, otherwise all.
  /// Then the newest is restored at once, unless that was tried before and did not come to a picture.
  void offer_left_behind(bool named);
  /// Shows a line in the status bar, as a warning.
  void warn(const std::string& message) { say(message, true); }
  /// Has unsaved work written now; from any thread.
  void save_now() { workspace_.save_now(); }

  /// Whether the next frame will differ without any input: something moves, or waits for its turn to be shown.
  [[nodiscard]] bool animating() const;
  /// Whether a frame will be due later, with what is being computed or read.
  [[nodiscard]] bool busy() const {
    return worker_.busy() || opener_.busy() || to_pin_ || heatmaps_.loading() || builder_.busy() ||
           (preview_ && preview_->builder.busy()) || (figure_writing_ && !figure_writing_->job.result()) ||
           (animated_ && animated_->maker.busy()) || (writing_ && !writing_->result());
  }
  /// Ends the program, or asks first what becomes of edits that are not saved.
  void ask_to_quit();
  [[nodiscard]] bool wants_to_quit() const { return quit_; }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] Workspace& workspace() { return workspace_; }
  [[nodiscard]] const Trace* trace() const { return trace_.get(); }
  [[nodiscard]] const Figure& figure() const { return moving_ ? shown_ : target_; }
  /// What the export dialog shows of its figure; null while it is closed or the figure is being built.
  [[nodiscard]] const Figure* preview() const { return preview_ && preview_->figure ? &*preview_->figure : nullptr; }
  /// The animation that its dialog is about; null while it is closed, wrong, or that is found out.
  [[nodiscard]] const Animation* animation() const {
    return animated_ && animated_->made ? animated_->made->animation.get() : nullptr;
  }
  /// The frame of it that is shown, or null.
  [[nodiscard]] const Figure* animation_frame() const {
    return animated_ && animated_->made && animated_->made->figure ? &*animated_->made->figure : nullptr;
  }
  /// Of the open lesson's step, or null when it has none or it is not computed yet.
  [[nodiscard]] const Result<EquivalenceResult>* comparison() const { return comparison_ ? &*comparison_ : nullptr; }
  [[nodiscard]] std::span<const ReferenceTable> printed() const { return reference_; }
  [[nodiscard]] UiState& transient() { return transient_; }
  [[nodiscard]] const platform::HeatmapRenderer& heatmaps() const { return heatmaps_; }
  [[nodiscard]] const platform::LineLayer& lines() const { return line_layer_; }
  /// The parts of the window that the last frame has stand on, in pixels of the framebuffer; between them show the
  /// lines, in their colour.
  [[nodiscard]] std::span<const platform::ColoredArea> backdrop() const { return backdrop_; }
  [[nodiscard]] const Palette& colors() const { return palette(theme_); }
  /// How often a figure was built since the start.
  [[nodiscard]] std::uint64_t figures_built() const { return figures_built_; }
  /// "x.json — attnscope", for the title bar.
  [[nodiscard]] std::string window_title() const;

 private:
  Workbench(ImGuiHost& host, Session session, platform::HeatmapRenderer heatmaps, const WorkbenchOptions& options);
  void apply(const Action& action);

  /// Before ImGui's frame starts: loads fonts when the scale changed.
  void prepare();
  /// Takes what was computed since the last time.
  void take_results();
  /// All parts, between the start and the end of ImGui's frame.
  void show_parts();
  /// Whether what this frame asked for is computed already, or within a moment that is not worth a picture without it.
  bool computed_at_once();
  /// A part of the window whose backdrop has that colour.
  void stand_on(Rgb background, const Rect& place);
  /// A panel that stands on `background`; `ImGui::End` closes it.
  void begin_part(const char* name, const Rect& place, int flags, Rgb background, Point padding);
  void shortcuts(UiIntents& requests);
  void shortcut(const platform::KeyPress& press, UiIntents& requests);
  void show_center(const Style& style, const Areas& areas, UiIntents& requests);
  void update_figure(double width, double height);
  /// Whether the picture that is wanted is not there yet, after a time in which that begins to be noticed.
  [[nodiscard]] bool is_building() const;
  void update_inspection();
  /// How much of the figure is there, 0 to 1.
  [[nodiscard]] double drawn_share() const;
  void show_lesson(const Style& style, const Areas& areas, UiIntents& requests);
  void update_reference();
  /// Steps through the open lesson; true when the key was for it.
  bool lesson_key(int key, UiIntents& requests) const;
  /// Pins the cell of a step that was just opened.
  void pin_for(const Edit& edit);
  void apply(const UiIntents& requests);
  void carry_out(Command command);
  void carry_out(const DialogResult& result);
  [[nodiscard]] bool has_tensor_file() const;
  [[nodiscard]] bool can_reload() const;
  /// A file that is being read: what for, and the dialog that it was asked for in.
  struct Opening {
    enum class Why { open, reload, changed } why;
    Dialog dialog;
  };
  void read(FileRequest request, Opening::Why why);
  /// Reads a file that is open again, whatever was changed here since: Undo brings that back.
  void reload(const std::string& file, Opening::Why why);
  /// What was read since the last time becomes the document, or part of it.
  void take_read();
  void take_source(const std::string& path, ExperimentSource source, const Opening& opening);
  Result<void> take_part(FileContent content);
  void say_read(const std::string& path, const Opening& opening);
  /// Watches the files that are open, and reads again what others have changed.
  void follow_files();
  void reload_changed(const std::string& file);
  void take_computed(std::shared_ptr<const Trace> trace);
  /// Copies the matrix of the cell that is kept in the inspector.
  void copy_matrix(MatrixFormat format);
  /// The view as a picture, as it would be exported; where the desktop cannot take one, the path of a file.
  void copy_figure();
  /// Writes the view in the formats that are chosen.
  Result<void> export_figure(const std::vector<std::filesystem::path>& paths);
  [[nodiscard]] Result<std::vector<std::filesystem::path>> written_by(const DialogResult& result) const;
  /// Writes the figure beside the window. What is done within a moment has its message, or its error, at once.
  Result<void> write_figure_files(FigureTask task);
  /// Says what has become of a figure that was being written.
  void take_written_figure();
  Result<void> say_written(const FigureTask& task, const Result<WrittenFigure>& result);
  /// What the export dialog shows, if it is open.
  std::optional<ExportShown> update_preview();
  [[nodiscard]] ExperimentSource source_of_view() const;
  void open_animation(const std::string& stem);
  /// What the animation dialog shows, if it is open.
  std::optional<AnimationShown> update_animation();
  void list_things();
  [[nodiscard]] std::optional<FrameRequest> wanted_frame() const;
  void carry_out_animation(const DialogResult& result);
  Result<void> write_animation(const std::string& path);
  /// Says what has become of an animation that was being written.
  void take_animation();
  [[nodiscard]] std::string writing_text() const;
  void open_dialog(Dialog dialog, const std::string& suggestion);
  void request_computation();
  void request_comparison();
  void say(const std::string& message, bool is_error);

  ImGuiHost& host_;
  Workspace workspace_;
  Session& session_;
  UiState transient_;
  Theme theme_;
  float scale_;
  double memory_budget_;
  FontFiles font_files_;
  std::optional<Fonts> fonts_;
  bool fonts_stale_ = true;
  bool inspector_shown_ = true;
  bool quit_ = false;

  platform::HeatmapRenderer heatmaps_;
  ColorLuts luts_;
  HeatmapBatch batch_;
  platform::LineLayer line_layer_;

  std::shared_ptr<const Trace> trace_;
  std::uint64_t trace_number_ = 0;
  std::shared_ptr<const Trace> pinned_;  ///< what the view `compare` compares with
  std::optional<Experiment> to_pin_;     ///< is computed first, to become `pinned_`
  std::optional<Experiment> requested_;  ///< what the worker was asked for last
  bool requested_now_ = false;           ///< in this frame

  // The figure on screen moves from `from_` to `target_`; what they were built for is kept to know when to build again.
  /// An arrow: the cell beside the one that is kept in the inspector; the first weight where there is none.
  void move_pinned(int key);
  /// Hides the inspected pair of query and key by the mask, or shows it again.
  void toggle_mask(UiIntents& requests);
  /// Switches the chosen head off, or on again.
  void switch_head(UiIntents& requests);
  /// In a view of one query and one key, those of the kept cell; `gesture` is that of opening the view.
  void show_pinned_pair(std::uint64_t gesture);
  /// The view so many tabs further on, around the ends.
  void change_view(Index by, UiIntents& requests);
  /// Moves the token of the kept cell's row so many places down in the view Permutation, which it opens.
  void move_token(Index by, UiIntents& requests);
  /// Keeps the experiment as it is now, and shows how later ones differ.
  void pin_experiment();
  void show_figure(const FigureRequest& what, Figure figure);
  std::optional<FigureRequest> asked_for_;
  double asked_since_ = 0;                  ///< ImGui time
  bool awaits_figure_ = true;               ///< the last one of this view was there within a moment
  std::optional<FigureRequest> built_for_;  ///< what is on the screen, which may have been asked for a while ago
  Figure from_, target_, shown_;            ///< the first and the last one while it moves
  double moved_since_ = 0;
  bool moving_ = false;
  std::uint64_t figures_built_ = 0;
  std::vector<platform::ColoredArea> backdrop_;
  double drawn_ = 1;  ///< by the last frame; see drawn_share

  std::optional<Inspection> inspection_;
  std::shared_ptr<const Trace> inspected_trace_;
  std::uint64_t inspected_figure_ = 0;  ///< the number of figures that were built then

  /// The figure in the export dialog; lives as long as that is open, and until its last frame is drawn.
  struct ExportPreview {
    explicit ExportPreview(const std::function<void()>& wake) : builder(wake) {}

    std::optional<FigureRequest> asked_for;
    std::optional<Figure> figure;
    std::uint64_t number = 0;
    HeatmapBatch batch;
    platform::LineLayer lines;
    FigureBuilder builder;
  };
  std::optional<ExportPreview> preview_;

  /// A figure on its way to its files, or to the clipboard.
  struct FigureWriting {
    FigureWriting(FigureTask what, const std::function<void()>& wake) : task(std::move(what)), job(task, wake) {}

    FigureTask task;
    FigureJob job;
  };
  std::optional<FigureWriting> figure_writing_;

  /// The animation in its dialog; lives as long as that is open.
  struct AnimationPreview {
    explicit AnimationPreview(const std::function<void()>& wake) : maker(wake) {}

    std::vector<std::pair<Sweepable, std::optional<Index>>> things;
    std::optional<FigureRequest> things_of;  ///< without its size
    std::optional<FrameRequest> asked;
    std::optional<MadeFrame> made;
    std::uint64_t number = 0;
    HeatmapBatch batch;
    platform::LineLayer lines;
    bool has_ffmpeg = false;
    FrameMaker maker;
  };
  std::optional<AnimationPreview> animated_;
  std::optional<AnimationJob> writing_;
  std::string writing_name_;  ///< of its file
  std::uint64_t previews_ = 0;
  std::chrono::milliseconds patience_;
  std::function<void()> wake_;
  std::string followed_file_;  ///< what `watch_` watches
  const ImportedTensors* followed_tensors_ = nullptr;
  std::vector<std::string> changed_files_;  ///< to be read again
  std::optional<Opening> opening_;          ///< what is being read

  // The open lesson's step: its printed numbers for the trace on screen, its comparison for the experiment as it is.
  struct ReferenceFor {
    std::shared_ptr<const Trace> trace;
    const LessonStep* step = nullptr;
    bool awaited = false;  ///< the step's own trace is still being computed
    friend bool operator==(const ReferenceFor&, const ReferenceFor&) = default;
  };
  std::vector<LessonFile> lessons_;
  ReferenceFor reference_for_;
  std::vector<ReferenceTable> reference_;
  std::optional<ComparisonRequest> comparing_;
  std::optional<Result<EquivalenceResult>> comparison_;

  /// What happens once nothing is left to be asked about. `lesson_only`: what lies under the lesson stays open.
  struct Leaving {
    std::function<void()> then;
    bool lesson_only = false;
  };
  /// Does that, or asks first what becomes of edits that are not saved.
  void leave(Leaving leaving);
  std::optional<Leaving> leaving_;  ///< while it is asked
  /// Whether the action leaves a lesson that was edited: then it is asked about, and done after that.
  bool asks_before(const Action& action);
  void answer_unsaved(const DialogResult& result);
  /// Saves the document there, or asks first what becomes of what is there.
  void save_to(const DialogResult& result);
  void offer_left_behind_of(const std::string& file);
  /// Writes a figure or tensors, or asks first what becomes of what is there.
  void write_out(const DialogResult& result);
  /// Whether something has to be asked before it is written, or forbids that: shows it in the open dialog. `confirmed`:
  /// the dialog was confirmed with a question in it.
  bool asks(const Result<std::string>& asked, bool confirmed);
  void list_left_behind(std::vector<UnsavedEntry> entries);
  void answer_left_behind(const DialogResult& result);
  void restore(const UnsavedEntry& entry);
  /// Keeps what is unsaved, for the case that the program does not end in order.
  void keep_unsaved();
  bool restoring_ = false;  ///< what was restored has no picture yet
  /// Changes what is remembered from one start to the next. What cannot be written is lost: it is of no importance.
  void remember_file(const std::string& path);
  void remember_theme();
  std::filesystem::path user_folder_;
  UserState user_state_;

  double frame_seconds_ = 0;
  std::vector<platform::KeyPress> presses_;

  // Last: their threads wake the window through what stands above.
  FileWatch watch_;
  FileOpener opener_;
  FigureBuilder builder_;
  ComputeWorker worker_;
};

}  // namespace attnscope::ui
