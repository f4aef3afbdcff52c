#include "io/tensors/tensor_format.h"

#include <algorithm>
#include <array>

#include "core/base/python_text.h"
#include "io/base/file_formats.h"

namespace attnscope {
namespace {

/// A Python function that reads the bytes of a file of any format.
std::string python_load_function(std::span<const TensorFormat> formats) {
  std::string code =
      "import io\n"
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
    return import_os + format->python.from_path(path, names);
  const bool streamed = file.find('/') == std::string::npos;
  return import_os + python_load_function(formats) + "\n" + "names = " + python_list(names) +
         (streamed ? "archive = load(sys.stdin.buffer.read())  # attnscope read the tensors from standard input; pipe "
                     "in the same file\n"
                   : "with open(" + path + ", \"rb\") as file:\n    archive = load(file.read())\n") +
         "given = {name: torch.from_numpy(archive[name].astype(\"float32\")) for name in names}\n";
}

}  // namespace attnscope
