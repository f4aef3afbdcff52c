#include "core/imported/script_imported.h"

#include <algorithm>
#include <vector>

#include "core/base/text.h"

namespace attnscope {
namespace {

/// How the script reads the file. Other extensions, and standard input, are recognized by their first bytes.
enum class ImportedFormat { safetensors, npy, npz, by_content };

ImportedFormat format_of(const std::string& file) {
  const auto ends = [&](std::string_view ending) {
    const auto same = [](char c, char lower) { return c == lower || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == lower); };
    return file.size() >= ending.size() && std::equal(ending.begin(), ending.end(), file.end() - std::ssize(ending),
                                                      [&](char lower, char c) { return same(c, lower); });
  };
  if (ends(".safetensors")) return ImportedFormat::safetensors;
  if (ends(".npy")) return ImportedFormat::npy;
  return ends(".npz") ? ImportedFormat::npz : ImportedFormat::by_content;
}

/// The name under which Python finds a tensor.
std::string key_of(const ImportedTensors& given, std::size_t which) {
  const ImportedTensor& tensor = given.tensors()[which];
  std::string name = tensor.stored_name.empty() ? tensor.name : tensor.stored_name;
  // Python ends names in archives at a zero byte.
  if (format_of(given.file()) == ImportedFormat::npz) name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

constexpr const char* kByContent = R"(
import io

def load(data):
    """The tensors of a file, whose first bytes reveal its format."""
    if data.startswith(b"\x93NUMPY"):
        return {"": np.load(io.BytesIO(data))}
    if data.startswith(b"PK"):
        return np.load(io.BytesIO(data))
    from safetensors.torch import load as load_safetensors

    return {name: tensor.float().numpy() for name, tensor in load_safetensors(data).items()}
)";

}  // namespace

std::string imported_code(const LayerTensor& tensor) {
  const ImportOperation& given = tensor.numbers;
  std::string code = "given[" + python_text(key_of(*given.from, given.which)) + "]";
  std::vector<std::string> at;
  std::vector<int> kept;
  for (std::size_t axis = 0; axis < given.at.size(); ++axis) {
    const auto number = static_cast<int>(axis);
    const bool stays = std::find(given.axes.begin(), given.axes.end(), number) != given.axes.end();
    at.push_back(stays ? ":" : std::to_string(given.at[axis]));
    if (stays) kept.push_back(number);
  }
  if (kept.size() < given.at.size()) code += "[" + join(at, ", ") + "]";
  std::vector<std::string> order;
  for (const int axis : given.axes)
    order.push_back(std::to_string(std::find(kept.begin(), kept.end(), axis) - kept.begin()));
  if (!std::is_sorted(given.axes.begin(), given.axes.end())) code += ".permute(" + join(order, ", ") + ")";
  return code;
}

void write_imported(Script& s, const std::set<std::size_t>& which) {
  const ImportedTensors& given = *s.experiment().tensors;
  const ImportedFormat format = format_of(given.file());
  const std::string path = python_path(given.file());
  if (needs_os(given.file())) s.code("import os");
  if (format == ImportedFormat::npy) {
    s.code("given = {\"\": torch.from_numpy(np.load(" + path + ").astype(\"float32\"))}");
    return;
  }
  std::vector<std::string> names;
  names.reserve(which.size());
  for (const std::size_t each : which) names.push_back(key_of(given, each));
  const std::string list = "names = " + python_list(names);
  if (format == ImportedFormat::safetensors) {
    s.code("from safetensors import safe_open\n\n" + list + "with safe_open(" + path +
           ", \"pt\") as file:\n    given = {name: file.get_tensor(name).float() for name in names}");
    return;
  }
  if (format == ImportedFormat::npz) {
    s.code(list + "archive = np.load(" + path + ")");
    if (!std::all_of(names.begin(), names.end(), is_ascii)) {
      s.code(R"(
# Unless an archive marks its names as UTF-8, Python decodes them as code page 437.
stored = {name: name.encode("utf-8", "surrogateescape").decode("cp437") for name in names}
archive = {name: archive[name if name in archive else stored[name]] for name in names}
)");
    }
  } else {
    s.code(kByContent);
    s.empty_line();
    s.code(list);
    // Standard input has a display name instead of a path.
    const bool streamed = given.file().find('/') == std::string::npos;
    s.code(streamed ? "archive = load(sys.stdin.buffer.read())  # attnscope read the tensors from standard input; pipe "
                      "in the same file"
                    : "with open(" + path + ", \"rb\") as file:\n    archive = load(file.read())");
  }
  s.code("given = {name: torch.from_numpy(archive[name].astype(\"float32\")) for name in names}");
}

}  // namespace attnscope
