#include "figure/blocks/score_arithmetic.h"

#include "core/base/text.h"
#include "core/operations/normalize.h"
#include "core/operations/positions.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

const Step& numbered_step(const Trace& trace, int number) { return trace.step(number); }

std::string place_text(const Trace& trace, const DotNumbers& n, const std::string& what, Index number,
                       std::size_t axis) {
  const Step& scores = numbered_step(trace, n.product.scores);
  const Axis& its = scores.axes[axis];
  std::string text = what + " " + std::to_string(number + 1);
  const TokenNames names(trace, scores.name, its, batch_item(scores.axes, n.at));
  if (const std::optional<std::string> name = names.of(number); name && !name->empty())
    text += " · " + bar_label(*name);
  if (its.name == "cross_query") text += " of the second sequence";
  return text;
}

}  // namespace

std::string query_text(const Trace& trace, const DotNumbers& numbers) {
  return place_text(trace, numbers, "query", numbers.query(), numbers.at.size() - 2);
}

std::string key_text(const Trace& trace, const DotNumbers& numbers) {
  return place_text(trace, numbers, "key", numbers.key(), numbers.at.size() - 1);
}

std::string pair_text(const Trace& trace, const DotNumbers& numbers) {
  return query_text(trace, numbers) + ", " + key_text(trace, numbers);
}

std::string slice_text(const Trace& trace, const DotNumbers& numbers) {
  std::string text;
  const Axes& axes = numbered_step(trace, numbers.product.scores).axes;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) {
    const bool is_head = axes[i].name == "head";
    const std::string state =
        is_head ? head_state(trace.experiment(), numbered_step(trace, numbers.product.weights).name, numbers.at[i])
                : "";
    if (axes[i].size > 1 || !state.empty())
      text += (is_head ? ", head " : ", item ") + std::to_string(numbers.at[i] + 1);
    if (!state.empty()) text += " (" + state + ")";
  }
  return text;
}

std::string factor_symbol(const Trace& trace, const DotProduct& product, int step) {
  const Operation& operation = numbered_step(trace, step).operation;
  const auto* scale = as<ScaleOperation>(operation);
  const std::string name = step == product.q ? "q" : "k";
  const std::string letter = is<RotateOperation>(operation) ? "RoPE(" + name + ")" : name;
  return scale == nullptr ? letter : "(" + letter + " ÷ " + scale->divisor_text + ")";
}

std::vector<ArithmeticTerm> score_terms(const Trace& trace, const DotNumbers& numbers, const std::string& sign) {
  const DotProduct& p = numbers.product;
  const auto value = [&](int number) { return static_cast<double>(trace.value(number, numbers.at)); };
  const auto cell = [&](int number) { return TensorCell{number, numbers.at}; };
  const std::string q = factor_symbol(trace, p, p.q);
  const std::string k = factor_symbol(trace, p, p.k);
  std::vector<ArithmeticTerm> list = {{"sum", sign, q + " · " + k, number_text(numbers.sums.back()), Ink::accent, {}}};
  if (!p.product->divisor_text.empty())
    list.push_back({"scale", "÷", p.product->divisor_text, number_text(p.product->divisor), Ink::text, {}});
  list.push_back({"score", "=", "score", number_text(value(p.scores)), Ink::text, cell(p.scores)});
  if (p.biased >= 0) {
    list.push_back(
        {"bias", "−", "ALiBi penalty", number_text(value(p.scores) - value(p.biased)), Ink::text, cell(p.biased)});
  }
  if (p.mask != nullptr) {
    const bool masked = numbers.masked[static_cast<std::size_t>(numbers.key())];
    list.push_back({"mask", "→", p.mask->reason(numbered_step(trace, p.masked).axes, numbers.at),
                    masked ? number_text(value(p.masked)) : "kept", masked ? Ink::text : Ink::dim, cell(p.masked)});
  }
  list.push_back({"temperature", "÷", "temperature", exact_text(p.temperature), Ink::text, {}});
  list.push_back({"weight", "→", "weight after softmax", number_text(value(p.weights)), Ink::accent, cell(p.weights)});
  return list;
}

}  // namespace attnscope
