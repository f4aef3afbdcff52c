// A web page has one thread: whoever calls does all the work.
#include "core/base/thread_pool.h"

namespace attnscope {

ThreadPool::ThreadPool(unsigned /*threads*/) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(Index count, const std::function<void(Index)>& block) {
  for (Index i = 0; i < count; ++i) block(i);
}

bool worth_waking(double /*work*/) { return false; }

}  // namespace attnscope
