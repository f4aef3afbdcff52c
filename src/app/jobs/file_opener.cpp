#include "app/jobs/file_opener.h"

#include <exception>
#include <new>
#include <utility>

#include "core/plan/validate.h"
#include "figure/views/view.h"
#include "io/base/printable.h"
#include "io/experiments/labels_file.h"
#include "io/experiments/own_tensor_file.h"
#include "io/figures/figure_source.h"
#include "io/figures/png_picture.h"

namespace attnscope {
namespace {

template <typename T>
Result<FileContent> content_of(Result<T> read) {
  if (!read) return tl::unexpected(read.error());
  return FileContent(std::move(*read));
}

FileKind kind_of(const std::string& path) {
  if (is_text_name(path)) return FileKind::labels;
  return is_png_name(path) && !is_figure_with_source(path) ? FileKind::picture : FileKind::source;
}

Result<FileContent> read_kind(const FileRequest& request, double memory_budget, const std::stop_token& stop) {
  switch (request.kind) {
    case FileKind::labels: return content_of(read_labels_file(request.path));
    case FileKind::picture: return content_of(read_png_picture(request.path));
    case FileKind::tensors: return content_of(open_given_tensors(request.path));
    case FileKind::any: return read_kind({request.path, kind_of(request.path)}, memory_budget, stop);
    case FileKind::source: break;
  }
  return content_of(read_valid_source(request.path, memory_budget, stop));
}

}  // namespace

Result<ExperimentSource> read_valid_source(const std::string& path, double memory_budget, const std::stop_token& stop) {
  Result<ExperimentSource> source = read_source(path);
  if (!source) return source;
  if (const Result<ViewOptions> view = view_options(source->experiment.view); !view)
    return fail(path_text(path) + ": " + view.error().message);
  for (const Experiment* each : {&source->experiment, source->pinned ? &*source->pinned : nullptr}) {
    if (each == nullptr || stop.stop_requested()) continue;
    if (const Result<void> valid = validate(*each, memory_budget); !valid)
      return fail(path_text(path) + ": " + valid.error().message);
  }
  return source;
}

Result<FileContent> read_content(const FileRequest& request, double memory_budget, const std::stop_token& stop) {
  try {
    return read_kind(request, memory_budget, stop);
  } catch (const std::bad_alloc&) {
    return fail(path_text(request.path) + ": no memory is left for what is in it");
  } catch (const std::exception& error) {
    return fail(path_text(request.path) + ": " + error.what());
  }
}

FileOpener::FileOpener(std::function<void()> ready, double memory_budget)
    : ready_(std::move(ready)),
      memory_budget_(memory_budget),
      thread_([this](const std::stop_token& ending) { work(ending); }) {}

FileOpener::~FileOpener() {
  thread_.request_stop();
  cancel();
}

void FileOpener::request(FileRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_ = std::move(request);
    done_.reset();
    if (running_) running_->request_stop();
  }
  wake_.notify_one();
}

void FileOpener::cancel() {
  const std::scoped_lock lock(mutex_);
  waiting_.reset();
  done_.reset();
  if (running_) running_->request_stop();
}

std::optional<ReadContent> FileOpener::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

bool FileOpener::wait(std::chrono::microseconds most) {
  std::unique_lock lock(mutex_);
  read_.wait_for(lock, most, [this] { return done_.has_value() || !(waiting_ || running_); });
  return done_.has_value();
}

bool FileOpener::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.has_value() || running_.has_value();
}

void FileOpener::work(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, ending, [this] { return waiting_.has_value(); })) {
    FileRequest request = *std::exchange(waiting_, std::nullopt);
    running_.emplace();
    const std::stop_token stop = running_->get_token();
    lock.unlock();

    Result<FileContent> content = read_content(request, memory_budget_, stop);

    lock.lock();
    if (!stop.stop_requested()) done_ = ReadContent{std::move(request), std::move(content)};
    running_.reset();
    read_.notify_all();
    lock.unlock();
    ready_();
    lock.lock();
  }
}

}  // namespace attnscope
