// Scripts of experiments whose texts are somebody else's: labels, names of tensors, paths. Each is compared with the
// script of the same experiment with harmless texts: outside of literals both must be the same, and the literals must
// say what was put in. What a literal is and says, a reader of Python's literals finds out that shares nothing with the
// writer.
//
// ATTNSCOPE_FUZZ_CASES names a file that thousands of the scripts are added to, for
// tests/support/python/same_scripts.py, which has Python's own parser read them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/stop.h"
#include "core/experiment/experiment.h"
#include "core/imported/imported_layers.h"
#include "core/script/script.h"
#include "io/tensors/tensor_format.h"
#include "read_everything.h"

namespace attnscope::fuzz {
namespace {

/// A script taken apart.
struct Parts {
  std::string code;                   ///< with nothing between the quotes of literals, and without comments
  std::vector<std::string> literals;  ///< as bytes; of a byte that is not UTF-8, that byte
};

void append_utf8(std::uint32_t point, std::string& bytes) {
  const auto add = [&](std::uint32_t byte) { bytes += static_cast<char>(byte); };
  if (point >= 0xdc80 && point <= 0xdcff) return add(point - 0xdc00);
  require(point < 0xd800 || point > 0xdfff);
  if (point < 0x80) return add(point);
  const std::uint32_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint32_t, 4> kLead = {0, 0xc0, 0xe0, 0xf0};
  add(kLead[more] | (point >> (6 * more)));
  for (std::uint32_t i = more; i-- > 0;) add(0x80 | ((point >> (6 * i)) & 0x3f));
}

/// Takes an escape from the front of `rest`, behind its backslash.
void read_escape(std::string_view& rest, bool is_bytes, std::string& value) {
  require(!rest.empty());
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == '"' || kind == '\\') {
    value += kind;
    return;
  }
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  require(digits > 0 && rest.size() >= digits && (!is_bytes || kind == 'x'));
  const std::string number(rest.substr(0, digits));
  require(number.find_first_not_of("0123456789abcdef") == std::string::npos);
  const auto point = static_cast<std::uint32_t>(std::stoul(number, nullptr, 16));
  rest.remove_prefix(digits);
  if (is_bytes) {
    value += static_cast<char>(point);
  } else {
    append_utf8(point, value);
  }
}

/// Takes a literal from the front of `rest`, behind its quotes.
std::string read_literal(std::string_view& rest, std::string_view quotes, bool is_bytes) {
  std::string value;
  while (!rest.starts_with(quotes)) {
    require(!rest.empty());
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') {
      read_escape(rest, is_bytes, value);
      continue;
    }
    // No literal but those in three quotes goes on after its line, and no script needs anything that cannot be seen.
    const bool breaks = c == '\n' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    require(!breaks || (c == '\n' && quotes.size() == 3));
    value += c;
  }
  rest.remove_prefix(quotes.size());
  return value;
}

Parts take_apart(std::string_view rest) {
  Parts parts;
  while (!rest.empty()) {
    if (rest.front() == '#') {
      const std::size_t end = rest.find('\n');
      require(rest.substr(0, end).find('\r') == std::string_view::npos);
      rest.remove_prefix(std::min(end, rest.size()));
    } else if (rest.front() == '"') {
      const std::string_view quotes = rest.starts_with("\"\"\"") ? rest.substr(0, 3) : rest.substr(0, 1);
      const bool is_bytes = parts.code.ends_with("(b");
      rest.remove_prefix(quotes.size());
      parts.literals.push_back(read_literal(rest, quotes, is_bytes));
      parts.code += "\"\"";
    } else {
      parts.code += rest.front();
      rest.remove_prefix(1);
    }
  }
  return parts;
}

class NamedTensors final : public ImportedTensors {
 public:
  NamedTensors(std::string file, std::vector<ImportedTensor> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}
  [[nodiscard]] const std::string& file() const override { return file_; }
  [[nodiscard]] std::span<const ImportedTensor> tensors() const override { return tensors_; }
  Result<void> read(std::size_t /*which*/, std::span<const Index> /*begin*/, std::span<const Index> /*end*/,
                    std::span<float> /*out*/, const StopToken& /*stop*/) const override {
    return {};
  }
  [[nodiscard]] std::string python_name(std::size_t which) const override {
    return python_tensor_name(ImportedTensors::python_name(which), file_);
  }
  [[nodiscard]] std::string python_reading(std::span<const std::string> names) const override {
    return attnscope::python_reading(file_, names);
  }

 private:
  std::string file_;
  std::vector<ImportedTensor> tensors_;
};

using Texts = std::array<std::string, 2>;

