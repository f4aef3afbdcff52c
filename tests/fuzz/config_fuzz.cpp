// A config.json, and behind a zero byte a preprocessor_config.json, of a model without weights and of one whose weights
// are made as it asks for them. What is accepted runs.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/models/models.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "io/models/model_config.h"
#include "made_model.h"
#include "read_everything.h"

namespace attnscope::fuzz {
namespace {

using Tensors = std::vector<ImportedTensor>;

constexpr std::size_t kMaxTensors = 120;
constexpr Index kMaxWeights = 1 << 14;  ///< numbers in one
constexpr double kMaxFlops = 1e6;
constexpr double kMaxBytes = 1e6;

/// Names that messages cut off.
constexpr std::array<std::string_view, 2> kLongNames = {
    "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"};

/// Tensors that a model reads only if the file has them; what asks for another shape gets it.
const Tensors& optional_tensors() {
  static const Tensors all = [] {
    Tensors tensors;
    for (const char* const name :
         {"lm_head.weight", "embed_out.weight", "unembed.weight", "classifier.weight", "final_logits_bias",
          "cls.predictions.transform.dense.weight", "cls.predictions.bias", "lm_head.dense.weight", "lm_head.bias",
          "vocab_transform.weight", "embeddings.token_type_embeddings.weight", "encoder.embed_positions.weight"})
      tensors.push_back({name, {1}, {}});
    return tensors;
  }();
  return all;
}

bool has_tensor(const Tensors& tensors, std::string_view name) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const auto& each) { return each.name == name; });
}

/// The first text in quotes.
std::string name_in(std::string_view message) {
  const std::size_t begin = message.find('"') + 1;
  const std::string name(message.substr(begin, message.find('"', begin) - begin));
  if (!name.ends_with("…")) return name;
  const std::string_view known = std::string_view(name).substr(0, name.size() - std::string_view("…").size());
  const auto* const found = std::find_if(kLongNames.begin(), kLongNames.end(),
                                         [&](std::string_view each) { return each.starts_with(known); });
  return std::string(found == kLongNames.end() ? known : *found);
}

/// "2 × 3" and "[2, 3]"; nothing where that is too large.
std::optional<std::vector<Index>> shape_in(std::string_view text) {
  std::vector<Index> shape;
  Index count = 1;
  while (true) {
    const std::size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) return shape;
    text.remove_prefix(digit);
    Index size = 0;
    const char* const end = std::from_chars(text.data(), text.data() + text.size(), size).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (size <= 0 || size > kMaxWeights / count) return std::nullopt;
    count *= size;
    shape.push_back(size);
  }
}

/// Makes the tensor that `message` asks for, if it asks for one that it has not asked for in this shape.
bool make_tensor(std::string_view message, Tensors& tensors) {
  const std::string_view expected = "; expected: ";
  const std::size_t end = message.find(expected);
  if (end == std::string_view::npos || message.find("the tensor \"") == std::string_view::npos) return false;
  const std::optional<std::vector<Index>> shape = shape_in(message.substr(end + expected.size()));
  if (!shape || tensors.size() >= kMaxTensors) return false;
  const std::string name = name_in(message);
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& each) { return each.name == name; });
  if (found == tensors.end()) {
    tensors.push_back({name, *shape, {}});
    return true;
  }
  if (found->shape == *shape) return false;
  found->shape = *shape;
  return true;
}

void require_one_line(const std::string& message) {
  require(!message.empty() && message.find('\n') == std::string::npos);
}

void run_model(const std::shared_ptr<const Model>& model) {
  Experiment experiment = experiment_on_model(model);
  experiment.text.ids = {0, 0};
  experiment.text2.ids = {0};
  const Result<void> valid = validate(experiment, kMaxBytes);
  if (!valid) return require_one_line(valid.error().message);
  const Cost cost = cost_of(experiment);
  if (cost.flops > kMaxFlops || cost.bytes > kMaxBytes) return;
  const auto trace = run(experiment);
  require(trace.has_value() && !(*trace)->steps().empty());
}

/// Makes what the model asks for, one tensor after the other, and returns all of them.
Tensors make_model(const ModelConfig& config, Tensors tensors) {
  while (true) {
    const std::shared_ptr<const Model> model = std::make_shared<MadeModel>(config, tensors);
    const Result<void> whole = check_model(model);
    if (whole) {
      run_model(model);
      return tensors;
    }
    require_one_line(whole.error().message);
    require(whole.error().message.starts_with("made: "));
    if (!make_tensor(whole.error().message, tensors)) return tensors;
  }
}

}  // namespace
}  // namespace attnscope::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnscope::fuzz;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view text = all.substr(0, all.find('\0'));
  auto config = attnscope::parse_model_config(text);
  if (!config) {
    require_one_line(config.error().message);
    return 0;
  }
  if (text.size() < all.size()) {
    const auto preprocessor = attnscope::parse_model_config(all.substr(text.size() + 1));
    if (!preprocessor) return 0;
    for (const auto& [name, value] : *preprocessor) config->insert_or_assign("preprocessor." + name, value);
  }
  auto tensors = make_model(*config, {});
  for (const auto& each : optional_tensors()) {
    if (!has_tensor(tensors, each.name)) tensors.push_back(each);
  }
  make_model(*config, std::move(tensors));
  return 0;
}
