#include "core/studies/equivalence.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <new>

#include "core/base/text.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"

namespace attnscope {
namespace {

Difference difference_of(std::string what, const Tensor& one, const Tensor& other) {
  assert(one.count() == other.count());
  Difference difference = {std::move(what), one.axes(), 0, 0};
  for (std::size_t i = 0; i < one.values().size(); ++i) {
    const auto a = static_cast<double>(one.values()[i]);
    const auto b = static_cast<double>(other.values()[i]);
    if (std::isfinite(a)) difference.magnitude = std::max(difference.magnitude, std::abs(a));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const bool finite = std::isfinite(a) && std::isfinite(b);
    difference.largest =
        finite ? std::max(difference.largest, std::abs(a - b)) : std::numeric_limits<double>::infinity();
  }
  return difference;
}

}  // namespace

bool EquivalenceResult::agrees() const {
  return std::all_of(differences.begin(), differences.end(), [](const Difference& each) { return each.agrees(); });
}

const Equivalence* find_equivalence(std::string_view name) {
  const std::span<const Equivalence> all = equivalences();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Equivalence& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Result<EquivalenceSides> equivalence_sides(const Equivalence& equivalence, const Experiment& experiment,
                                           double memory_budget) {
  const std::vector<std::string>& allowed = equivalence.systems;
  if (std::find(allowed.begin(), allowed.end(), experiment.system) == allowed.end()) {
    return fail("this comparison applies to " + join(allowed, " and ") + ", not to " + experiment.system);
  }
  Result<EquivalenceSides> sides = equivalence.sides(experiment);
  if (!sides) return sides;
  // Dropout would draw different patterns on the two sides.
  for (Experiment* side : {&sides->one, &sides->other}) side->parameters["dropout"] = 0.0;
  for (const Experiment* side : {&sides->one, &sides->other}) {
    if (const Result<void> valid = validate(*side, memory_budget); !valid)
      return fail(side->system + ": " + valid.error().message);
  }
  const double bytes = cost_of(sides->one).bytes + cost_of(sides->other).bytes;
  if (bytes > memory_budget) {
    return fail("both sides together need " + bytes_text(bytes) + "; allowed: " + bytes_text(memory_budget));
  }
  return sides;
}

double equivalence_flops(const EquivalenceSides& sides) {
  return cost_of(sides.one).flops + cost_of(sides.other).flops;
}

Comparison::Comparison(EquivalenceSides sides, const Progress& progress)
    : sides_(std::move(sides)), progress_(progress) {
  run_of_one_.begin(sides_.one, progress_);
}

std::optional<Result<EquivalenceResult>> Comparison::go_on(std::optional<StopClock::time_point> until) {
  try {
    if (one_ == nullptr) {
      const auto one = run_of_one_.go_on(until);
      if (!one) return std::nullopt;
      if (!*one) return tl::unexpected(one->error());
      one_ = **one;
      Progress second = progress_;
      second.done_flops += cost_of(sides_.one).flops;
      run_of_other_.begin(sides_.other, second, sides_.given(*one_));
      if (until) return std::nullopt;
    }
    const auto other = run_of_other_.go_on(until);
    if (!other) return std::nullopt;
    if (!*other) return tl::unexpected(other->error());
    return differences(***other);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for both sides of the comparison");
  }
}

Result<EquivalenceResult> Comparison::differences(const Trace& other) const {
  EquivalenceResult result = {sides_.one_text, sides_.other_text, {}};
  for (const EquivalenceSides::Pair& pair : sides_.pairs) {
    if (progress_.stop.stop_requested()) return fail("stopped before it was done");
    result.differences.push_back(difference_of(pair.what, *pair.of_one(*one_), *pair.of_other(other)));
  }
  return result;
}

Result<EquivalenceResult> compare(const EquivalenceSides& sides, const Progress& progress) {
  return *Comparison(sides, progress).go_on();
}

}  // namespace attnscope
