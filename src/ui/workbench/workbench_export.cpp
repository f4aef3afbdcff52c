// The workbench's share in what leaves the window: the view as a figure, a matrix as text.
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "app/jobs/figure_job.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {

ExperimentSource Workbench::source_of_view() const {
  return source_of_figure(trace_->experiment(), pinned_ ? &pinned_->experiment() : nullptr);
}

void Workbench::copy_matrix(MatrixFormat format) {
  if (!trace_ || !transient_.pinned) return say("keep a cell first: its matrix is copied", true);
  const NamedCell& cell = *transient_.pinned;
  const Result<std::string> text = matrix_text(*trace_, cell.tensor, cell.index, format);
  if (!text) return say(text.error().message, true);
  ImGui::SetClipboardText(text->c_str());
  say("copied the matrix of " + cell.tensor, false);
}

void Workbench::copy_figure() {
  if (!trace_) return say("nothing is computed yet that could be copied", true);
  const Result<FigureFileOptions> options = export_options(transient_.export_settings);
  if (!options) return say(options.error().message, true);
  // A folder of its own: in a shared one, somebody could have put a link in the file's place.
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "attnscope-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return say(folder + ": no such folder can be made", true);
  const std::filesystem::path path =
      std::filesystem::path(folder) / ("attnscope-" + trace_->experiment().view.name + ".png");
  const FigureRequest request = {trace_, trace_number_, trace_->experiment().view, 0, 0, pinned_, *options};
  if (const Result<void> begun = write_figure_files({request, source_of_view(), {path}, true}); !begun)
    say(begun.error().message, true);
}

Result<void> Workbench::export_figure(const std::vector<std::filesystem::path>& paths) {
  const Result<FigureFileOptions> options = export_options(transient_.export_settings);
  if (!options) return tl::unexpected(options.error());
  const FigureRequest request = {trace_, trace_number_, trace_->experiment().view, 0, 0, pinned_, *options};
  return write_figure_files({request, source_of_view(), paths, false});
}

Result<void> Workbench::write_figure_files(FigureTask task) {
  if (figure_writing_) {
    return fail(figure_writing_->task.outputs.front().filename().string() +
                " is still being written; a click on that in the status bar stops it");
  }
  figure_writing_.emplace(std::move(task), wake_);
  if (!figure_writing_->job.wait(patience_)) return {};
  const Result<WrittenFigure> result = *figure_writing_->job.result();
  const FigureTask done = std::move(figure_writing_->task);
  figure_writing_.reset();
  return say_written(done, result);
}

void Workbench::take_written_figure() {
  if (!figure_writing_) return;
  const std::optional<Result<WrittenFigure>> result = figure_writing_->job.result();
  if (!result) return;
  const FigureTask done = std::move(figure_writing_->task);
  const bool stopped = figure_writing_->job.cancelled();
  figure_writing_.reset();
  if (const Result<void> said = say_written(done, *result); !said) say(said.error().message, !stopped);
}

Result<void> Workbench::say_written(const FigureTask& task, const Result<WrittenFigure>& result) {
  if (!result) return tl::unexpected(result.error());
  if (task.to_clipboard && !result->copied) {
    const std::string path = task.outputs.front().string();
    ImGui::SetClipboardText(path.c_str());
    say("wrote " + path + " and copied its path: neither xclip nor wl-copy is there", false);
    return {};
  }
  std::string names;
  for (const std::filesystem::path& each : result->files)
    names += (names.empty() ? "" : ", ") + (names.empty() ? each.string() : each.filename().string());
  say((task.to_clipboard ? "copied the figure" : "wrote " + names) + " · a click copies the caption", false);
  transient_.message_copies = figure_caption(task.source);
  return {};
}

std::optional<ExportShown> Workbench::update_preview() {
  if (transient_.dialog != Dialog::export_figure || !trace_) {
    preview_.reset();
    return std::nullopt;
  }
  if (!preview_) {
    preview_.emplace(wake_);
    preview_->batch.renderer = &heatmaps_;
  }
  ExportPreview& preview = *preview_;
  // While something is out of range the last figure stays.
  if (const Result<FigureFileOptions> options = export_options(transient_.export_settings)) {
    FigureRequest now = {trace_, trace_number_, trace_->experiment().view, 0, 0, pinned_, *options};
    if (preview.asked_for != now) {
      preview.builder.request(now);
      preview.builder.wait(patience_);
      preview.asked_for = std::move(now);
    }
  }
  if (std::optional<BuiltFigure> built = preview.builder.take()) {
    preview.figure = std::move(built->figure);
    // In the upper half, where the numbers of traces never come.
    preview.number = ++previews_ << 32U;
  }
  return ExportShown{preview.figure ? &*preview.figure : nullptr,
                     preview.number,
                     luts_,
                     preview.batch,
                     preview.lines,
                     figure_caption(source_of_view())};
}

}  // namespace attnscope::ui
