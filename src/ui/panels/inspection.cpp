// What there is to say about one number, collected when it is chosen.
#include "ui/panels/inspection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/text.h"
#include "core/operations/draw.h"
#include "core/operations/import.h"
#include "core/operations/mask.h"
#include "core/operations/positions.h"
#include "core/operations/softmax.h"
#include "figure/slices/matrix.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {
namespace {

// Cells shown of a long row.
constexpr std::size_t kRowShown = 16;

/// The first step that takes `step` as an input.
const Step* consumer(const Trace& trace, int step) {
  for (const Step& each : trace.steps()) {
    if (std::find(each.inputs.begin(), each.inputs.end(), step) != each.inputs.end()) return &each;
  }
  return nullptr;
}

/// "q[1, 2, :]", with a colon for an axis of which the region has more than one index.
std::string region_text(const Trace& trace, const Region& region) {
  const Step& step = trace.step(region.step);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < region.begin.size(); ++i) {
    const bool whole = region.end[i] - region.begin[i] > 1;
    parts.push_back(whole ? ":" : std::to_string(region.begin[i]));
  }
  return step.name + "[" + join(parts, ", ") + "]";
}

/// The cells of a row to list: all of a short one; of a long one the largest, and its `current` cell, or else the first and
/// the last, with their count for the gap.
std::vector<std::size_t> listed_cells(const Inspection& inspection, bool largest_first) {
  const std::size_t count = inspection.row.size();
  if (count <= kRowShown || !largest_first) return elided(count, kRowShown);
  const auto value = [&](std::size_t at) {
    const double number = inspection.row[at].second;
    return std::isnan(number) ? -std::numeric_limits<double>::infinity() : number;
  };
  std::vector<std::size_t> cells(count);
  std::iota(cells.begin(), cells.end(), std::size_t{0});
  std::ranges::stable_sort(cells, [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  cells.resize(kRowShown);
  if (std::ranges::find(cells, inspection.row_current) == cells.end()) cells.back() = inspection.row_current;
  cells.push_back(count);
  return cells;
}

/// Adds the row of the cell; for scores, the weights that the softmax computes from it.
void add_row(const Trace& trace, const Step& step, Inspection& inspection) {
  const Step* shown = &step;
  inspection.row_title = "this row";
  for (const Step* next = shown; next != nullptr;
       next = consumer(trace, static_cast<int>(next - trace.steps().data()))) {
    const bool passes =
        is<MaskOperation>(next->operation) || is<DistanceBiasOperation>(next->operation) || next == &step;
    if (is<SoftmaxOperation>(next->operation) && next != &step) {
      shown = next;
      inspection.row_title = "softmax of this row";
    }
    if (!passes) break;
  }
  inspection.row_is_weights = is_weights(*shown);
  std::vector<Index> index = inspection.cell.index;
  // No row of attention is longer.
  constexpr Index kMaxRow = Index{1} << 20U;
  if (index.empty() || shown->axes.back().size > kMaxRow) return;
  inspection.row_current = static_cast<std::size_t>(index.back());
  Region row = single_cell(static_cast<int>(shown - trace.steps().data()), index);
  row.begin.back() = 0;
  row.end.back() = shown->axes.back().size;
  const std::shared_ptr<const Tensor> numbers = trace.numbers(row);
  const Axis& axis = shown->axes.back();
  for (const float number : numbers->values()) inspection.row.emplace_back("", number);
  // The first tokens of a vocabulary are no more interesting than any others.
  const bool largest_first = inspection.row_is_weights || axis.name == "vocabulary";
  inspection.row_listed = listed_cells(inspection, largest_first);
  if (largest_first && inspection.row.size() > kRowShown) inspection.row_title += ", largest first";
  // Only listed cells need a label.
  const Index item = batch_item(shown->axes, index);
  for (const std::size_t at : inspection.row_listed) {
    if (at == inspection.row.size()) continue;
    inspection.row[at].first = entry_text(trace, shown->name, axis, static_cast<Index>(at), item);
  }
}

}  // namespace

std::vector<std::size_t> elided(std::size_t count, std::size_t most, std::optional<std::size_t> wanted) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > most && i == most / 2) {
      lines.push_back(count);
      i = count - most / 2;
    }
    lines.push_back(i);
  }
  const bool in_gap = wanted && std::ranges::find(lines, *wanted) == lines.end();
  if (in_gap && most > 1) lines[most / 2 - 1] = *wanted;
  return lines;
}

