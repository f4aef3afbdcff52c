#include "core/base/thread_pool.h"

#include <chrono>
#include <utility>

namespace attnscope {
namespace {

// About a tenth of a millisecond; waking threads costs a few hundredths.
constexpr double kWorthWaking = 1e6;

// A sleeping thread takes some hundredths of a millisecond to wake, and most work is followed by more: a thread polls
// for this long before it sleeps. Between two products of a trained model's layer, one thread alone needs up to two
// tenths of a millisecond.
constexpr std::chrono::microseconds kLookout{200};

/// Leaves the core to its other thread for a moment, where two share one.
void make_way() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Polls until `done`, for a short time only.
template <typename Done>
void look_out(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kLookout;
  while (!done() && std::chrono::steady_clock::now() < end) make_way();
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::take_blocks(const std::function<void(Index)>& block, Index count) noexcept {
  try {
    for (Index i = next_.fetch_add(1); i < count; i = next_.fetch_add(1)) block(i);
  } catch (...) {
    next_ = count;
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::current_exception();
  }
}

void ThreadPool::work() {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ending_ || (round_ != seen && block_ != nullptr); });
    if (ending_) return;
    seen = round_;
    ++busy_;
    const std::function<void(Index)>& block = *block_;
    const Index count = count_;
    lock.unlock();
    take_blocks(block, count);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
    lock.unlock();
    look_out([&] { return round_ != seen; });
    lock.lock();
  }
}

void ThreadPool::run(Index count, const std::function<void(Index)>& block) {
  const std::unique_lock caller(caller_, std::try_to_lock);
  if (threads_.empty() || count <= 1 || !caller) {
    for (Index i = 0; i < count; ++i) block(i);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    block_ = &block;
    count_ = count;
    next_ = 0;
    ++round_;
  }
  wake_.notify_all();
  take_blocks(block, count);
  look_out([&] { return busy_ == 0; });
  std::unique_lock lock(mutex_);
  // A thread that wakes only now finds nothing to do.
  block_ = nullptr;
  done_.wait(lock, [&] { return busy_ == 0; });
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  lock.unlock();
  if (failure != nullptr) std::rethrow_exception(failure);
}

bool worth_waking(double work) { return work >= kWorthWaking; }

}  // namespace attnscope
