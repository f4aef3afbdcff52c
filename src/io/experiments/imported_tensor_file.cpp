#include "io/experiments/imported_tensor_file.h"

#include <istream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/imported/imported_layers.h"
#include "io/base/file.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"
#include "io/experiments/labels_in_tensors.h"
#include "io/experiments/saved_tensors.h"
#include "io/models/model_folder.h"
#include "io/tensors/tensor_file.h"

namespace attnscope {
namespace {

class TensorsOfFile final : public TensorsWithFile {
 public:
  /// `saved`: what an experiment kept of it; may be null.
  TensorsOfFile(std::string path, std::shared_ptr<const TensorFile> file, const SavedTensors* saved = nullptr)
      : path_(std::move(path)), file_(std::move(file)) {
    if (const std::filesystem::path where = path_; where.is_absolute()) {
      fingerprint_ = file_fingerprint(where);
      std::error_code error;
      const std::filesystem::path config = where.parent_path() / kConfigFile;
      if (std::filesystem::is_regular_file(config, error)) config_ = config.string();
    }
    for (const TensorEntry& entry : file_->entries())
      tensors_.push_back({printable(entry.name), entry.shape, entry.trouble, entry.name});
    for (const std::string& warning : file_->warnings()) warnings_.push_back(file_->name() + ": " + warning);
    labels_ = labels_in_tensors(*file_, warnings_);
    if (saved != nullptr && saved->fingerprint != fingerprint_)
      warnings_.push_back(file_->name() + ": has changed since the experiment was saved");
  }

  [[nodiscard]] const std::string& file() const override { return path_; }
  [[nodiscard]] const std::string& fingerprint() const override { return fingerprint_; }
  [[nodiscard]] std::span<const ImportedTensor> tensors() const override { return tensors_; }
  [[nodiscard]] std::span<const std::string> warnings() const override { return warnings_; }
  [[nodiscard]] std::span<const ImportedLabels> labels() const override { return labels_; }
  [[nodiscard]] std::string model_config() const override { return config_; }
  Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> end, std::span<float> out,
                    const StopToken& stop) const override {
    return file_->read(which, begin, end, out, stop);
  }

 private:
  std::string path_;
  std::string fingerprint_;
  std::string config_;
  std::shared_ptr<const TensorFile> file_;
  std::vector<ImportedTensor> tensors_;
  std::vector<std::string> warnings_;
  std::vector<ImportedLabels> labels_;
};

/// A path that finds the file from every folder.
std::string absolute_text(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return path.string();
  // After a link to a folder ".." may lead elsewhere than it seems.
  const std::filesystem::path normal = absolute.lexically_normal();
  return (std::filesystem::equivalent(absolute, normal, error) ? normal : absolute).string();
}

}  // namespace

Result<std::shared_ptr<const ImportedTensors>> open_imported_tensors(const std::filesystem::path& path,
                                                                     const SavedTensors* saved) {
  Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(path);
  if (file) return std::make_shared<TensorsOfFile>(absolute_text(path), std::move(*file), saved);
  std::error_code error;
  const bool is_gone = !std::filesystem::exists(std::filesystem::symlink_status(path, error));
  if (is_gone && saved != nullptr && !saved->tensors.empty()) return missing_tensors(absolute_text(path), *saved);
  return tl::unexpected(file.error());
}

namespace {

Result<Experiment> experiment_of(const std::string& name, std::shared_ptr<const TensorFile> file,
                                 const std::filesystem::path& folder) {
  const auto& metadata = file->metadata();
  const auto format = metadata.find("format");
  const auto source = metadata.find("experiment");
  if (format != metadata.end() && format->second == "attnscope-trace/1" && source != metadata.end())
    return parse_experiment(source->second, file->name(), folder);
  return experiment_on(std::make_shared<TensorsOfFile>(name, std::move(file)));
}

}  // namespace

Result<Experiment> experiment_of_tensors(const std::filesystem::path& path) {
  Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(path);
  if (!file) return tl::unexpected(file.error());
  return experiment_of(absolute_text(path), std::move(*file), folder_of(path));
}

Result<Experiment> experiment_of_stream(std::istream& stream) {
  const char* const name = "stdin";
  constexpr std::size_t kChunk = 1U << 20U;
  std::string bytes;
  while (stream && bytes.size() <= kMaxStreamed) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kChunk);
    stream.read(bytes.data() + before, kChunk);
    bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  if (bytes.size() > kMaxStreamed)
    return fail(std::string(name) + ": more than " + std::to_string(kMaxStreamed / 1'000'000) + " MB are not allowed");
  Result<std::shared_ptr<const TensorFile>> file = TensorFile::from_bytes(std::move(bytes), name);
  if (!file) return tl::unexpected(file.error());
  return experiment_of(name, std::move(*file), {});
}

}  // namespace attnscope
