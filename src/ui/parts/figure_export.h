// The view as a figure outside the window: the export dialog's preview, its files, and the clipboard.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/figure_job.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

/// Figures are written in the background, one at a time.
class FigureExport {
 public:
  explicit FigureExport(Shared& shared) : shared_(shared) {}

  void open_dialog(const std::string& stem);
  /// What the export dialog shows; nothing while it is closed. Call it once a frame.
  std::optional<ExportShown> update();
  /// The figure in the open dialog; null while it is being built.
  [[nodiscard]] const Figure* preview() const { return preview_ && preview_->figure ? &*preview_->figure : nullptr; }

  /// Writes the view as the confirmed dialog says, or asks first whether files are to be replaced.
  void carry_out(const DialogResult& result);
  /// Copies the view as a picture; without a clipboard program, the path of its file.
  void copy_figure();

  /// Reports a figure that was written since the last frame.
  void take_written();
  void cancel();
  /// "writing a.pdf …"; empty: nothing is being written.
  [[nodiscard]] std::string writing_text() const;
  [[nodiscard]] bool busy() const;

 private:
  /// Lives as long as the dialog is open, and until its last frame is drawn.
  struct Preview {
    explicit Preview(const std::function<void()>& wake) : builder(wake) {}

    std::optional<FigureRequest> requested;
    std::optional<Figure> figure;
    std::uint64_t number = 0;
    HeatmapBatch batch;
    platform::LineLayer lines;
    FigureBuilder builder;
  };
  struct Writing {
    Writing(FigureTask what, const std::function<void()>& wake) : task(std::move(what)), job(task, wake) {}

    FigureTask task;
    FigureJob job;
  };

  Result<void> write(const std::vector<std::filesystem::path>& paths, bool to_clipboard);
  Result<void> report(const FigureTask& task, const Result<WrittenFigure>& result);

  Shared& shared_;
  std::optional<Preview> preview_;
  std::optional<Writing> writing_;
};

}  // namespace attnscope::ui
