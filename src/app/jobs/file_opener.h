// Reads the files that the user opens beside the window.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "core/base/result.h"
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
    std::variant<ExperimentSource, std::vector<std::string>, ColorPicture, std::shared_ptr<const GivenTensors>>;

struct ReadContent {
  FileRequest request;
  Result<FileContent> content;  ///< errors are one line that begins with the file's name
};

/// What `read_source` reads, once it is known that it can be computed within `memory_budget` bytes and shown: both the
/// experiment and what it is compared with.
Result<ExperimentSource> read_valid_source(const std::string& path, double memory_budget,
                                           const std::stop_token& stop = {});

/// Reads a file here and now.
Result<FileContent> read_content(const FileRequest& request, double memory_budget, const std::stop_token& stop = {});

/// A thread that reads one file at a time. A newer request replaces the one that waits and stops the one under way.
class FileOpener {
 public:
  /// `ready` is called from the thread whenever a file has been read, wanted or not; it must not wait for the owner.
  explicit FileOpener(std::function<void()> ready, double memory_budget = kDefaultMemoryBudget);
  ~FileOpener();
  FileOpener(const FileOpener&) = delete;
  FileOpener& operator=(const FileOpener&) = delete;

  void request(FileRequest request);
  /// Nothing that was asked for is wanted any more.
  void cancel();
  /// The file that was asked for last, once it is read; once.
  std::optional<ReadContent> take();
  /// Waits until there is something to take or nothing to wait for, but no longer than `most`. Whether there is.
  bool wait(std::chrono::microseconds most);
  /// Whether a file is being read or waits.
  [[nodiscard]] bool busy() const;

 private:
  void work(const std::stop_token& ending);

  std::function<void()> ready_;
  double memory_budget_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable read_;
  std::optional<FileRequest> waiting_;
  std::optional<std::stop_source> running_;
  std::optional<ReadContent> done_;
  std::jthread thread_;  // last: it uses what stands above
};

}  // namespace attnscope
