#include "core/script.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "core/plan.h"
#include "core/systems/systems.h"
#include "core/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kColumns = 99;
/// A list that is no longer stands behind its name.
constexpr std::size_t kShortList = 80;
/// Draws that one tensor may take when they are thrown away: 400 MB.
constexpr std::uint64_t kDiscardedAtOnce = 100'000'000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_random(const PlannedStep& step) {
  return std::holds_alternative<DrawOperation>(step.operation) ||
         std::holds_alternative<DropoutOperation>(step.operation);
}

/// A text as Python has it in quotes.
std::string python_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code != 0x7f) {
      quoted += c;
    } else {
      constexpr std::string_view kDigits = "0123456789abcdef";
      quoted.append("\\x").append(1, kDigits[code / 16]).append(1, kDigits[code % 16]);
    }
  }
  return quoted + "\"";
}

/// Columns that UTF-8 text takes, one for each character.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string python_number(double value) {
  if (std::isinf(value)) return "float(\"-inf\")";
  std::string text = exact_text(value);
  if (const std::size_t plus = text.find("e+"); plus != std::string::npos) {
    const std::size_t digit = text.find_first_not_of('0', plus + 2);
    text.erase(plus + 1, digit - plus - 1);
  }
  return text;
}

std::string python_list(std::span<const std::string> texts) {
  std::vector<std::string> lines = {"   "};
  for (const std::string& text : texts) {
    const std::string item = " " + python_text(text) + ",";
    if (lines.back().size() > 3 && width(lines.back()) + width(item) > kColumns) lines.emplace_back("   ");
    lines.back() += item;
  }
  if (texts.empty()) return "[]\n";
  if (lines.size() > 1 || width(lines.front()) > kShortList) return "[\n" + join(lines, "\n") + "\n]\n";
  return "[" + lines.front().substr(4, lines.front().size() - 5) + "]\n";
}

std::string indented(std::string_view text) {
  std::string result;
  for (const std::string& line : split(text, '\n')) result += line.empty() ? "\n" : "    " + line + "\n";
  // The end of the last line is no line.
  result.pop_back();
  return result;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && indent + width(line) + 1 + width(word) > kColumns) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + std::string(indent, ' ') + line + "\n";
}

Script::Script(const Experiment& experiment) : experiment_(experiment) {
  for (const PlannedStep& step : plan(experiment).steps) {
    tensors_.push_back(step.name);
    random_ = random_ || is_random(step);
  }
  for (const std::string& name : tensors_) save(name, name);
}

void Script::code(std::string_view python) {
  if (python.starts_with('\n')) python.remove_prefix(1);
  body_ += python;
  if (!body_.ends_with('\n')) body_ += '\n';
}

void Script::section(std::string_view python) {
  if (python.empty()) return;
  empty_line();
  code(python);
}

void Script::discard() {
  const std::uint64_t draws = experiment_.discard;
  if (draws == 0) return;
  if (draws <= kDiscardedAtOnce) {
    code("torch.rand(" + std::to_string(draws) + ")  # drawn and thrown away");
    return;
  }
  const std::string at_once = std::to_string(kDiscardedAtOnce);
  code("for _ in range(" + std::to_string(draws / kDiscardedAtOnce) + "):  # drawn and thrown away");
  code("    torch.rand(" + at_once + ")");
  if (draws % kDiscardedAtOnce > 0) code("torch.rand(" + std::to_string(draws % kDiscardedAtOnce) + ")");
}

void Script::layer(const std::string& variable, const std::string& name, std::string_view python) {
  code(variable + " = " + std::string(python));
  save("w_" + name, variable + ".weight");
  save("b_" + name, variable + ".bias");
}

