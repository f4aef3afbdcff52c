// Tensors of the user's own, which somebody else computed.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

/// A tensor that is there, known by what its file says of it.
struct ImportedTensor {
  std::string name;          ///< empty where it has none
  std::vector<Index> shape;  ///< empty: one number
  std::string trouble;       ///< why its numbers cannot be read; empty: they can
  /// The name as it stands in the file, any bytes, where `name` had to be made fit to be shown; empty: it is `name`.
  std::string stored_name = {};
};

/// Which tensors go together; private to imported_tensors_system.cpp.
struct TensorSets;

/// Where the tensors are: a file. They stay the same. Any thread may ask.
class ImportedTensors {
 public:
  ImportedTensors() = default;
  virtual ~ImportedTensors() = default;
  ImportedTensors(const ImportedTensors&) = delete;
  ImportedTensors& operator=(const ImportedTensors&) = delete;

  /// As experiments and messages name it.
  [[nodiscard]] virtual const std::string& file() const = 0;
  [[nodiscard]] virtual std::span<const ImportedTensor> tensors() const = 0;
  /// What the user should know about the file, a line each that names it: bytes that belong to nothing, members that
  /// were left out.
  [[nodiscard]] virtual std::span<const std::string> warnings() const { return {}; }
  /// Fills `out` with the numbers begin ≤ index < end of tensor `which`, in C order. Fails where the file has changed
  /// or is damaged, with a line that names file, tensor and reason.
  virtual Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> end,
                            std::span<float> out, const StopToken& stop) const = 0;

  /// What their names say, worked out when it is first asked for.
  [[nodiscard]] const TensorSets& sets() const;

 private:
  mutable std::once_flag sets_made_;
  mutable std::shared_ptr<const TensorSets> sets_;
};

}  // namespace attnscope
