#include "core/studies/permutation.h"

#include <algorithm>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/plan/resident_steps.h"
#include "core/trace/run.h"

namespace attnscope {
namespace {

/// The input `x` [token, feature]; null if there is none.
const Step* token_input(const Trace& trace) {
  const Step* x = trace.find("x");
  const bool tokens = x != nullptr && x->inputs.empty() && x->axes.size() >= 2 &&
                      x->axes[x->axes.size() - 2].name == "token" && x->tensor != nullptr;
  return tokens ? x : nullptr;
}

std::shared_ptr<const Tensor> rows_in_order(const Tensor& x, const std::vector<Index>& order) {
  auto out = std::make_shared<Tensor>(x.axes());
  const Index length = x.size(-1);
  const auto tokens = static_cast<Index>(order.size());
  for (Index to = 0; to < element_count(x.axes()) / std::max<Index>(1, length); ++to) {
    const Index from = to / tokens * tokens + order[static_cast<std::size_t>(to % tokens)];
    std::copy_n(x.values().begin() + from * length, length, out->values().begin() + to * length);
  }
  return out;
}

}  // namespace

Index permutable_tokens(const Trace& trace) {
  const Step* x = token_input(trace);
  return x == nullptr ? 0 : x->axes[x->axes.size() - 2].size;
}

Result<std::shared_ptr<const Trace>> run_in_order(const Trace& trace, const std::vector<Index>& order,
                                                  const StopToken& stop) {
  Progress progress;
  progress.stop = stop;
  const double left = trace.bytes_left();
  const double needed = resident_cost(*trace.plan(), resident_steps(*trace.plan(), left)).bytes;
  if (needed > left) {
    return fail("computing " + trace.experiment().system + " again needs " + bytes_text(needed) +
                "; allowed: the remaining " + bytes_text(left));
  }
  return Executor(left).run(trace.experiment(), progress, {{"x", rows_in_order(*token_input(trace)->tensor, order)}});
}

}  // namespace attnscope