void Script::edits(const std::map<std::string, std::string>& places) {
  if (experiment_.edits.empty()) return;
  section("# Numbers put by hand in the place of drawn ones.");
  code("with torch.no_grad():");
  for (const CellEdit& edit : experiment_.edits) {
    const auto place = places.find(edit.tensor);
    code("    " + (place != places.end() ? place->second : saved_from_.at(edit.tensor)) + index_text(edit.index) +
         " = " + python_number(edit.value));
  }
}

void Script::save(const std::string& name, const std::string& expression) {
  saved_from_[name] = expression;
  lines_[name] = quoted_text(name) + ": " + expression + ",";
  if (name == tensors_.back()) result_ = expression;
}

void Script::save_together(std::span<const std::string> names, const std::string& line) {
  for (const std::string& name : names) lines_[name] = line;
}

bool Script::mentions(std::string_view name) const {
  for (const std::string& line : split(body_, '\n')) {
    const std::string python = line.substr(0, line.find('#'));
    for (std::size_t at = python.find(name); at != std::string::npos; at = python.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool begins = at == 0 || (!is_word(python[at - 1]) && python[at - 1] != '.');
      if (begins && (end == python.size() || !is_word(python[end]))) return true;
    }
  }
  return false;
}

std::string Script::header() const {
  const System& system = *find_system(experiment_.system);
  std::string text = R"(""")" + system.title + ": attnscope's system " + system.name + " in PyTorch.\n\n";
  text += wrapped(system.summary);
  text += R"(
    python3 script.py               prints the shape of every tensor, and the result
    python3 script.py tensors.npz   saves every tensor under its name in attnscope
"""

)";
  if (mentions("math")) text += "import math\n";
  text += "import sys\n\nimport numpy as np\nimport torch\n";
  if (mentions("nn")) text += "from torch import nn\n";
  return text;
}

std::string Script::parameters() const {
  std::string text;
  for (const Parameter& parameter : find_system(experiment_.system)->parameters) {
    if (!mentions(parameter.name)) continue;
    if (parameter.kind == Parameter::Kind::integer)
      text += parameter.name + " = " + std::to_string(experiment_.integer(parameter.name)) + "\n";
    if (parameter.kind == Parameter::Kind::real)
      text += parameter.name + " = " + python_number(experiment_.real(parameter.name)) + "\n";
  }
  return text;
}

std::string Script::seed() const {
  if (!random_) return "";
  const std::string line = "torch.manual_seed(" + std::to_string(experiment_.seed) + ")";
  const std::uint64_t counts = experiment_.seed & 0xffffffffU;
  if (counts == experiment_.seed) return line + "\n";
  return line + "  # the same as " + std::to_string(counts) + ": the low 32 bits count\n";
}

std::string Script::dictionary() const {
  std::string text = "tensors = {\n";
  std::set<std::string> written;
  for (const std::string& name : tensors_) {
    const std::string& line = lines_.at(name);
    if (written.insert(line).second) text += "    " + line + "\n";
  }
  return text + "}\n";
}

std::string Script::end() const {
  std::size_t longest = 0;
  for (const std::string& name : tensors_) longest = std::max(longest, name.size());
  const bool layers = mentions("nn");  // whose weights are waiting for gradients
  const std::string numbers = layers ? "tensor.detach().numpy()" : "tensor.numpy()";
  const std::string result = result_ + (layers ? ".detach()" : "");
  return "if len(sys.argv) > 1:\n    np.savez(sys.argv[1], **{name: " + numbers +
         " for name, tensor in tensors.items()})\nelse:\n    for name, tensor in tensors.items():\n" +
         "        print(f\"{name:" + std::to_string(longest) + "}  {list(tensor.shape)}\")\n    print(" + result +
         ")\n";
}

std::string Script::text() const {
  return header() + "\n" + parameters() + "\n" + seed() + body_ + "\n" + dictionary() + "\n" + end();
}

std::string pytorch_script(const Experiment& experiment) {
  Script script(experiment);
  find_system(experiment.system)->script(script);
  return script.text();
}

}  // namespace attnscope
