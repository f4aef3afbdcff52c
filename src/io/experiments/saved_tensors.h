// What an experiment keeps of the file of tensors that it names: so that it says so when the file has changed, and
// opens when it is gone.
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
  std::vector<ImportedTensor> tensors;  ///< those that could be read; none where they were more than kMaxSavedTensors
};

/// So many tensors of a file are kept.
inline constexpr std::size_t kMaxSavedTensors = 512;

/// Tensors of a file, or of one that was there once.
class TensorsWithFile : public ImportedTensors {
 public:
  /// Of the file as it was when it was opened; empty where that is not known.
  [[nodiscard]] virtual const std::string& fingerprint() const = 0;
  [[nodiscard]] std::string python_name(std::size_t which) const final;
  [[nodiscard]] std::string python_reading(std::span<const std::string> names) const final;
};

/// Size and checksum of a file's beginning, its end and pieces between, a megabyte together: "1048576-89abcdef". Empty
/// where it cannot be read.
std::string file_fingerprint(const std::filesystem::path& path);

/// What is kept of them; nothing where they are of no file.
std::optional<SavedTensors> saved_tensors(const ImportedTensors& tensors);

/// The tensors of a file at `path` that is not there any more: all but their numbers.
std::shared_ptr<const ImportedTensors> missing_tensors(std::string path, SavedTensors saved);

nlohmann::ordered_json saved_tensors_to_json(const SavedTensors& saved);
/// Errors name the place: "tensors_saved.tensors[0].shape: …".
Result<SavedTensors> saved_tensors_from_json(const nlohmann::json& object);

}  // namespace attnscope