std::optional<Inspection> inspect(const Trace& trace, const NamedCell& cell) {
  const Step* const step = step_of(trace, cell);
  if (step == nullptr) return std::nullopt;
  const auto number = static_cast<int>(step - trace.steps().data());
  Inspection inspection;
  inspection.cell = cell;
  inspection.explanation = explain(trace, number, cell.index);
  if (const auto* draw = as<DrawOperation>(step->operation)) {
    inspection.drawn = true;
    inspection.edited = draw->is_edited(offset_in(step->axes, cell.index));
  }
  if (const auto* weight = as<ImportOperation>(step->operation); weight != nullptr && weight->is_weight) {
    inspection.stored = true;
    inspection.edited = weight->is_edited(offset_in(step->axes, cell.index));
  }
  const Index item = batch_item(step->axes, cell.index);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < cell.index.size(); ++i)
    parts.push_back(axis_position_text(trace, step->name, step->axes[i], cell.index[i], item));
  inspection.coordinates = join(parts, " · ");
  add_row(trace, *step, inspection);
  for (const Region& region : inspection.explanation.regions) {
    const Step& source = trace.step(region.step);
    // Of the row that a softmax reads, the entry of the same key.
    const bool has_same = source.axes == step->axes && region.contains(cell.index);
    inspection.sources.push_back({source.name, has_same ? cell.index : region.begin});
    inspection.source_texts.push_back(region_text(trace, region));
  }
  // Only an element-wise operation uses the cell in a single cell, at the same index.
  if (const Step* next = consumer(trace, number);
      next != nullptr && next->axes.size() == step->axes.size() && next->axes == step->axes) {
    inspection.used_by = NamedCell{next->name, cell.index};
    inspection.used_by_text = next->name + index_text(cell.index);
  }
  return inspection;
}

namespace {

/// Whether the mark's matrix contains the cell.
bool shows(const HeatmapMark& mark, const std::vector<Index>& index) {
  return mark.leading.size() <= index.size() && std::equal(mark.leading.begin(), mark.leading.end(), index.begin());
}

/// The colour scale of the cell's matrix where a view shows it alone.
ColorScale scale_alone(const Trace& trace, const Step& step, const std::vector<Index>& index) {
  Slice slice;
  for (std::size_t i = 0; i < step.axes.size(); ++i) {
    if (step.axes[i].name == "head") slice.head = index[i];
    if (step.axes[i].name == "batch") slice.item = index[i];
  }
  if (const auto mark = matrix_mark(trace, step.name, slice); mark && shows(*mark, index)) return mark->scale;
  const std::size_t last = std::min<std::size_t>(index.size(), 2);
  const auto number = static_cast<int>(&step - trace.steps().data());
  return natural_scale(step, *slice_mark(trace, number, {index.begin(), index.end() - static_cast<int>(last)}).source);
}

}  // namespace

ColorScale inspected_scale(const Trace& trace, const Figure& figure, const NamedCell& cell) {
  const Step& step = *trace.find(cell.tensor);
  const auto number = static_cast<int>(&step - trace.steps().data());
  const auto shown = std::find_if(figure.heatmaps.begin(), figure.heatmaps.end(), [&](const HeatmapMark& mark) {
    return mark.step == number && mark.axes == step.axes && shows(mark, cell.index);
  });
  if (shown != figure.heatmaps.end()) return shown->scale;
  // The words of a text stand on the colours of cells that have targets of the same id.
  const TensorCell wanted = {number, cell.index};
  for (const TargetMark& target : figure.targets) {
    if (target.cell != wanted) continue;
    const auto word = std::ranges::find(figure.words, target.id, &WordMark::id);
    if (word != figure.words.end() && word->value) return word->scale;
  }
  return scale_alone(trace, step, cell.index);
}

}  // namespace attnscope::ui