/// The experiment whose texts are these, in one of several ways; nothing where they cannot be.
std::optional<Experiment> experiment_with(unsigned kind, const Texts& texts) {
  constexpr std::array<const char*, 4> kFiles = {"/d/f.npz", "/d/f.safetensors", "/d/f", "stdin"};
  if (kind == 0) {
    Experiment experiment = *default_experiment("hand-made-heads");
    experiment.labels = {texts[0], texts[1], texts[0]};
    return experiment;
  }
  if (kind == 1) {
    return *experiment_on(std::make_shared<NamedTensors>("/d/" + texts[0] + "/" + texts[1] + "f.safetensors",
                                                         std::vector<ImportedTensor>{{"weights", {3, 3}, "", ""}}));
  }
  std::vector<ImportedTensor> tensors = {{"a", {2}, "", "a" + texts[0]}, {"b" + texts[1], {1}, "", ""}};
  Experiment experiment =
      *experiment_on(std::make_shared<NamedTensors>(kFiles[kind % kFiles.size()], std::move(tensors)));
  experiment.parameters["use"] = std::string(kUseTensors);
  return experiment;
}

/// What is the same for all texts of a kind: no import of os, and none of what decodes paths.
std::string normal(std::string code) {
  for (const auto& [from, to] :
       {std::pair<std::string_view, std::string_view>{"import os\n", ""}, {"os.fsdecode(b\"\")", "\"\""}}) {
    if (const std::size_t at = code.find(from); at != std::string::npos) code.replace(at, from.size(), to);
  }
  // A list is on one line or on several; names are padded to the longest.
  std::erase_if(code, [](char c) { return c == ' ' || c == '\n'; });
  for (std::size_t at = code.find(",]"); at != std::string::npos; at = code.find(",]")) code.erase(at, 1);
  return code;
}

std::string hex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    for (const unsigned half : {static_cast<unsigned char>(c) / 16U, static_cast<unsigned char>(c) % 16U})
      digits += "0123456789abcdef"[half];
  }
  return digits;
}

void note_case(const std::string& script, const std::string& harmless, const Texts& texts) {
  constexpr int kMaxNoted = 5000;
  static const char* const path = std::getenv("ATTNSCOPE_FUZZ_CASES");
  static int noted = 0;
  if (path == nullptr || noted++ >= kMaxNoted) return;
  std::ofstream(path, std::ios::app) << hex(script) << ' ' << hex(harmless) << ' ' << hex(texts[0]) << ' '
                                     << hex(texts[1]) << '\n';
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// `text` with the names that were put in for NAME0 and NAME1.
std::string with_texts(std::string text, const std::string& name, const Texts& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string from = name + std::to_string(i);
    if (const std::size_t at = text.find(from); at != std::string::npos) return text.replace(at, from.size(), texts[i]);
  }
  return text;
}

void check_script(unsigned kind, const Texts& texts) {
  Texts keys = texts;
  for (std::string& key : keys) key.resize(std::min(key.find('\0'), key.size()));
  const bool plain = is_ascii(keys[0]) && is_ascii(keys[1]);
  const std::string name = plain ? "NAME" : "NAMÉ";
  const std::optional<Experiment> hostile = experiment_with(kind, texts);
  const std::optional<Experiment> harmless = experiment_with(kind, {name + "0", name + "1"});
  const std::string script = pytorch_script(*hostile);
  const std::string model = pytorch_script(*harmless);
  note_case(script, model, texts);
  const Parts ours = take_apart(script);
  const Parts theirs = take_apart(model);
  require(normal(ours.code) == normal(theirs.code));
  require(ours.literals.size() == theirs.literals.size());
  for (std::size_t i = 0; i < ours.literals.size(); ++i) {
    const std::string& found = ours.literals[i];
    const std::string& expected = theirs.literals[i];
    if (found.starts_with("{name:") && expected.starts_with("{name:")) continue;  // padded to another width
    // The keys of an archive end before a zero byte, and one path has both texts.
    require(found == with_texts(expected, name, texts) || found == with_texts(expected, name, keys) ||
            found == "/d/" + texts[0] + "/" + texts[1] + "f.safetensors");
  }
}

}  // namespace
}  // namespace attnscope::fuzz

// The first byte is the kind of experiment, the others its texts, the first of which ends with 0xff twice.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = std::min(bytes.find("\xff\xff", 1), size);
  attnscope::fuzz::Texts texts = {std::string(bytes.substr(1, middle - 1)),
                                  std::string(bytes.substr(std::min(middle + 2, size)))};
  const unsigned kind = data[0] % 6U;
  if (kind == 1) {
    for (std::string& text : texts) std::replace(text.begin(), text.end(), '/', '_');
  }
  // Tensors whose shown names are the same get numbers, and a script one list less of them.
  if (texts[0] == texts[1] || texts[0].empty()) return 0;
  attnscope::fuzz::check_script(kind, texts);
  return 0;
}
