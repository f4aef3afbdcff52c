// Imported tensors: tensors that another program computed and saved.
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

/// One tensor of a file, as the file describes it.
struct ImportedTensor {
  std::string name;          ///< empty if it has none
  std::vector<Index> shape;  ///< empty: a scalar
  std::string trouble;       ///< why its numbers cannot be read; empty if they can
  /// The name in the file, as raw bytes, if `name` was changed for display; otherwise empty.
  std::string stored_name = {};
};

/// A list of token labels in a file, or one list for each batch item.
struct ImportedLabels {
  std::string name;                             ///< as in the file: "tokens", "key_labels"
  bool per_item = false;                        ///< whether `items` are those of the batch; otherwise it has one list
  std::vector<std::vector<std::string>> items;  ///< [batch item][token]
};

/// The most token labels that a file may have in all.
inline constexpr std::size_t kMaxImportedLabels = 1'000'000;

/// Which tensors belong together; private to core/imported.
struct TensorSets;

/// The tensors of one file. Immutable; may be used from any thread.
class ImportedTensors {
 public:
  ImportedTensors() = default;
  virtual ~ImportedTensors() = default;
  ImportedTensors(const ImportedTensors&) = delete;
  ImportedTensors& operator=(const ImportedTensors&) = delete;

  /// The file name, as experiments and messages show it.
  [[nodiscard]] virtual const std::string& file() const = 0;
  [[nodiscard]] virtual std::span<const ImportedTensor> tensors() const = 0;
  /// Warnings about the file, one line each with the file name: bytes that belong to no tensor, skipped members.
  [[nodiscard]] virtual std::span<const std::string> warnings() const { return {}; }
  /// The lists of texts in the file, whatever their names; see imported_labels.h.
  [[nodiscard]] virtual std::span<const ImportedLabels> labels() const { return {}; }
  /// The config.json in the same folder, where the file may be part of a model; empty if there is none.
  [[nodiscard]] virtual std::string model_config() const { return {}; }
  /// The type of the numbers of tensor `which` in the file: "F32", "BF16", …; empty: not known.
  [[nodiscard]] virtual std::string type(std::size_t /*which*/) const { return {}; }
  /// Fills `out` with the numbers begin ≤ index < end of tensor `which`, in C order. Fails if the file has changed or
  /// is damaged; the message names file, tensor and reason.
  virtual Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> end,
                            std::span<float> out, const StopToken& stop) const = 0;
  /// The name under which Python finds tensor `which` in the file.
  [[nodiscard]] virtual std::string python_name(std::size_t which) const {
    const ImportedTensor& tensor = tensors()[which];
    return tensor.stored_name.empty() ? tensor.name : tensor.stored_name;
  }
  /// Python statements that define `given`: the tensors of these Python names as torch tensors of float32.
  [[nodiscard]] virtual std::string python_reading(std::span<const std::string> names) const = 0;

  /// The groups that their names suggest, computed on first use.
  [[nodiscard]] const TensorSets& sets() const;

 private:
  mutable std::once_flag sets_made_;
  mutable std::shared_ptr<const TensorSets> sets_;
};

}  // namespace attnscope
