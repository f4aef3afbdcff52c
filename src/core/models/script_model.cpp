// A model in PyTorch: every step of the plan, with the weights read from the same files.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/python_text.h"
#include "core/models/models.h"
#include "core/operations/import.h"
#include "core/operations/lookup.h"
#include "core/operations/mask.h"
#include "core/plan/plan.h"
#include "core/script/script.h"

namespace attnscope {
namespace script_model_parts {
namespace {

constexpr const char* kRotary = R"(
def rotary(x, frequencies):
    """Rotates the dims i and i + n of each row by position · frequency i."""
    n = len(frequencies)
    angles = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * torch.tensor(frequencies, dtype=torch.float64)
    cos, sin = angles.cos().float(), angles.sin().float()
    first, second, rest = x[..., :n], x[..., n : 2 * n], x[..., 2 * n :]
    return torch.cat([first * cos - second * sin, second * cos + first * sin, rest], -1)
)";

constexpr const char* kSinusoids = R"(
def half_sinusoids(positions, features):
    """The sines of all frequencies, then the cosines."""
    frequencies = 10000 ** (-torch.arange(0, features, 2, dtype=torch.float64) / features)
    angles = torch.arange(positions, dtype=torch.float64)[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()[:, : features // 2]], -1).float()
)";

constexpr const char* kRelativeBias = R"(
def relative_bias(table, queries, keys, furthest, both_sides):
    """The row of the table for each distance, as T5 counts them."""
    apart = torch.arange(keys)[None, :] - torch.arange(queries)[:, None]
    count, start = len(table), torch.zeros_like(apart)
    if both_sides:
        count //= 2
        start, apart = (apart > 0) * count, apart.abs()
    else:
        apart = (-apart).clamp(min=0)
    exact = count // 2
    far = torch.log(apart.clamp(min=1).float() / exact) / math.log(furthest / exact) * (count - exact)
    row = torch.where(apart < exact, apart, (exact + far.long()).clamp(max=count - 1))
    return table[start + row].permute(2, 0, 1)
)";

constexpr const char* kIntervene = R"(
def intervene(x, changes, other=None):
    """Heads (None: there are none) of `x` at positions (None: at all) off, at their mean over the text, or of the other text."""
    y = x.clone()
    by = {"off": torch.zeros_like(x), "mean": x.mean(-2, keepdim=True).expand_as(x), "patched": other}
    for kind, head, position in sorted(changes, key=lambda change: change[2] is not None):
        first, last = (0, x.shape[-2]) if position is None else (position, position + 1)
        # A position that the other text does not have stays as it is.
        for source, end in (x, last), (by[kind], min(last, by[kind].shape[-2])):
            rows = slice(first, end)
            where = (rows,) if head is None else (head, rows)
            y[where] = source[where]
    return y
)";

constexpr const char* kMaskPairs = R"(
def mask_pairs(scores, pairs, fill):
    """Scores [head, query, key] with those of a head, query (None: every query) and key filled."""
    scores = scores.clone()
    for head, query, key in pairs:
        scores[head, slice(None) if query is None else query, key] = fill
    return scores
)";

constexpr const char* kEdited = R"(
def edited(weight, numbers):
    """The weight with some numbers in place of its own."""
    weight = weight.clone()
    for index, number in numbers:
        weight[index] = number
    return weight
)";

/// The tensors of the files that a plan reads.
std::vector<std::string> files_tensors(const Plan& plan) {
  std::set<std::size_t> used;
  const ImportedTensors* from = nullptr;
  for (const PlannedStep& step : plan.steps) {
    if (const auto* weight = as<ImportOperation>(step.operation)) used.insert(weight->which), from = weight->from.get();
    if (const auto* rows = as<LookupOperation>(step.operation)) used.insert(rows->which), from = rows->from.get();
  }
  std::vector<std::string> names;
  names.reserve(used.size());
  for (const std::size_t which : used) names.push_back(from->python_name(which));
  return names;
}

/// The functions that the plan's steps call.
void write_functions(Script& s, const Plan& plan) {
  std::set<std::string> operations;
  for (const PlannedStep& step : plan.steps) {
    operations.insert(step.operation->name());
    if (const auto* mask = as<MaskOperation>(step.operation); mask != nullptr && !mask->field->mask().pairs.empty())
      operations.insert("mask_pairs");
    if (const auto* weight = as<ImportOperation>(step.operation); weight != nullptr && !weight->edits.empty())
      operations.insert("edited");
  }
  s.code("from torch.nn import functional");
  for (const auto& [operation, function] : {std::pair{"rotary", kRotary},
                                            {"half_sinusoid", kSinusoids},
                                            {"relative_bias", kRelativeBias},
                                            {"intervene", kIntervene},
                                            {"mask_pairs", kMaskPairs},
                                            {"edited", kEdited}}) {
    if (operations.contains(operation)) s.code("\n" + std::string(function) + "\n");
  }
}

/// What the token ids below stand for.
void write_texts(Script& s) {
  const Experiment& e = s.experiment();
  const std::pair<const char*, const ModelText*> texts[] = {
      {"text", &e.text}, {"second_text", &e.text2}, {"patch_text", &e.patch_text}};
  for (const auto& [name, text] : texts) {
    if (!text->text.empty()) s.section(std::string(name) + " = " + python_text(text->text));
  }
  if (!e.text.pieces.empty()) s.code("tokens = " + python_list(e.text.pieces));
}

}  // namespace
}  // namespace script_model_parts

void write_model_script(Script& s) {
  const Plan planned = plan(s.experiment());
  script_model_parts::write_functions(s, planned);
  s.section(s.experiment().model->weights()->python_reading(script_model_parts::files_tensors(planned)));
  script_model_parts::write_texts(s);
  s.section("t = {}");
  std::vector<std::string> expressions;  // of each step, for those that read it
  expressions.reserve(planned.steps.size());
  for (const PlannedStep& step : planned.steps) {
    std::vector<std::string> inputs;
    inputs.reserve(step.inputs.size());
    for (const int input : step.inputs) inputs.push_back(expressions[static_cast<std::size_t>(input)]);
    const std::string expression = step.operation->python({planned.steps, step}, inputs);
    const bool is_weight = step.operation->traits().is_weight;
    expressions.push_back(is_weight ? expression : "t[" + python_text(step.name) + "]");
    if (!is_weight) s.code(expressions.back() + " = " + expression);
  }
  for (const std::string& name : s.tensors()) s.save(name, "t[" + python_text(name) + "]");
  s.save_together(s.tensors(), "**t,");
}

}  // namespace attnscope
