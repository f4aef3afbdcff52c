// What an experiment keeps of the file of tensors that it names: it can say that the file has changed, and opens when
// the file is gone.
//
//   "tensors_saved": {"fingerprint": "1048576-89abcdef", "tensors": [{"name": "q", "shape": [1, 4, 6, 8]}]}
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/imported_tensors.h"

namespace attnscope {

struct SavedTensors {
  std::string fingerprint;              ///< of the file; see `file_fingerprint`
  std::vector<ImportedTensor> tensors;  ///< those that can be read; none if they are more than kMaxSavedTensors
};

/// The most tensors of a file that are kept.
inline constexpr std::size_t kMaxSavedTensors = 512;

/// Tensors of a file that exists or existed.
class TensorsWithFile : public ImportedTensors {
 public:
  /// Of the file when it was opened; empty if unknown.
  [[nodiscard]] virtual const std::string& fingerprint() const = 0;
  [[nodiscard]] std::string python_name(std::size_t which) const final;
  [[nodiscard]] std::string python_reading(std::span<const std::string> names) const final;
};

/// Size and checksum of a file's beginning, its end and pieces between, a megabyte in all: "1048576-89abcdef". Empty if
/// the file cannot be read.
std::string file_fingerprint(const std::filesystem::path& path);

/// What is kept of these tensors; nothing if they are in no file.
std::optional<SavedTensors> saved_tensors(const ImportedTensors& tensors);

/// The tensors of a file that no longer exists at `path`: everything but their numbers.
std::shared_ptr<const ImportedTensors> missing_tensors(std::string path, SavedTensors saved);

nlohmann::ordered_json saved_tensors_to_json(const SavedTensors& saved);
/// Errors name the place: "tensors_saved.tensors[0].shape: …".
Result<SavedTensors> saved_tensors_from_json(const nlohmann::json& object);

}  // namespace attnscope
