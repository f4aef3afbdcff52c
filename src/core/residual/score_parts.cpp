#include "core/residual/score_parts.h"

#include <utility>
#include <vector>

#include "core/heads/head_circuits.h"
#include "core/operations/contract.h"

namespace attnscope {
Result<ScoreDirection> score_direction(const Trace& trace, const ScoreChoice& choice) {
  const int scores = product_before(trace, choice.weights);
  if (scores < 0) return fail("The weights are not computed from queries and keys.");
  const Step& step = trace.step(scores);
  std::vector<Index> cell = leading_index(step.axes, 2, choice.head, 0);
  cell.insert(cell.end(), {choice.query, choice.key});
  const std::vector<Region> sources = regions_behind(trace.plan()->steps, single_cell(scores, cell));
  const std::size_t side = choice.side == ScoreSide::query ? 0 : 1;
  const auto fixed = trace.numbers(sources[1 - side]);
  ScoreDirection score = {sources[side], {fixed->values().begin(), fixed->values().end()}};
  score.divisor = as<ContractOperation>(step.operation)->divisor;
  for (double& each : score.direction) each /= score.divisor;
  score.score = static_cast<double>(trace.value(scores, cell));
  return score;
}

Result<Contributions> score_parts(const Trace& trace, const ScoreChoice& choice, const StopToken& stop) {
  Result<ScoreDirection> score = score_direction(trace, choice);
  if (!score) return tl::unexpected(score.error());
  const Result<LinearNumber> linear = linear_number(trace, score->box, std::move(score->direction));
  if (!linear) return tl::unexpected(linear.error());
  const Result<std::vector<int>> summands = summands_of_stream(trace, linear->state);
  if (!summands) return tl::unexpected(summands.error());
  std::optional<Contributions> parts = parts_of(trace, *summands, *linear, stop);
  if (!parts) return fail("stopped before it was done");
  parts->traced = score->score;
  return std::move(*parts);
}

}  // namespace attnscope
