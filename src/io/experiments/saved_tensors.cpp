#include "io/experiments/saved_tensors.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>

#include "core/base/stop.h"
#include "io/base/byte_source.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"
#include "io/tensors/tensor_format.h"
#include "io/tensors/tensor_listing.h"

namespace attnscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMaxFingerprintBytes = 64;
constexpr std::size_t kMaxNameBytes = 4096;

class MissingTensors final : public TensorsWithFile {
 public:
  MissingTensors(std::string path, SavedTensors saved)
      : path_(std::move(path)),
        saved_(std::move(saved)),
        warnings_({path_text(path_) + ": no longer exists; its tensors are shown without values"}) {}

  [[nodiscard]] const std::string& file() const override { return path_; }
  [[nodiscard]] const std::string& fingerprint() const override { return saved_.fingerprint; }
  [[nodiscard]] std::span<const ImportedTensor> tensors() const override { return saved_.tensors; }
  [[nodiscard]] std::span<const std::string> warnings() const override { return warnings_; }
  Result<void> read(std::size_t which, std::span<const Index> /*begin*/, std::span<const Index> /*end*/,
                    std::span<float> /*out*/, const StopToken& /*stop*/) const override {
    return fail(path_text(path_) + ": tensor " + shown_name(saved_.tensors[which].name) +
                ": the file no longer exists");
  }

 private:
  std::string path_;
  SavedTensors saved_;
  std::vector<std::string> warnings_;
};

tl::unexpected<Error> wrong_saved(const std::string& field, const json& value, const std::string& allowed) {
  return fail("tensors_saved" + field + ": " + json_excerpt(value) + " is not allowed; allowed: " + allowed);
}

/// Checks that `object` is one with exactly these two members.
Result<void> check_members(const std::string& field, const json& object, const std::string& a, const std::string& b) {
  if (!object.is_object()) return wrong_saved(field, object, "an object with " + a + " and " + b);
  const std::array<std::string, 2> keys = {a, b};
  const std::string place = "tensors_saved" + field + ": ";
  if (Result<void> known = check_keys(object, keys, place); !known) return known;
  for (const std::string& key : keys) {
    if (object.contains(key)) continue;
    std::string message = place;
    message += key;
    message += " is missing";
    return fail(std::move(message));
  }
  return {};
}

Result<ImportedTensor> tensor_from_json(const std::string& field, const json& object) {
  if (const Result<void> right = check_members(field, object, "name", "shape"); !right)
    return tl::unexpected(right.error());
  const json& name = object.at("name");
  if (!name.is_string() || name.get_ref<const std::string&>().size() > kMaxNameBytes)
    return wrong_saved(field + ".name", name, "a string of at most " + std::to_string(kMaxNameBytes) + " bytes");
  const json& shape = object.at("shape");
  const std::string sizes = "a list of at most " + std::to_string(kMaxAxesOfEntry) + " whole numbers from 0 on";
  if (!shape.is_array() || shape.size() > kMaxAxesOfEntry) return wrong_saved(field + ".shape", shape, sizes);
  ImportedTensor tensor = {printable(name.get_ref<const std::string&>()), {}, {}};
  for (const json& size : shape) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > most)
      return wrong_saved(field + ".shape", size, "whole numbers from 0 on");
    tensor.shape.push_back(size.get<Index>());
  }
  if (const Result<Index> bits = count_bits(tensor.shape, 64); !bits)
    return fail("tensors_saved" + field + "." + bits.error().message);
  return tensor;
}

}  // namespace

std::string TensorsWithFile::python_name(std::size_t which) const {
  return python_tensor_name(ImportedTensors::python_name(which), file());
}

std::string TensorsWithFile::python_reading(std::span<const std::string> names) const {
  return attnscope::python_reading(file(), names);
}

std::string file_fingerprint(const std::filesystem::path& path) {
  constexpr std::uint64_t piece = 65'536;
  constexpr std::uint64_t pieces = 16;
  const Result<std::shared_ptr<const ByteSource>> file = open_bytes(path);
  if (!file) return {};
  const std::uint64_t size = (*file)->size();
  const bool whole = size <= piece * pieces;
  uLong sum = crc32_z(0, nullptr, 0);
  for (std::uint64_t i = 0; i < (whole ? 1 : pieces); ++i) {
    // Avoids products of two large numbers.
    const std::uint64_t at =
        whole ? 0 : (size - piece) / (pieces - 1) * i + (size - piece) % (pieces - 1) * i / (pieces - 1);
    const Result<std::string> bytes = read_bytes(**file, at, whole ? size : piece);
    if (!bytes) return {};
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(bytes->data()), bytes->size());
  }
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08lx", sum & 0xffffffffUL);
  return std::to_string(size) + "-" + digits.data();
}

std::optional<SavedTensors> saved_tensors(const ImportedTensors& tensors) {
  const auto* const with_file = dynamic_cast<const TensorsWithFile*>(&tensors);
  if (with_file == nullptr || with_file->fingerprint().empty()) return std::nullopt;
  SavedTensors saved = {with_file->fingerprint(), {}};
  for (const ImportedTensor& tensor : tensors.tensors()) {
    if (!tensor.trouble.empty() || tensor.name.size() > kMaxNameBytes) continue;
    if (saved.tensors.size() == kMaxSavedTensors) {
      saved.tensors.clear();
      break;
    }
    saved.tensors.push_back(tensor);
  }
  return saved;
}

std::shared_ptr<const ImportedTensors> missing_tensors(std::string path, SavedTensors saved) {
  return std::make_shared<MissingTensors>(std::move(path), std::move(saved));
}

ordered_json saved_tensors_to_json(const SavedTensors& saved) {
  ordered_json tensors = ordered_json::array();
  for (const ImportedTensor& tensor : saved.tensors)
    tensors.push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  return {{"fingerprint", saved.fingerprint}, {"tensors", std::move(tensors)}};
}

Result<SavedTensors> saved_tensors_from_json(const json& object) {
  if (const Result<void> right = check_members("", object, "fingerprint", "tensors"); !right)
    return tl::unexpected(right.error());
  const json& fingerprint = object.at("fingerprint");
  if (!fingerprint.is_string() || fingerprint.get_ref<const std::string&>().size() > kMaxFingerprintBytes) {
    return wrong_saved(".fingerprint", fingerprint,
                       "a string of at most " + std::to_string(kMaxFingerprintBytes) + " bytes");
  }
  const json& tensors = object.at("tensors");
  if (!tensors.is_array() || tensors.size() > kMaxSavedTensors)
    return wrong_saved(".tensors", tensors, "a list of at most " + std::to_string(kMaxSavedTensors) + " objects");
  SavedTensors saved = {fingerprint.get<std::string>(), {}};
  for (const json& each : tensors) {
    Result<ImportedTensor> tensor = tensor_from_json(".tensors[" + std::to_string(saved.tensors.size()) + "]", each);
    if (!tensor) return tl::unexpected(tensor.error());
    saved.tensors.push_back(std::move(*tensor));
  }
  return saved;
}

}  // namespace attnscope
