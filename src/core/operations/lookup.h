// Rows of a table of weights: the embeddings of tokens, positions and token types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/experiment/imported_tensors.h"
#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// out[token, feature] = table[rows[token], feature] · factor, read from the file row by row.
struct LookupOperation {
  std::shared_ptr<const ImportedTensors> from;
  std::size_t which = 0;
  std::vector<Index> rows;  ///< per token, each within the table
  double factor = 1;

  [[nodiscard]] std::string name() const { return "lookup"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  void compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;
  [[nodiscard]] OperationTraits traits() const { return {.reads_file = true}; }

  [[nodiscard]] bool continues(const LookupOperation& last) const {
    return from == last.from && which == last.which && factor == last.factor;
  }

  friend bool operator==(const LookupOperation&, const LookupOperation&) = default;

 private:
  void read(const Region& region, const StepContext& context, Tensor& out) const;
};

/// The ids of the tokens of a text, as numbers.
struct TokenIdsOperation {
  std::vector<Index> ids;
  std::vector<std::string> pieces;  ///< per token, or empty

  [[nodiscard]] std::string name() const { return "token_ids"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;
  [[nodiscard]] std::string python(const StepInPlan& step, std::span<const std::string> inputs) const;

  [[nodiscard]] bool continues(const TokenIdsOperation& /*last*/) const { return true; }

  friend bool operator==(const TokenIdsOperation&, const TokenIdsOperation&) = default;
};

}  // namespace attnscope
