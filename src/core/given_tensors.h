// Tensors of the user's own, which somebody else computed.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace attnscope {

/// A tensor that is there, known by what its file says of it.
struct GivenTensor {
  std::string name;          ///< empty where it has none
  std::vector<Index> shape;  ///< empty: one number
  std::string trouble;       ///< why its numbers cannot be read; empty: they can
};

/// Where the tensors are: a file. Any thread may ask.
class GivenTensors {
 public:
  GivenTensors() = default;
  virtual ~GivenTensors() = default;
  GivenTensors(const GivenTensors&) = delete;
  GivenTensors& operator=(const GivenTensors&) = delete;

  /// As experiments and messages name it.
  [[nodiscard]] virtual const std::string& file() const = 0;
  [[nodiscard]] virtual std::span<const GivenTensor> tensors() const = 0;
  /// Fills `out` with the numbers begin ≤ index < end of tensor `which`, in C order. Fails where the file has changed
  /// or is damaged.
  virtual Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> end,
                            std::span<float> out, const std::stop_token& stop) const = 0;
};

}  // namespace attnscope
