#include "figure/slices/chosen_pair.h"

#include <algorithm>
#include <optional>
#include <string>

#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/slices/token_names.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kMostPairName = 130;

}  // namespace

ScoreChoice chosen_pair(const Trace& trace, const ParameterValues& options) {
  const Step& weights = *selected_attention(trace, options).weights;
  const auto option = [&](const char* name) { return std::get<Index>(options.find(name)->second); };
  ScoreChoice choice;
  choice.weights = static_cast<int>(&weights - trace.steps().data());
  choice.head = selected_slice(trace, options).head;
  choice.query = std::min(option("query"), weights.axes[weights.axes.size() - 2].size) - 1;
  choice.key = std::min(option("key"), weights.axes.back().size) - 1;
  return choice;
}

PairSource pair_source(const Trace& trace, const ScoreChoice& choice) {
  // The weights depend on the queries and keys of their layer; values may change alone.
  const Step* const logits = trace.find("logits");
  return {trace.step(choice.weights).tensor, logits == nullptr ? nullptr : logits->tensor, trace.lazy(), choice};
}

std::string pair_token(const Trace& trace, const ScoreChoice& choice, ScoreSide side) {
  const Step& weights = trace.step(choice.weights);
  const bool query = side == ScoreSide::query;
  const Axis& axis = query ? weights.axes[weights.axes.size() - 2] : weights.axes.back();
  const Index number = query ? choice.query : choice.key;
  const std::optional<std::string> name = TokenNames(trace, weights.name, axis).of(number);
  const std::string position = std::to_string(number + 1);
  return name && !name->empty()
             ? "“" + literal_markup(shortened_text(*name, kMostPairName, TypeSize::kBody)) + "” (" + position + ")"
             : position;
}

}  // namespace attnscope
