#include "core/residual/value_parts.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/operations/contract.h"
#include "core/operations/rearrange.h"
#include "core/operations/rearranged_index.h"
#include "core/residual/head_path.h"

namespace attnscope {
namespace {

/// The factors of a head's output [dim] at a query, from those of the merged outputs [feature].
std::vector<double> factors_of_head(const Step& merged, const Step& heads, const ScoreChoice& choice,
                                    const std::vector<double>& of_merged) {
  std::vector<double> own(static_cast<std::size_t>(heads.axes.back().size));
  const RearrangedIndex origin(*as<RearrangeOperation>(merged.operation), merged.axes);
  for (std::size_t i = 0; i < of_merged.size(); ++i) {
    const Index offset = offset_in(merged.axes, std::vector<Index>{choice.query, static_cast<Index>(i)});
    const std::vector<Index> index = index_in(heads.axes, origin.source(offset));
    if (index.front() == choice.head) own[static_cast<std::size_t>(index.back())] = of_merged[i];
  }
  return own;
}

}  // namespace

Result<Contributions> value_parts(const Trace& trace, const ScoreChoice& choice, const LogitChoice& logit,
                                  const StopToken& stop) {
  const Result<ResidualSum> sum = residual_sum(trace);
  if (!sum) return tl::unexpected(sum.error());
  const Result<HeadPath> path = head_path(trace, choice.weights);
  if (!path) return tl::unexpected(path.error());
  if (std::ranges::find(sum->summands, path->projection) == sum->summands.end())
    return fail("What these heads write is not a part of the sum that the answer is read from.");
  const LinearNumber answer = logit_of_state(trace, sum->stream, logit);
  if (answer.row != choice.query)
    return fail("The answer is read from token " + std::to_string(answer.row + 1) + ": choose it as the query.");
  const Axes& written = trace.step(path->projection).axes;
  const Result<LinearNumber> merged =
      linear_in(trace, region_within(path->projection, written, std::vector<Index>{choice.query}), answer.direction,
                path->merged);
  if (!merged) return tl::unexpected(merged.error());
  const Step& merging = trace.step(path->merged);
  const Step& heads = trace.step(merging.inputs[0]);
  const std::vector<Index> output = {choice.head, choice.query};
  const Step& outputs = trace.step(path->outputs);
  if (merging.inputs[0] != path->outputs && numbers_in(trace, region_within(merging.inputs[0], heads.axes, output)) !=
                                                numbers_in(trace, region_within(path->outputs, outputs.axes, output)))
    return fail("An intervention replaces what this head reads.");
  std::vector<double> direction = factors_of_head(merging, heads, choice, merged->direction);
  std::vector<Index> cell = leading_index(trace.step(choice.weights).axes, 2, choice.head, 0);
  cell.insert(cell.end(), {choice.query, choice.key});
  const auto weight = static_cast<double>(trace.value(choice.weights, cell));
  for (double& each : direction) each *= weight / as<ContractOperation>(outputs.operation)->divisor;
  Region value = value_at(trace, *path, choice.head, choice.key);
  const std::vector<double> numbers = numbers_in(trace, value);
  const double traced = std::inner_product(numbers.begin(), numbers.end(), direction.begin(), 0.0);
  const Result<LinearNumber> linear = linear_number(trace, std::move(value), std::move(direction));
  if (!linear) return tl::unexpected(linear.error());
  const Result<std::vector<int>> summands = summands_of_stream(trace, linear->state);
  if (!summands) return tl::unexpected(summands.error());
  std::optional<Contributions> parts = parts_of(trace, *summands, *linear, stop);
  if (!parts) return fail("stopped before it was done");
  parts->traced = traced;
  return std::move(*parts);
}

}  // namespace attnscope
