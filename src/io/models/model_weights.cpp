#include "io/models/model_weights.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/python_text.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "io/base/printable.h"
#include "io/tensors/tensor_file.h"
#include "io/tensors/tensor_format.h"

namespace attnscope {
namespace {

std::string kind_trouble(const TensorEntry& entry) {
  constexpr std::array<std::string_view, 4> weights = {"F32", "F16", "BF16", "F64"};
  if (!entry.trouble.empty()) return entry.trouble;
  if (std::find(weights.begin(), weights.end(), entry.type) != weights.end()) return {};
  return "its numbers are " + printable(entry.type) + "; allowed for weights: F32, F16, BF16, F64";
}

class ModelWeights final : public ImportedTensors {
 public:
  explicit ModelWeights(const ModelFolder& folder) : name_(folder.path.string()) {}

  /// Adds those of `names` to the tensors, all if there are none.
  Result<void> add(const std::filesystem::path& path, const std::vector<std::string>& names) {
    Result<std::shared_ptr<const TensorFile>> file = TensorFile::open(path);
    if (!file) return tl::unexpected(file.error());
    const std::set<std::string_view> wanted(names.begin(), names.end());
    std::size_t found = 0;
    const std::span<const TensorEntry> entries = (*file)->entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!wanted.empty() && !wanted.contains(entries[i].name)) continue;
      ++found;
      tensors_.push_back({printable(entries[i].name), entries[i].shape, kind_trouble(entries[i]), entries[i].name});
      places_.push_back({files_.size(), i});
    }
    if (found < wanted.size()) {
      const auto missing =
          std::find_if(names.begin(), names.end(), [&](const std::string& name) { return !(*file)->find(name); });
      return fail(path_text(path) + ": the tensor " + quoted_text(*missing) +
                  " is missing, although the index lists it here");
    }
    for (const std::string& warning : (*file)->warnings()) warnings_.push_back((*file)->name() + ": " + warning);
    files_.push_back({path.string(), std::move(*file)});
    return {};
  }

  [[nodiscard]] const std::string& file() const override { return files_.size() == 1 ? files_.front().path : name_; }
  [[nodiscard]] std::span<const ImportedTensor> tensors() const override { return tensors_; }
  [[nodiscard]] std::span<const std::string> warnings() const override { return warnings_; }
  [[nodiscard]] std::string type(std::size_t which) const override {
    const Place& place = places_[which];
    return printable(files_[place.file].tensors->entries()[place.entry].type);
  }
  Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> end, std::span<float> out,
                    const StopToken& stop) const override {
    const Place& place = places_[which];
    return files_[place.file].tensors->read(place.entry, begin, end, out, stop);
  }
  [[nodiscard]] std::string python_reading(std::span<const std::string> names) const override;

 private:
  struct File {
    std::string path;
    std::shared_ptr<const TensorFile> tensors;
  };
  struct Place {
    std::size_t file;
    std::size_t entry;
  };

  std::string name_;
  std::vector<File> files_;
  std::vector<ImportedTensor> tensors_;
  std::vector<Place> places_;
  std::vector<std::string> warnings_;
};

std::string ModelWeights::python_reading(std::span<const std::string> names) const {
  std::string code;
  bool uses_os = false;
  for (const File& file : files_) {
    std::vector<std::string> inside;
    // Other shards may have a tensor of the same name, which the index does not mean.
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const bool is_wanted = std::ranges::find(names, tensors_[i].name) != names.end();
      if (is_wanted && &files_[places_[i].file] == &file) inside.push_back(tensors_[i].name);
    }
    if (inside.empty()) continue;
    uses_os = uses_os || needs_os(file.path);
    code += "names = " + python_list(inside) + "with open(" + python_path(file.path) +
            ", \"rb\") as file:\n    given.update(stored_tensors(file, names))\n";
  }
  return (uses_os ? "import os\n" : "") + std::string(python_safetensors_reader()) + "given = {}\n" + code +
         "given = {name: torch.from_numpy(numbers) for name, numbers in given.items()}\n";
}

}  // namespace

Result<std::shared_ptr<const ImportedTensors>> open_model_weights(const ModelFolder& folder) {
  auto weights = std::make_shared<ModelWeights>(folder);
  for (const auto& [file, names] : folder.shards) {
    if (const Result<void> added = weights->add(folder.weights / file, names); !added)
      return tl::unexpected(added.error());
  }
  return weights;
}

}  // namespace attnscope
