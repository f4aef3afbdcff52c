// Threads that share the blocks of one piece of work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// Sleeping threads that wake for one piece of work at a time, cut into blocks. Each thread takes the next free block:
/// a thread that another program holds up delays nobody but itself. Which thread computes a block makes no difference
/// to its result.
class ThreadPool {
 public:
  /// `threads` in addition to the one that calls `run`; 0: the caller does all the work.
  explicit ThreadPool(unsigned threads = std::max(1U, std::thread::hardware_concurrency()) - 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls `block(0)` … `block(count − 1)`, each once, in any order and on several threads, and returns when all are
  /// done. A call that comes while another is running does all its work itself. What the first block throws, for lack of
  /// memory, the caller gets once no thread works any more; blocks that had not begun are left out.
  void run(Index count, const std::function<void(Index)>& block);

  /// The threads that `run` uses, the caller's among them.
  [[nodiscard]] Index size() const { return static_cast<Index>(threads_.size()) + 1; }

 private:
  void work();
  void take_blocks(const std::function<void(Index)>& block, Index count) noexcept;

  std::mutex caller_;  ///< held while a call is under way
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(Index)>* block_ = nullptr;  ///< of the work under way
  Index count_ = 0;
  std::atomic<std::uint64_t> round_ = 0;  ///< counts the pieces of work
  std::atomic<unsigned> busy_ = 0;        ///< threads that may still touch it
  std::exception_ptr failure_;            ///< what a block threw first
  bool ending_ = false;
  std::atomic<Index> next_{0};
  std::vector<std::thread> threads_;
};

/// Whether that much work (operations in total) is worth waking threads for.
bool worth_waking(double work);

/// Calls `block(0)` … `block(count − 1)` on the pool, or on this thread if there is no pool or the work is not worth
/// waking threads for. Allocates nothing.
template <typename Block>
void run_blocks(ThreadPool* pool, double work, Index count, const Block& block) {
  if (pool != nullptr && count > 1 && worth_waking(work)) {
    pool->run(count, std::cref(block));
    return;
  }
  for (Index i = 0; i < count; ++i) block(i);
}

}  // namespace attnscope
