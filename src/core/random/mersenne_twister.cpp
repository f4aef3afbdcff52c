#include "core/random/mersenne_twister.h"

namespace attnscope {

MersenneTwister::MersenneTwister(std::uint32_t seed) : block_(std::make_shared_for_overwrite<Block>()) {
  std::uint32_t word = seed;
  block_->state[0] = word;
  for (std::size_t i = 1; i < kWords; ++i) {
    word = 1812433253U * (word ^ (word >> 30U)) + static_cast<std::uint32_t>(i);
    block_->state[i] = word;
  }
}

MersenneTwister::Block& MersenneTwister::own_block() {
  if (block_.use_count() > 1) {
    auto own = std::make_shared_for_overwrite<Block>();
    own->state = block_->state;
    block_ = std::move(own);
  }
  return *block_;
}

std::span<const std::uint32_t> MersenneTwister::next_some(std::size_t most) {
  if (used_ == kWords) {
    Block& block = own_block();
    kernels().twist(block.state.data());
    kernels().temper(block.state.data(), block.draws.data());
    used_ = 0;
  }
  const std::size_t count = std::min(most, kWords - used_);
  used_ += count;
  return std::span<const std::uint32_t>(block_->draws).subspan(used_ - count, count);
}

void MersenneTwister::discard(std::uint64_t draws) {
  const std::uint64_t left = kWords - used_;
  if (draws <= left) {
    used_ += static_cast<std::size_t>(draws);
    return;
  }
  draws -= left;
  Block& block = own_block();
  for (; draws > kWords; draws -= kWords) kernels().twist(block.state.data());
  kernels().twist(block.state.data());
  kernels().temper(block.state.data(), block.draws.data());
  used_ = static_cast<std::size_t>(draws);
}

}  // namespace attnscope
