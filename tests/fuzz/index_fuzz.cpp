// A model.safetensors.index.json, and behind a zero byte a file that it may name, given.safetensors. Beside it lie two
// files with the tensors of a small model. What is accepted names nothing outside the folder, and runs.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/trace/run.h"
#include "io/models/model_file.h"
#include "io/models/shard_index.h"
#include "read_everything.h"
#include "support/tensor_bytes.h"

namespace {

namespace fs = std::filesystem;
using attnscope::fuzz::require;

constexpr const char* kConfig = R"({"model_type": "attention-only", "vocab_size": 3, "n_positions": 2, "n_embd": 2,
  "n_layer": 1, "n_head": 1})";

void write(const fs::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// A file of weights, each with as many rows as it says and two columns.
std::string weights_of(const std::map<std::string, int>& rows) {
  std::string header;
  std::vector<float> numbers;
  for (const auto& [name, count] : rows) {
    const std::size_t begin = numbers.size() * sizeof(float);
    for (int i = 0; i < 2 * count; ++i) numbers.push_back(static_cast<float>(i) / 4 - 0.5F);
    header += (header.empty() ? "{" : ", ") +
              attnscope::test::entry_text(
                  name + ".weight", "F32", "[" + std::to_string(count) + ", 2]",
                  "[" + std::to_string(begin) + ", " + std::to_string(numbers.size() * sizeof(float)) + "]");
  }
  return attnscope::test::safetensors_bytes(header + "}", attnscope::test::float_bytes(numbers));
}

/// Removed with everything in it when the program ends.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "attnscope-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr);
    path = name;
    write(path / "config.json", kConfig);
    write(path / "a.safetensors", weights_of({{"embed", 3}, {"positions", 2}, {"layers.0.q", 2}, {"layers.0.k", 2}}));
    write(path / "b.safetensors", weights_of({{"layers.0.v", 2}, {"layers.0.o", 2}, {"unembed", 3}}));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }

  fs::path path;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view text = all.substr(0, all.find('\0'));
  write(folder.path / "model.safetensors.index.json", text);
  write(folder.path / "given.safetensors", all.substr(std::min(all.size(), text.size() + 1)));
  const auto model = attnscope::open_model(folder.path);
  if (!model) {
    // A path with unusual characters is in quotes.
    require(model.error().message.find(folder.path.string()) <= 1);
    require(model.error().message.find('\n') == std::string::npos);
    return 0;
  }
  require(attnscope::parse_shard_index(text).has_value());
  for (const std::string& file : attnscope::files_of_model(**model))
    require(fs::path(file).parent_path() == folder.path && fs::exists(file));
  attnscope::Experiment experiment = attnscope::experiment_on_model(*model);
  experiment.text.ids = {2, 1};
  require(attnscope::run(experiment).has_value());
  return 0;
}
