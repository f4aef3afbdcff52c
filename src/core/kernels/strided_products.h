// A contraction as matrix products with strides.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <functional>
#include <span>

#include "core/kernels/contraction.h"

namespace attnscope {

/// A short list of labels without allocation.
class Labels {
 public:
  void push_back(const ContractionLabel& label) {
    assert(count_ < kMaxContractionLabels);
    labels_[count_++] = label;
  }
  void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] ContractionLabel& operator[](std::size_t at) { return labels_[at]; }
  [[nodiscard]] ContractionLabel* begin() { return labels_.data(); }
  [[nodiscard]] ContractionLabel* end() { return labels_.data() + count_; }
  [[nodiscard]] const ContractionLabel* begin() const { return labels_.data(); }
  [[nodiscard]] const ContractionLabel* end() const { return labels_.data() + count_; }

  /// The product of their sizes.
  [[nodiscard]] Index places() const {
    Index product = 1;
    for (const ContractionLabel& label : *this) product *= label.size;
    return product;
  }

 private:
  std::array<ContractionLabel, kMaxContractionLabels> labels_;
  std::size_t count_ = 0;
};

/// Quotient and remainder, without a division in the common cases: a divisor of 1, or larger than the dividend.
struct Quotient {
  Index whole = 0;
  Index rest = 0;
};

inline Quotient divide(Index number, Index by) {
  if (number < by) return {0, number};
  if (by == 1) return {number, 0};
  return {number / by, number % by};
}

/// The offsets of an outer-loop iteration in each tensor.
struct Place {
  Index a = 0;
  Index b = 0;
  Index out = 0;
  Index start = 0;
};

/// The offsets of iteration `number` over the labels; the last label varies fastest.
Place place_of(const Labels& labels, Index number);

/// A contraction as matrix products: one right factor per iteration of `rights`, multiplied with one left factor per
/// iteration of `repeats`; each element is the sum over `sums`, one product after the other.
struct Products {
  const float* a = nullptr;
  const float* b = nullptr;
  float* out = nullptr;
  const float* start = nullptr;
  ContractionLabel row, column, sum;
  Labels rights, repeats, sums;
  double flops = 2;
  float divisor = 1;
  bool fused = false;
  bool streamed = false;
  const RowSink* made = nullptr;
};

/// The products that make the contraction with those labels; see `contract_strided`.
Products products_of(std::span<const ContractionLabel> labels, const float* a, const float* b, float* out);

/// Called from several threads; remembers a positive answer.
class Stopped {
 public:
  explicit Stopped(const std::function<bool()>& asked) : asked_(asked) {}
  bool operator()() {
    if (!stopped_ && asked_()) stopped_ = true;
    return stopped_;
  }

 private:
  const std::function<bool()>& asked_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace attnscope
