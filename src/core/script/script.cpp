#include "core/script/script.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/experiment/random_numbers.h"
#include "core/experiment/system.h"
#include "core/plan/plan.h"

namespace attnscope {
namespace {

/// The maximum width of the name column that the script prints.
constexpr std::size_t kMaxNameColumns = 60;
/// The maximum number of draws that the script discards in one tensor: 400 MB of float32.
constexpr std::uint64_t kMaxDiscardedAtOnce = 100'000'000;

/// Whether Python may have `c` in a name; names of parameters are ASCII.
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_random(const PlannedStep& step) {
  const OperationTraits traits = step.operation->traits();
  return traits.draws || traits.uses_seed;
}

}  // namespace

Script::Script(const Experiment& experiment) : experiment_(experiment) {
  for (const PlannedStep& step : plan(experiment).steps) {
    if (step.operation->traits().is_weight) continue;
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

void Script::begin_weights() {
  if (weights_stay(experiment_))
    code("torch.manual_seed(" + std::to_string(weights_seed(experiment_.seed)) + ")  # the weights' own");
  const std::uint64_t draws = experiment_.discard;
  if (draws == 0) return;
  if (draws <= kMaxDiscardedAtOnce) {
    code("torch.rand(" + std::to_string(draws) + ")  # drawn and discarded");
    return;
  }
  const std::uint64_t rest = draws % kMaxDiscardedAtOnce;
  code("for _ in range(" + std::to_string(draws / kMaxDiscardedAtOnce) + "):  # drawn and discarded");
  code("    torch.rand(" + std::to_string(kMaxDiscardedAtOnce) + ")");
  if (rest > 0) code("torch.rand(" + std::to_string(rest) + ")");
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
    const std::string& edited = place != places.end() ? place->second : saved_from_.at(edit.tensor);
    code("    " + edited + index_text(edit.index) + " = " + python_number(edit.value));
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
    // `x.name` is an attribute of another object.
    const bool starts_name = at == 0 || (!is_word(names_[at - 1]) && names_[at - 1] != '.');
    const bool ends_name = end == names_.size() || !is_word(names_[end]);
    if (starts_name && ends_name) return true;
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
  const std::uint64_t low_bits = experiment_.seed & 0xffffffffU;
  if (low_bits == experiment_.seed) return line + "\n";
  return line + "  # same as " + std::to_string(low_bits) + ": only the low 32 bits count\n";
}

std::string Script::dictionary() const {
  std::string text = "tensors = {\n";
  std::set<std::string> written;
  for (const std::string& name : tensors_) {
    const std::string& line = lines_.at(name);
    // Tensors of `save_together` share one line.
    if (written.insert(line).second) text += "    " + line + "\n";
  }
  return text + "}\n";
}

std::string Script::output() const {
  std::size_t name_columns = 0;
  for (const std::string& name : tensors_) name_columns = std::max(name_columns, character_count(name));
  name_columns = std::min(name_columns, kMaxNameColumns);
  // The weights of layers require gradients, and NumPy takes no tensor that does.
  const std::string detach = mentions("nn") ? ".detach()" : "";
  std::string text = "if len(sys.argv) > 1:\n";
  text += "    np.savez(sys.argv[1], **{name: tensor" + detach + ".numpy() for name, tensor in tensors.items()})\n";
  text += "else:\n";
  text += "    for name, tensor in tensors.items():\n";
  text += "        print(f\"{name:" + std::to_string(name_columns) + "}  {list(tensor.shape)}\")\n";
  text += "    print(" + result_ + detach + ")\n";
  return text;
}

std::string Script::text() {
  // Before the parts around the body, which contain only what it mentions.
  names_ = python_names(body_);
  return header() + "\n" + parameters() + "\n" + seed() + body_ + "\n" + dictionary() + "\n" + output();
}

std::string pytorch_script(const Experiment& experiment) {
  Script script(experiment);
  find_system(experiment.system)->script(script);
  return script.text();
}

}  // namespace attnscope
