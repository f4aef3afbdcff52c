#include "app/session/mask_cell.h"

#include <algorithm>
#include <array>

#include "core/experiment/system.h"
#include "core/operations/import.h"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 5> kMasked = {"scores", "biased_scores", "masked_scores", "weights",
                                                     "dropped_weights"};

}  // namespace

bool is_imported_weights(const Step& step) { return is<ImportOperation>(step.operation) && is_attention(step); }

std::optional<MaskCell> mask_cell(const Trace& trace, std::string_view tensor, std::span<const Index> index) {
  // "single.scores", "layer2.weights"; scores of cross-attention have other names, and no mask.
  const std::string_view name = tensor.substr(tensor.find('.') == std::string_view::npos ? 0 : tensor.find('.') + 1);
  const Step* step = trace.find(tensor);
  if (step == nullptr || std::find(kMasked.begin(), kMasked.end(), name) == kMasked.end()) return std::nullopt;
  if (is_imported_weights(*step)) return std::nullopt;
  const MaskSizes sizes = find_system(trace.experiment().system)->mask_sizes(trace.experiment());
  const Axes& axes = step->axes;
  if (axes.size() < 2 || index.size() != axes.size()) return std::nullopt;
  if (axes[axes.size() - 2].size != sizes.queries || axes.back().size != sizes.keys) return std::nullopt;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (index[i] < 0 || index[i] >= axes[i].size) return std::nullopt;
  }
  MaskCell cell = {0, 0, index[index.size() - 2], index.back()};
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) (axes[i].name == "head" ? cell.head : cell.batch) = index[i];
  return cell;
}

std::optional<bool> is_kept(const Experiment& experiment, const MaskCell& cell) {
  const MaskSizes sizes = find_system(experiment.system)->mask_sizes(experiment);
  if (cell.batch >= sizes.batch || cell.head >= sizes.heads || cell.query >= sizes.queries || cell.key >= sizes.keys)
    return std::nullopt;
  const MaskField field(experiment.mask(), sizes);
  return field.keeps(cell.batch, cell.head, cell.query, cell.key);
}

}  // namespace attnscope
