// Exports the open view as a figure: the preview of the export dialog, files, and the clipboard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/figure_job.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

/// Figures are written in the background, one export at a time. Results and errors appear in the status bar, and errors
/// also in the dialog while it is open.
class FigureExport {
 public:
  explicit FigureExport(Shared& shared) : shared_(shared) {}

  /// Opens the export dialog with a free path that begins with `stem` and the name of the view.
  void open_dialog(const std::string& stem);
  /// Requests the figure for the preview and returns what the export dialog shows; nothing while it is closed or no
  /// trace is computed. Call it once a frame.
  std::optional<ExportShown> update();
  /// The figure in the open dialog; null while it is being built.
  [[nodiscard]] const Figure* preview() const { return preview_ && preview_->figure ? &*preview_->figure : nullptr; }

  /// Writes the view to the files of the confirmed dialog and closes it, or asks in it first whether to replace files.
  void carry_out(const DialogResult& result);
  /// Copies the view to the clipboard as a PNG; without a clipboard program, copies the path of the PNG.
  void copy_figure();

  /// Reports an export that ended since the last frame.
  void take_written();
  /// Stops writing; files that are written already stay.
  void cancel();
  /// "writing a.pdf …" for the status bar; empty: nothing is being written.
  [[nodiscard]] std::string writing_text() const;
  /// Whether a figure is being built for the preview or written.
  [[nodiscard]] bool busy() const;

 private:
  /// Lives as long as the dialog is open, and until its last frame is drawn.
  struct Preview {
    explicit Preview(const std::function<void()>& wake) : builder(wake) {}

    std::optional<FigureRequest> requested;  ///< the last one
    std::optional<Figure> figure;            ///< the last one that was built
    std::optional<SmallerType> smaller_type;
    std::optional<FigureFileOptions> file;  ///< with the sizes of its preset
    std::string refusal;                    ///< why it does not fit into that
    std::uint64_t number = 0;               ///< tells the renderer this figure from all others
    HeatmapBatch batch;
    platform::LineLayer lines;
    FigureBuilder builder;
  };
  /// The export that is being written.
  struct Writing {
    Writing(FigureTask what, const std::function<void()>& wake) : task(std::move(what)), job(task, wake) {}

    FigureTask task;
    FigureJob job;
  };

  /// Fails while another export is being written.
  [[nodiscard]] Result<void> check_free() const;
  /// Starts writing the view to `paths`, and reports it if it ends within this frame. Fails if a setting is out of
  /// range or another export is being written.
  Result<void> write(const std::vector<std::filesystem::path>& paths, bool to_clipboard);
  /// Says what was written; an error is returned instead, for the caller to show.
  Result<void> report(const FigureTask& task, const Result<WrittenFigure>& result);

  Shared& shared_;
  std::optional<Preview> preview_;
  std::optional<Writing> writing_;
};

}  // namespace attnscope::ui
