// Products of a few rows with a matrix that is read only once, and therefore not packed.
#pragma once

#include "core/base/thread_pool.h"
#include "core/kernels/strided_products.h"

namespace attnscope {

/// Whether the products have so few rows that packing the right factor would take longer than reading it.
bool has_few_rows(const Products& products);

/// Computes products for which `has_few_rows` is true. The bits are those of `multiply_packed`.
void multiply_few_rows(const Products& products, ThreadPool* pool, Stopped& stopped);

}  // namespace attnscope
