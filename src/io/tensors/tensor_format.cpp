#include "io/tensors/tensor_format.h"

#include <algorithm>
#include <array>

#include "core/base/python_text.h"
#include "io/base/byte_source.h"
#include "io/base/file_formats.h"
#include "io/base/paths.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

/// A Python function that reads the bytes of a file of any format.
std::string python_load_function(std::span<const TensorFormat> formats) {
  std::string code = "import io\n";
  for (const TensorFormat& format : formats) code += format.python.functions;
  code +=
      "\n"
      "def load(data):\n"
      "    \"\"\"The tensors of a file, whose first bytes reveal its format.\"\"\"\n";
  for (const TensorFormat& format : formats) {
    if (format.python.sniff.empty()) continue;
    code += "    if " + std::string(format.python.sniff) + ":\n" + indented(indented(format.python.from_bytes));
  }
  for (const TensorFormat& format : formats) {
    if (format.python.sniff.empty()) code += indented(format.python.from_bytes);
  }
  return code;
}

}  // namespace

std::span<const TensorFormat> tensor_formats() {
  static const std::array formats = {
      safetensors_format(),
      npy_format(),
      npz_format(),
  };
  return formats;
}

Result<void> check_no_pickle(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 5> kExtensions = {".pt", ".pth", ".bin", ".ckpt", ".pkl"};
  const std::string extension = lower_extension(path);
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) == kExtensions.end()) return {};
  const Result<std::shared_ptr<const ByteSource>> bytes = open_bytes(path);
  if (!bytes) return {};  // the reader of the file says why
  const Result<std::string> head = read_bytes(**bytes, 0, std::min<std::uint64_t>(2, (*bytes)->size()));
  // An archive of torch.save, or a pickle of protocol 2 to 5.
  const bool is_pickle =
      head &&
      (*head == "PK" || (head->size() == 2 && head->front() == '\x80' && head->back() >= 2 && head->back() <= 5));
  if (!is_pickle) return {};
  return fail(path_text(path) +
              ": the file is a Python pickle, which can run any code; in Python, tensors = "
              "torch.load(\"" +
              printable(path.filename().string()) +
              "\", weights_only=True) reads it, and "
              "safetensors.torch.save_file(tensors, \"tensors.safetensors\") or numpy.save(\"attn.npy\", "
              "tensors[name].numpy()) converts it");
}

std::string python_tensor_name(std::string name, const std::string& file, std::span<const TensorFormat> formats) {
  const TensorFormat* const format = find_format(formats, file);
  if (format != nullptr && format->python.names_end_at_zero) name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

std::string python_reading(const std::string& file, std::span<const std::string> names,
                           std::span<const TensorFormat> formats) {
  const std::string path = python_path(file);
  const std::string import_os = needs_os(file) ? "import os\n" : "";
  if (const TensorFormat* const format = find_format(formats, file))
    return import_os + std::string(format->python.functions) + format->python.from_path(path, names);
  const bool streamed = file.find('/') == std::string::npos;
  return import_os + python_load_function(formats) + "\n" + "names = " + python_list(names) +
         (streamed ? "archive = load(sys.stdin.buffer.read())  # attnscope read the tensors from standard input; pipe "
                     "in the same file\n"
                   : "with open(" + path + ", \"rb\") as file:\n    archive = load(file.read())\n") +
         "given = {name: torch.from_numpy(archive[name].astype(\"float32\")) for name in names}\n";
}

}  // namespace attnscope
