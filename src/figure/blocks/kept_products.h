// Of aligned matrix products, those that show some tensors: for who speaks of these alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "figure/blocks/aligned_products.h"

namespace attnscope {

/// Keeps the products that show those tensors, as few as that takes, and of their columns those from what the tensors are
/// computed from to the last of them. Keeps everything where nothing shows one of them. Whether it left something out.
bool keep_products_with(std::span<const std::string> tensors, const Trace& trace,
                        std::vector<AlignedProduct>& products);

}  // namespace attnscope
