#include "core/script/script.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/experiment/system.h"
#include "core/plan/plan.h"

namespace attnscope {
namespace {

/// The maximum width of the name column that the script prints.
constexpr std::size_t kNameColumns = 60;
/// Draws discarded in one tensor, at most: 400 MB.
constexpr std::uint64_t kDiscardedAtOnce = 100'000'000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_random(const PlannedStep& step) {
  const OperationTraits traits = step.operation->traits();
  return traits.draws || traits.uses_seed;
}

}  // namespace

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
    code("torch.rand(" + std::to_string(draws) + ")  # drawn and discarded");
    return;
  }
  const std::string at_once = std::to_string(kDiscardedAtOnce);
  code("for _ in range(" + std::to_string(draws / kDiscardedAtOnce) + "):  # drawn and discarded");
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
  section("# Edited values.");
  code("with torch.no_grad():");
  for (const CellEdit& edit : experiment_.edits) {
    const auto place = places.find(edit.tensor);
    code("    " + (place != places.end() ? place->second : saved_from_.at(edit.tensor)) + index_text(edit.index) +
         " = " + python_number(edit.value));
  }
}

void Script::save(const std::string& name, const std::string& expression) {
  saved_from_[name] = expression;
  lines_[name] = python_text(name) + ": " + expression + ",";
  if (name == tensors_.back()) result_ = expression;
}

void Script::save_together(std::span<const std::string> names, const std::string& line) {
  for (const std::string& name : names) lines_[name] = line;
}

bool Script::mentions(std::string_view name) const {
  for (std::size_t at = names_.find(name); at != std::string::npos; at = names_.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || (!is_word(names_[at - 1]) && names_[at - 1] != '.');
    if (begins && (end == names_.size() || !is_word(names_[end]))) return true;
  }
  return false;
}

std::string Script::header() const {
  const System& system = *find_system(experiment_.system);
  std::string text = R"(""")" + python_escaped(system.title) + ": attnscope's system " + python_escaped(system.name) +
                     " in PyTorch.\n\n";
  text += wrapped(python_escaped(system.summary));
  text += R"(
    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
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
  return line + "  # same as " + std::to_string(counts) + ": only the low 32 bits count\n";
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
  for (const std::string& name : tensors_) longest = std::max(longest, character_count(name));
  longest = std::min(longest, kNameColumns);
  const bool layers = mentions("nn");  // their weights require gradients
  const std::string numbers = layers ? "tensor.detach().numpy()" : "tensor.numpy()";
  const std::string result = result_ + (layers ? ".detach()" : "");
  return "if len(sys.argv) > 1:\n    np.savez(sys.argv[1], **{name: " + numbers +
         " for name, tensor in tensors.items()})\nelse:\n    for name, tensor in tensors.items():\n" +
         "        print(f\"{name:" + std::to_string(longest) + "}  {list(tensor.shape)}\")\n    print(" + result +
         ")\n";
}

std::string Script::text() {
  names_ = python_names(body_);
  return header() + "\n" + parameters() + "\n" + seed() + body_ + "\n" + dictionary() + "\n" + end();
}

std::string pytorch_script(const Experiment& experiment) {
  Script script(experiment);
  find_system(experiment.system)->script(script);
  return script.text();
}

}  // namespace attnscope
