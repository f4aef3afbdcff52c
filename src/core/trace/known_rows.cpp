#include "core/trace/known_rows.h"

#include <algorithm>
#include <limits>

#include "core/operations/contract.h"
#include "core/operations/lookup.h"
#include "core/operations/mask.h"
#include "core/operations/softmax.h"

namespace attnscope {
namespace {

/// What a mask puts in place of scores so that nothing is left of their weights, with any temperature.
constexpr double kLeavesNoWeight = -9e15;
constexpr Index kAllRows = std::numeric_limits<Index>::max();

/// The axis along which a tensor has one row for each token; −1: none.
int token_axis(const Axes& axes) {
  for (const char* const name : {"token", "query", "key"}) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].name == name) return static_cast<int>(axis);
    }
  }
  return -1;
}

bool is_square(const Axes& axes) {
  return axes.size() > 1 && axes[axes.size() - 2].name == "query" && axes.back().name == "key";
}

Index common_prefix(const std::vector<Index>& a, const std::vector<Index>& b) {
  return std::mismatch(a.begin(), a.begin() + std::min(std::ssize(a), std::ssize(b)), b.begin()).first - a.begin();
}

class KnownRowSearch {
 public:
  KnownRowSearch(const Plan& plan, const Trace& last, std::span<const int> same)
      : plan_(plan), last_(last), same_(same), known_(plan.steps.size()), causal_(plan.steps.size(), false) {}

  std::vector<KnownRows> find() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlannedStep& step = plan_.steps[i];
      causal_[i] = is_causal(step);
      const OperationTraits traits = step.operation->traits();
      if (traits.draws || traits.uses_seed || (step.inputs.empty() && !step.operation->has_parts())) continue;
      const Step* const old = same_[i] < 0 ? last_.find(step.name) : nullptr;
      if (old == nullptr || old->tensor == nullptr || !fits(step, *old)) continue;
      KnownRows known = {static_cast<int>(old - last_.steps().data()), 0, token_axis(step.axes), grows_keys(step), {}};
      if (known.axis < 0 || (known.square && known.axis + 2 != std::ssize(step.axes))) continue;
      const auto axis = static_cast<std::size_t>(known.axis);
      known.rows = std::min({rows_of(i, *old), step.axes[axis].size, old->axes[axis].size});
      if (known.square) known.rows = std::min({known.rows, step.axes.back().size, old->axes.back().size});
      if (known.square && causal_[i]) known.later_keys = hidden_number(step);
      known_[i] = known;
    }
    return std::move(known_);
  }

 private:
  /// What a causal mask makes of keys after the query: weights are 0 whatever stands beside them.
  static float hidden_number(const PlannedStep& step) {
    const auto* mask = as<MaskOperation>(step.operation);
    return mask != nullptr ? static_cast<float>(mask->fill) : 0;
  }

  /// Whether weights of rows that are known do not depend on the tokens that follow: a mask that leaves them a weight
  /// makes every row depend on how many there are.
  [[nodiscard]] bool is_causal(const PlannedStep& step) const {
    if (const auto* mask = as<MaskOperation>(step.operation))
      return mask->field->mask().kind == Mask::Kind::causal && mask->fill <= kLeavesNoWeight;
    return is<SoftmaxOperation>(step.operation) && causal_[static_cast<std::size_t>(step.inputs[0])];
  }

  /// Whether the tensor has a key for each token of the text that changes: not where a decoder reads an encoder.
  [[nodiscard]] bool grows_keys(const PlannedStep& step) const {
    if (!is_square(step.axes)) return false;
    if (is<ContractOperation>(step.operation)) return same_[static_cast<std::size_t>(step.inputs[1])] < 0;
    if (step.inputs.empty()) return true;
    // Masks, biases and softmax have the keys of their scores; a bias by distance is not made from any.
    const auto input = static_cast<std::size_t>(step.inputs[0]);
    if (!is_square(plan_.steps[input].axes)) return true;
    return same_[input] < 0 && (known_[input].rows == 0 || known_[input].square);
  }

  /// The same operation on inputs of the same names, and the same axes but for the number of tokens.
  [[nodiscard]] bool fits(const PlannedStep& step, const Step& old) const {
    if (step.axes.size() != old.axes.size() || step.inputs.size() != old.inputs.size()) return false;
    const bool square = grows_keys(step);
    for (std::size_t axis = 0; axis < step.axes.size(); ++axis) {
      const bool may_differ =
          static_cast<int>(axis) == token_axis(step.axes) || (square && axis + 1 == step.axes.size());
      if (step.axes[axis].name != old.axes[axis].name) return false;
      if (step.axes[axis].size != old.axes[axis].size && !may_differ) return false;
    }
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const auto input = static_cast<std::size_t>(step.inputs[i]);
      if (plan_.steps[input].name != last_.step(old.inputs[i]).name) return false;
    }
    return step.operation->continues(old.operation);
  }

  [[nodiscard]] Index rows_of_input(int input) const {
    const auto at = static_cast<std::size_t>(input);
    return same_[at] >= 0 ? kAllRows : known_[at].rows;
  }

  [[nodiscard]] Index rows_of(std::size_t number, const Step& old) const {
    const PlannedStep& step = plan_.steps[number];
    if (const auto* rows = as<LookupOperation>(step.operation))
      return common_prefix(rows->rows, as<LookupOperation>(old.operation)->rows);
    if (const auto* text = as<TokenIdsOperation>(step.operation))
      return common_prefix(text->ids, as<TokenIdsOperation>(old.operation)->ids);
    Index rows = kAllRows;
    for (const int input : step.inputs) rows = std::min(rows, rows_of_input(input));
    const bool whole_rows = is<SoftmaxOperation>(step.operation) && grows_keys(step) && !causal_[number];
    if (rows == 0 || whole_rows) return 0;
    if (rows == kAllRows) return rows;
    // Scores need their query and their key, and masks and causal weights their score.
    if (grows_keys(step)) return rows;
    const bool sums_weights =
        is<ContractOperation>(step.operation) && causal_[static_cast<std::size_t>(step.inputs[0])];
    return sums_weights || reads_known_rows(step, static_cast<int>(number), rows) ? rows : 0;
  }

  /// Whether the first rows are computed from known rows alone.
  [[nodiscard]] bool reads_known_rows(const PlannedStep& step, int number, Index rows) const {
    const int axis = token_axis(step.axes);
    if (axis < 0) return false;
    Region box = whole_region(number, step.axes);
    Index& end = box.end[static_cast<std::size_t>(axis)];
    end = std::min(end, rows);
    const std::vector<Region> sources = step.operation->input_regions({plan_.steps, step}, box);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto input = static_cast<std::size_t>(step.inputs[i]);
      if (same_[input] >= 0) continue;
      const int of_input = token_axis(plan_.steps[input].axes);
      if (of_input < 0 || sources[i].end[static_cast<std::size_t>(of_input)] > known_[input].rows) return false;
    }
    return true;
  }

  const Plan& plan_;
  const Trace& last_;
  std::span<const int> same_;
  std::vector<KnownRows> known_;
  std::vector<bool> causal_;
};

}  // namespace

bool reads_tokens(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const PlannedStep& step) {
    return is<LookupOperation>(step.operation) || is<TokenIdsOperation>(step.operation);
  });
}

std::vector<KnownRows> known_rows(const Plan& plan, const Trace& last, std::span<const int> same) {
  // A moved slider does not wait for a search that finds nothing.
  if (!reads_tokens(plan)) return {};
  return KnownRowSearch(plan, last, same).find();
}

}  // namespace attnscope
