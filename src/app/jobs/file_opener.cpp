#include "app/jobs/file_opener.h"

#include <exception>
#include <new>
#include <utility>

#include "core/base/stop.h"
#include "core/plan/validate.h"
#include "figure/views/view.h"
#include "io/experiments/experiment_link.h"
#include "io/experiments/imported_tensor_file.h"
#include "io/experiments/labels_file.h"
#include "io/figures/figure_source.h"
#include "io/figures/png_picture.h"
#include "io/models/model_file.h"

namespace attnscope {
namespace {

template <typename T>
Result<FileContent> content_of(Result<T> read) {
  if (!read) return tl::unexpected(read.error());
  return FileContent(std::move(*read));
}

FileKind kind_of(const std::string& path) {
  if (is_experiment_link(path)) return FileKind::source;
  if (is_text_name(path)) return FileKind::labels;
  return is_png_name(path) && !is_figure_with_source(path) ? FileKind::picture : FileKind::source;
}

Result<FileContent> lesson_content(const std::string& path) {
  Result<Lesson> lesson = read_lesson(path);
  if (!lesson) return tl::unexpected(lesson.error());
  return FileContent(std::make_shared<const Lesson>(std::move(*lesson)));
}

Result<FileContent> read_kind(const FileRequest& request, double memory_budget, const StopToken& stop) {
  switch (request.kind) {
    case FileKind::labels: return content_of(read_labels_file(request.path));
    case FileKind::picture: return content_of(read_png_picture(request.path));
    case FileKind::tensors: return content_of(open_imported_tensors(request.path));
    case FileKind::model: return content_of(open_model(request.path));
    case FileKind::any: return read_kind({request.path, kind_of(request.path)}, memory_budget, stop);
    case FileKind::source: break;
  }
  if (is_lesson_file(request.path)) return lesson_content(request.path);
  return content_of(read_valid_source(request.path, memory_budget, stop));
}

}  // namespace

Result<ExperimentSource> read_valid_source(const std::string& path, double memory_budget, const StopToken& stop) {
  Result<ExperimentSource> source = read_source(path);
  if (!source) return source;
  if (const Result<ViewOptions> view = view_options(source->experiment.view); !view)
    return fail(source_text(path) + ": " + view.error().message);
  for (const Experiment* each : {&source->experiment, source->pinned ? &*source->pinned : nullptr}) {
    if (each == nullptr || stop.stop_requested()) continue;
    if (const Result<void> valid = validate(*each, memory_budget); !valid)
      return fail(source_text(path) + ": " + valid.error().message);
  }
  return source;
}

Result<FileContent> read_content(const FileRequest& request, double memory_budget, const StopToken& stop) {
  try {
    return read_kind(request, memory_budget, stop);
  } catch (const std::bad_alloc&) {
    return fail(source_text(request.path) + ": not enough memory for its contents");
  } catch (const std::exception& error) {
    return fail(source_text(request.path) + ": " + error.what());
  }
}

FileOpener::FileOpener(std::function<void()> ready, double memory_budget)
    : job_({[memory_budget](const FileRequest& request, const StopToken& stop) {
              return ReadContent{request, read_content(request, memory_budget, stop)};
            },
            nullptr, std::move(ready)}) {}

void FileOpener::request(FileRequest request) {
  job_.cancel();
  job_.request(std::move(request));
}

}  // namespace attnscope
