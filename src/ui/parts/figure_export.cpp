#include "ui/parts/figure_export.h"

#include <cstdlib>
#include <system_error>
#include <utility>

#include "io/base/printable.h"

namespace attnscope::ui {

void FigureExport::open_dialog(const std::string& stem) {
  const std::string view = shared_.session().experiment().view.name;
  shared_.state.dialog.show(Dialog::export_figure, free_export_path(stem + "-" + view, shared_.state.export_settings));
}

std::optional<ExportShown> FigureExport::update() {
  if (shared_.state.dialog.open != Dialog::export_figure || !shared_.traces.trace()) {
    preview_.reset();
    return std::nullopt;
  }
  if (!preview_) {
    preview_.emplace(shared_.wake);
    preview_->batch.renderer = &shared_.heatmaps;
  }
  Preview& preview = *preview_;
  // While a setting is out of range the last figure stays.
  if (const Result<FigureFileOptions> options = export_options(shared_.state.export_settings)) {
    FigureRequest now = shared_.traces.figure_request(*options);
    if (preview.requested != now) {
      preview.builder.request(now);
      preview.builder.wait(shared_.patience);
      preview.requested = std::move(now);
    }
  }
  if (std::optional<BuiltFigure> built = preview.builder.take()) {
    preview.figure = std::move(built->figure);
    preview.smaller_type = built->smaller_type;
    preview.file = built->file;
    preview.refusal = built->refusal;
    preview.number = shared_.next_preview();
  }
  return ExportShown{
      this->preview(),      preview.number, shared_.luts,
      preview.batch,        preview.lines,  figure_caption(shared_.traces.source_of_view(), this->preview()),
      preview.smaller_type, preview.file,   preview.refusal};
}

void FigureExport::carry_out(const DialogResult& result) {
  UiState& state = shared_.state;
  if (!shared_.traces.trace()) return state.refuse("nothing to export yet: no result");
  const Result<std::vector<std::filesystem::path>> paths = export_paths(result.path, state.export_settings);
  if (!paths) return state.refuse(paths.error().message);
  if (state.asks(shared_.workspace.question_before_writing(*paths, state.dialog.agreed), result.replaces)) return;
  if (const Result<void> done = write(*paths, false); !done) return state.refuse(done.error().message);
  state.dialog.open = Dialog::none;
}

void FigureExport::copy_figure() {
  if (!shared_.traces.trace()) return shared_.say("nothing to copy yet: no result", true);
  if (const auto options = export_options(shared_.state.export_settings); !options)
    return shared_.say(options.error().message, true);
  if (const Result<void> free = check_free(); !free) return shared_.say(free.error().message, true);
  // A folder of its own: in a shared one, somebody could have put a link in the file's place.
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "attnscope-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    return shared_.say(printable(folder) + ": the folder cannot be created", true);
  const std::string view = shared_.traces.trace()->experiment().view.name;
  const Result<void> begun = write({std::filesystem::path(folder) / ("attnscope-" + view + ".png")}, true);
  if (!begun) shared_.say(begun.error().message, true);
}

Result<void> FigureExport::check_free() const {
  if (!writing_) return {};
  return fail(printable(writing_->task.outputs.front().filename().string()) +
              " is still being written; click its progress in the status bar to stop it");
}

Result<void> FigureExport::write(const std::vector<std::filesystem::path>& paths, bool to_clipboard) {
  const Result<FigureFileOptions> options = export_options(shared_.state.export_settings);
  if (!options) return tl::unexpected(options.error());
  if (Result<void> free = check_free(); !free) return free;
  writing_.emplace(
      FigureTask{shared_.traces.figure_request(*options), shared_.traces.source_of_view(), paths, to_clipboard},
      shared_.wake);
  // A quick export ends in this frame: its error appears in the dialog, which is still open.
  if (!writing_->job.wait(shared_.patience)) return {};
  const Result<WrittenFigure> result = *writing_->job.result();
  const FigureTask done = std::move(writing_->task);
  writing_.reset();
  return report(done, result);
}

void FigureExport::take_written() {
  if (!writing_) return;
  const std::optional<Result<WrittenFigure>> result = writing_->job.result();
  if (!result) return;
  const FigureTask done = std::move(writing_->task);
  const bool stopped = writing_->job.cancelled();
  writing_.reset();
  if (const Result<void> reported = report(done, *result); !reported) shared_.say(reported.error().message, !stopped);
}

Result<void> FigureExport::report(const FigureTask& task, const Result<WrittenFigure>& result) {
  if (!result) return tl::unexpected(result.error());
  if (task.to_clipboard && !result->copied) {
    const std::string path = task.outputs.front().string();
    ImGui::SetClipboardText(path.c_str());
    shared_.say("wrote " + printable(path) + " and copied its path: neither xclip nor wl-copy is installed", false);
    return {};
  }
  std::string names;
  // All files are in the folder of the first one.
  for (const std::filesystem::path& file : result->files)
    names += names.empty() ? printable(file.string()) : ", " + printable(file.filename().string());
  shared_.say((task.to_clipboard ? "copied the figure" : "wrote " + names) + " · click to copy the caption", false);
  shared_.state.message.copies = result->caption;
  return {};
}

void FigureExport::cancel() {
  if (writing_) writing_->job.cancel();
}

std::string FigureExport::writing_text() const {
  return writing_ ? "writing " + printable(writing_->task.outputs.front().filename().string()) + " …" : "";
}

bool FigureExport::busy() const {
  return (preview_ && preview_->builder.busy()) || (writing_ && !writing_->job.result());
}

}  // namespace attnscope::ui
