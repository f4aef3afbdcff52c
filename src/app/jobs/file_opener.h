// Reads the files that the user opens in the background.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/jobs/latest_job.h"
#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/experiment/experiment.h"
#include "core/experiment/model.h"
#include "core/experiment/picture.h"
#include "io/experiments/experiment_file.h"
#include "io/experiments/lesson_file.h"

namespace attnscope {

/// What a file is opened as.
enum class FileKind {
  source,  ///< an experiment, a figure or a trace of one, a link, or tensors: whatever `read_source` reads; or a lesson
  labels,  ///< of tokens
  picture,  ///< a PNG for the pixels
  tensors,  ///< for the open experiment
  model,    ///< for the open experiment: the folder of another state of its model
  any,      ///< one of the first three, by its name and content
};

struct FileRequest {
  std::string path;
  FileKind kind = FileKind::source;

  friend bool operator==(const FileRequest&, const FileRequest&) = default;
};

/// The content of a file, in the order of FileKind; the last one is a source as well.
using FileContent =
    std::variant<ExperimentSource, std::vector<std::string>, ColorPicture, std::shared_ptr<const ImportedTensors>,
                 std::shared_ptr<const Model>, std::shared_ptr<const Lesson>>;

struct ReadContent {
  FileRequest request;
  Result<FileContent> content;  ///< errors are one line that begins with the file's name
};

/// Reads an experiment and its baseline with `read_source`. Fails where one of them cannot be shown, or not be computed
/// within `memory_budget` bytes.
Result<ExperimentSource> read_valid_source(const std::string& path, double memory_budget, const StopToken& stop = {});

/// Reads a file in this thread.
Result<FileContent> read_content(const FileRequest& request, double memory_budget, const StopToken& stop = {});

/// A thread that reads one file at a time. A newer request replaces the waiting one and stops the running one.
class FileOpener {
 public:
  /// `ready` is called from the thread whenever a file has been read; it must not wait for the owner.
  explicit FileOpener(std::function<void()> ready, double memory_budget = kDefaultMemoryBudget);

  void request(FileRequest request);
  /// Drops all requests.
  void cancel() { job_.cancel(); }
  /// The file that was requested last, when it has been read; once.
  std::optional<ReadContent> take() { return job_.take(); }
  /// Waits until no file is being read, at most that long; whether there is one to take.
  bool wait(std::chrono::microseconds most) {
    job_.wait_until_idle(most);
    return job_.has_result();
  }
  /// Whether a file is being read or waits.
  [[nodiscard]] bool busy() const { return job_.busy(); }

 private:
  LatestJob<FileRequest, ReadContent> job_;
};

}  // namespace attnscope
