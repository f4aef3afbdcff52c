// Reads the files that the user opens beside the window.
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
#include "core/experiment/picture.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {

/// What a file is opened as.
enum class FileKind {
  source,   ///< an experiment, a figure or a trace of one, or tensors: whatever `read_source` reads
  labels,   ///< of tokens
  picture,  ///< a PNG for the pixels
  tensors,  ///< of the experiment that is open
  any,      ///< one of the first three: what it is, is known by its name and content
};

struct FileRequest {
  std::string path;
  FileKind kind = FileKind::source;

  friend bool operator==(const FileRequest&, const FileRequest&) = default;
};

/// What was in it: of the kind that was asked for or found out, in the order of FileKind.
using FileContent =
    std::variant<ExperimentSource, std::vector<std::string>, ColorPicture, std::shared_ptr<const ImportedTensors>>;

struct ReadContent {
  FileRequest request;
  Result<FileContent> content;  ///< errors are one line that begins with the file's name
};

/// What `read_source` reads, once it is known that it can be computed within `memory_budget` bytes and shown: both the
/// experiment and what it is compared with.
Result<ExperimentSource> read_valid_source(const std::string& path, double memory_budget, const StopToken& stop = {});

/// Reads a file here and now.
Result<FileContent> read_content(const FileRequest& request, double memory_budget, const StopToken& stop = {});

/// A thread that reads one file at a time. A newer request replaces the one that waits and stops the one under way.
class FileOpener {
 public:
  /// `ready` is called from the thread whenever a file has been read, wanted or not; it must not wait for the owner.
  explicit FileOpener(std::function<void()> ready, double memory_budget = kDefaultMemoryBudget);

  void request(FileRequest request);
  /// Nothing that was asked for is wanted any more.
  void cancel() { job_.cancel(); }
  /// The file that was asked for last, once it is read; once.
  std::optional<ReadContent> take() { return job_.take(); }
  /// Waits until there is something to take or nothing to wait for, but no longer than `most`. Whether there is.
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
