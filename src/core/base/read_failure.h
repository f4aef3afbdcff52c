// Why reading numbers from a file failed.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace attnscope {

/// Why numbers could not be read: one line that names file, tensor and reason; nothing if all could be read. The first
/// failure stays. Any thread may ask and report.
class ReadFailure {
 public:
  void note(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (count_ == 0) message_ = message;
    ++count_;
  }
  /// The number of failures.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool any() const { return count_ > 0; }
  [[nodiscard]] std::optional<std::string> message() const {
    if (!any()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    return message_;
  }

 private:
  std::atomic<std::uint64_t> count_ = 0;
  mutable std::mutex mutex_;
  std::string message_;
};

}  // namespace attnscope
