// Memory for the numbers of tensors, used again from one computation to the next.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace attnscope {

/// A piece of memory for float32 numbers, aligned to 64 bytes.
struct MemoryBlock {
  float* data = nullptr;
  std::size_t bytes = 0;
};

/// A block of `bytes`. Throws std::bad_alloc.
MemoryBlock allocate_block(std::size_t bytes);
/// A block of `bytes` or more for data that is traversed again and again. It lies in huge pages: adjacent parts do not
/// evict each other from the caches.
MemoryBlock allocate_work_space(std::size_t bytes);
void release_block(MemoryBlock block);

/// Keeps large blocks for the next tensor of about that size: the system hands out fresh memory page by page, as it is
/// first written, which takes longer than many a computation. Any thread may take and give.
class MemoryStore {
 public:
  MemoryStore() = default;
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// At least `bytes`, with any content. Throws std::bad_alloc.
  MemoryBlock take(std::size_t bytes);
  void give(MemoryBlock block);

  /// Keeps at most `bytes` of unused memory, and frees whatever exceeds that, now and later.
  void keep_at_most(std::size_t bytes);
  /// Bytes of unused memory.
  [[nodiscard]] std::size_t kept() const;

 private:
  void let_go_down_to(std::size_t bytes);

  mutable std::mutex mutex_;
  std::vector<MemoryBlock> unused_;  ///< oldest first
  std::size_t unused_bytes_ = 0;
  std::size_t most_unused_ = 0;
};

/// Numbers in memory that they own, or in a block of a store, to which it returns.
class Numbers {
 public:
  Numbers() = default;
  /// With any content. `store` may be null. Throws std::bad_alloc.
  Numbers(std::size_t count, std::shared_ptr<MemoryStore> store);
  /// Numbers that belong to somebody else, read-only; `owner` keeps them alive.
  Numbers(std::span<const float> others, std::shared_ptr<const void> owner);
  /// Numbers that belong to somebody else, who keeps them alive. A copy owns its memory.
  explicit Numbers(std::span<float> others);
  ~Numbers();
  Numbers(const Numbers& other);
  Numbers(Numbers&& other) noexcept;
  Numbers& operator=(Numbers other) noexcept;

  [[nodiscard]] std::span<float> values() {
    assert(!read_only_);
    return {block_.data, count_};
  }
  [[nodiscard]] std::span<const float> values() const { return {block_.data, count_}; }

 private:
  MemoryBlock block_;
  std::size_t count_ = 0;
  std::shared_ptr<MemoryStore> store_;
  std::shared_ptr<const void> owner_;  ///< of memory that belongs to somebody else
  bool is_ours_ = false;
  bool read_only_ = false;
};

}  // namespace attnscope
