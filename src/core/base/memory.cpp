#include "core/base/memory.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/memory_size.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace attnscope {
namespace {

constexpr std::size_t kAlignment = 64;
// Smaller pieces are quick to get from the allocator.
constexpr std::size_t kWorthKeeping = std::size_t{1} << 17U;
// Pieces of at least one are aligned to one, and the system is asked for such pages: 512 times fewer faults, and reading
// does not stop at every small page.
constexpr std::size_t kHugePage = std::size_t{1} << 21U;
// Work space that is smaller is not worth a huge page, and a tensor that is smaller would waste too much of it.
constexpr std::size_t kNearlyHuge = kHugePage / 8;
constexpr std::size_t kMostOfHugePage = kHugePage / 4 * 3;

std::size_t round_up(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

std::size_t alignment_of(std::size_t bytes) { return bytes >= kHugePage ? kHugePage : kAlignment; }

}  // namespace

MemoryBlock allocate_block(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  void* const data = operator new(bytes, std::align_val_t(alignment));
#if defined(__linux__)
  // A hint: without it everything works, only slower.
  if (alignment == kHugePage) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return {static_cast<float*>(data), bytes};
}

MemoryBlock allocate_work_space(std::size_t bytes) {
  return allocate_block(bytes >= kNearlyHuge ? round_up(bytes, kHugePage) : bytes);
}

void release_block(MemoryBlock block) { operator delete(block.data, std::align_val_t(alignment_of(block.bytes))); }

MemoryStore::~MemoryStore() { let_go_down_to(0); }

MemoryBlock MemoryStore::take(std::size_t bytes) {
  if (bytes < kWorthKeeping) return allocate_block(bytes);
  {
    const std::lock_guard lock(mutex_);
    // The smallest that is large enough, unless most of it would be wasted.
    auto best = unused_.end();
    for (auto it = unused_.begin(); it != unused_.end(); ++it) {
      if (it->bytes >= bytes && it->bytes <= bytes + bytes / 2 && (best == unused_.end() || it->bytes < best->bytes))
        best = it;
    }
    if (best != unused_.end()) {
      const MemoryBlock block = *best;
      unused_.erase(best);
      unused_bytes_ -= block.bytes;
      return block;
    }
  }
  return allocate_block(round_up(bytes, bytes < kHugePage && bytes >= kMostOfHugePage ? kHugePage : 4096));
}

void MemoryStore::give(MemoryBlock block) {
  if (block.bytes < kWorthKeeping) return release_block(block);
  const std::lock_guard lock(mutex_);
  unused_.push_back(block);
  unused_bytes_ += block.bytes;
  let_go_down_to(most_unused_);
}

void MemoryStore::keep_at_most(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  most_unused_ = bytes;
  let_go_down_to(bytes);
}

std::size_t MemoryStore::kept() const {
  const std::lock_guard lock(mutex_);
  return unused_bytes_;
}

void MemoryStore::let_go_down_to(std::size_t bytes) {
  std::size_t count = 0;
  while (unused_bytes_ > bytes) {
    release_block(unused_[count]);
    unused_bytes_ -= unused_[count].bytes;
    ++count;
  }
  unused_.erase(unused_.begin(), unused_.begin() + static_cast<std::ptrdiff_t>(count));
}

Numbers::Numbers(std::size_t count, std::shared_ptr<MemoryStore> store) : count_(count), store_(std::move(store)) {
  if (count == 0) return;
  const std::size_t bytes = memory_size(std::uint64_t{count} * sizeof(float));
  block_ = store_ ? store_->take(bytes) : allocate_block(bytes);
  is_ours_ = true;
}

Numbers::Numbers(std::span<const float> others, std::shared_ptr<const void> owner)
    // Never written through: `values` of what is not const refuses.
    : block_{const_cast<float*>(others.data()), 0}, count_(others.size()), owner_(std::move(owner)), read_only_(true) {}

Numbers::Numbers(std::span<float> others) : block_{others.data(), 0}, count_(others.size()) {}

Numbers::~Numbers() {
  if (!is_ours_) return;
  if (store_) {
    store_->give(block_);
  } else {
    release_block(block_);
  }
}

Numbers::Numbers(const Numbers& other) : Numbers(other.count_, other.store_) {
  std::copy(other.values().begin(), other.values().end(), values().begin());
}

Numbers::Numbers(Numbers&& other) noexcept
    : block_(std::exchange(other.block_, {})),
      count_(std::exchange(other.count_, 0)),
      store_(std::move(other.store_)),
      owner_(std::move(other.owner_)),
      is_ours_(std::exchange(other.is_ours_, false)),
      read_only_(std::exchange(other.read_only_, false)) {}

Numbers& Numbers::operator=(Numbers other) noexcept {
  std::swap(block_, other.block_);
  std::swap(count_, other.count_);
  std::swap(store_, other.store_);
  std::swap(owner_, other.owner_);
  std::swap(is_ours_, other.is_ours_);
  std::swap(read_only_, other.read_only_);
  return *this;
}

}  // namespace attnscope
