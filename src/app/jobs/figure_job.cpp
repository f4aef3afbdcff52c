#include "app/jobs/figure_job.h"

#include <system_error>
#include <utility>

#include "core/base/stop.h"
#include "io/desktop/clipboard.h"

namespace attnscope {
namespace {

Result<WrittenFigure> stopped(const FigureTask& task, std::size_t written) {
  if (written == 0) return fail("stopped: nothing was written");
  return fail("stopped: " + std::to_string(written) + " of " + std::to_string(task.outputs.size()) +
              " files were written");
}

Result<WrittenFigure> write(const FigureTask& task, const StopToken& stop) {
  WrittenFigure written;
  ViewCache cache;  // what a view measures is the same at every size that is tried
  const Result<FittedFigure> made = build_for_file(task.request, stop, &cache);
  if (!made) return tl::unexpected(made.error());
  for (const std::filesystem::path& output : task.outputs) {
    if (stop.stop_requested()) return stopped(task, written.files.size());
    const Result<void> done = write_figure(made->figure, made->options, output, &task.source, stop);
    if (!done && stop.stop_requested()) return stopped(task, written.files.size());
    if (!done) return tl::unexpected(done.error());
    written.files.push_back(output);
  }
  written.caption = figure_caption(task.source, &made->figure);
  return written;
}

/// Writes the PNG to its own folder and copies it. The folder stays only where no clipboard program took the picture.
Result<WrittenFigure> copy(const FigureTask& task, const StopToken& stop) {
  Result<WrittenFigure> written = write(task, stop);
  const std::filesystem::path& picture = task.outputs.front();
  const Result<bool> copied = written ? copy_png_to_clipboard(picture, stop) : Result<bool>(false);
  std::error_code error;
  if (!written || !copied || *copied) std::filesystem::remove_all(picture.parent_path(), error);
  if (!copied) return tl::unexpected(copied.error());
  if (written) written->copied = *copied;
  return written;
}

}  // namespace

FigureJob::FigureJob(FigureTask task, std::function<void()> wake)
    : BackgroundTask([task = std::move(task)](
                         const StopToken& stop) { return task.to_clipboard ? copy(task, stop) : write(task, stop); },
                     std::move(wake)) {}

}  // namespace attnscope
