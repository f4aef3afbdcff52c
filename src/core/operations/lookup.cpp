#include "core/operations/lookup.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

std::string file_text(const ImportedTensors& from, std::size_t which) {
  const std::string& file = from.file();
  return "from " + file.substr(file.rfind('/') + 1) + ", " + from.tensors()[which].name;
}

/// "[15496, 995]".
std::string id_list(const std::vector<Index>& ids) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const Index id : ids) texts.push_back(std::to_string(id));
  return "[" + join(texts, ", ") + "]";
}

}  // namespace

Value look_up(PlanBuilder& r, std::string name, LookupOperation lookup, Axes axes) {
  const auto flops = static_cast<double>(element_count(axes));
  return r.record({std::move(name), std::move(lookup), {}, std::move(axes), flops});
}

std::string LookupOperation::formula(const StepInPlan& step) const {
  const Axes& axes = step.step.axes;
  return "the row that each " + axes.front().name + " selects, " + file_text(*from, which) +
         (factor == 1 ? "" : ", times " + exact_text(factor));
}

void LookupOperation::read(const Region& region, const StepContext& context, Tensor& out) const {
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    if (context.gives_up()) return;
    const Index row = rows[static_cast<std::size_t>(index[0])];
    const std::array<Index, 2> begin = {row, region.begin[1]};
    const std::array<Index, 2> end = {row + 1, region.end[1]};
    const auto to = out.values().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(region.size(1)));
    if (const Result<void> done = from->read(which, begin, end, to, context.stop); !done) {
      std::fill(to.begin(), to.end(), std::numeric_limits<float>::quiet_NaN());
      if (context.failure != nullptr && !context.stop.stop_requested()) context.failure->note(done.error().message);
    } else if (factor != 1) {
      for (float& number : to) number *= static_cast<float>(factor);
    }
  });
}

void LookupOperation::compute(Inputs /*inputs*/, const StepContext& context, Tensor& out) const {
  read(whole_region(0, out.axes()), context, out);
}

std::vector<Region> LookupOperation::input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
  return {};
}

void LookupOperation::compute_part(const StepPart& part, Inputs /*inputs*/, const StepContext& context,
                                   Tensor& out) const {
  read(part.region, context, out);
}

double LookupOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const {
  return std::numeric_limits<double>::infinity();
}

void LookupOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const Index row = rows[static_cast<std::size_t>(cell.index[0])];
  const std::array<Index, 2> begin = {row, cell.index[1]};
  const std::array<Index, 2> end = {row + 1, cell.index[1] + 1};
  std::array<float, 1> stored = {std::numeric_limits<float>::quiet_NaN()};
  const Result<void> done = from->read(which, begin, end, stored, {});
  const auto value = static_cast<double>(stored[0]);
  e.formula = from->tensors()[which].name + index_text(begin);
  if (factor != 1) {
    e.results.push_back({e.formula, value});
    e.formula += " × " + exact_text(factor);
  }
  e.note = done ? "read " + file_text(*from, which) + ", row " + std::to_string(row) : done.error().message;
  e.computed = value * factor;
}

std::string TokenIdsOperation::formula(const StepInPlan& /*step*/) const { return "the ids of the text's tokens"; }

void TokenIdsOperation::compute(Inputs /*inputs*/, const StepContext& /*context*/, Tensor& out) const {
  std::transform(ids.begin(), ids.end(), out.values().begin(), [](Index id) { return static_cast<float>(id); });
}

void TokenIdsOperation::compute_part(const StepPart& part, Inputs /*inputs*/, const StepContext& /*context*/,
                                     Tensor& out) const {
  std::transform(ids.begin() + part.region.begin[0], ids.begin() + part.region.end[0], out.values().begin(),
                 [](Index id) { return static_cast<float>(id); });
}

std::vector<Region> TokenIdsOperation::input_regions(const StepInPlan& /*step*/, const Region& /*region*/) const {
  return {};
}

double TokenIdsOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> /*inputs*/) const {
  return static_cast<double>(ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end()));
}

void TokenIdsOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const auto at = static_cast<std::size_t>(cell.index[0]);
  e.computed = static_cast<double>(ids[at]);
  e.formula = at < pieces.size() ? "the token " + quoted_text(pieces[at]) : "token " + std::to_string(at + 1);
  e.note = at < pieces.size() ? quoted_text(pieces[at]) + " has the id " + std::to_string(ids[at])
                              : "given as the id " + std::to_string(ids[at]);
}

std::string LookupOperation::python(const StepInPlan& /*step*/, std::span<const std::string> /*inputs*/) const {
  const std::string code = "given[" + python_text(from->python_name(which)) + "][" + id_list(rows) + "]";
  return factor == 1 ? code : code + " * " + python_number(factor);
}

std::string TokenIdsOperation::python(const StepInPlan& /*step*/, std::span<const std::string> /*inputs*/) const {
  return "torch.tensor(" + id_list(ids) + ").float()";
}

}  // namespace attnscope
