#include "core/trace/imported_weights.h"

#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/imported/tensor_roles.h"
#include "core/operations/import.h"
#include "core/trace/trace.h"

namespace attnscope {
namespace {

// Rows that are checked in weights that are not resident.
constexpr Index kRowsLookedAt = 64;

/// Counts what is odd, row by row.
class OddWeights {
 public:
  OddWeights(const Experiment& experiment, const Axes& axes) : axes_(axes), mask_(declared_mask(experiment, axes)) {}

  /// `index`: that of the row, without the key.
  void add(std::span<const Index> index, std::span<const float> row) {
    const Index keys = std::ssize(row);
    ++rows_;
    if (!look_at_rows({row.data(), 1, keys, keys, 1}).all()) ++unlike_;
    if (!mask_) return;
    Index batch = 0;
    Index head = 0;
    for (std::size_t axis = 0; axis + 1 < index.size(); ++axis) {
      if (axes_[axis].name == "batch") batch = index[axis];
      if (axes_[axis].name == "head") head = index[axis];
    }
    for (Index key = 0; key < keys; ++key) {
      if (row[static_cast<std::size_t>(key)] != 0 && !mask_->keeps(batch, head, index.back(), key)) ++outside_;
    }
  }

  /// `checked`: " checked" where these are only some of the rows.
  void warn(const std::string& name, const std::string& checked, std::vector<std::string>& warnings) const {
    const std::string rows = grouped_text(rows_) + " rows" + checked;
    if (unlike_ > 0) {
      warnings.push_back(name + ": " + grouped_text(unlike_) + " of " + rows +
                         " do not sum to 1; they are shown unchanged");
    }
    if (outside_ == 0) return;
    warnings.push_back(name + ": " + grouped_text(outside_) + (outside_ == 1 ? " weight" : " weights") +
                       (checked.empty() ? "" : " of " + rows) + " outside the mask " + mask_text(mask_->mask()) +
                       (outside_ == 1 ? " is not 0; it is shown unchanged" : " are not 0; they are shown unchanged"));
  }

 private:
  const Axes& axes_;
  std::optional<MaskField> mask_;
  Index rows_ = 0;
  Index unlike_ = 0;
  Index outside_ = 0;
};

bool is_imported_weights(const Step& step) {
  return is<ImportOperation>(step.operation) && is_attention(step) && step.axes.size() >= 2;
}

}  // namespace

std::optional<MaskField> declared_mask(const Experiment& experiment, const Axes& axes) {
  if (experiment.mask().kind == Mask::Kind::none) return std::nullopt;
  MaskSizes sizes = {1, 1, axes[axes.size() - 2].size, axes.back().size};
  if (const Axis* const batch = find_axis(axes, "batch")) sizes.batch = batch->size;
  if (const Axis* const head = find_axis(axes, "head")) sizes.heads = head->size;
  if (!check_mask(experiment.mask(), sizes)) return std::nullopt;
  return MaskField(experiment.mask(), sizes);
}

void warn_of_weights(const Step& step, const Experiment& experiment, std::vector<std::string>& warnings) {
  if (!is_imported_weights(step) || step.tensor == nullptr) return;
  const Axes leading(step.axes.begin(), step.axes.end() - 1);
  const auto keys = static_cast<std::size_t>(step.axes.back().size);
  OddWeights odd(experiment, step.axes);
  for (Index row = 0; row < element_count(leading); ++row)
    odd.add(index_in(leading, row), step.tensor->values().subspan(static_cast<std::size_t>(row) * keys, keys));
  odd.warn(step.name, "", warnings);
}

void warn_of_some_weights(const Step& step, int number, const LazyTensors& lazy, const Experiment& experiment,
                          std::vector<std::string>& warnings) {
  if (!is_imported_weights(step)) return;
  const Axes leading(step.axes.begin(), step.axes.end() - 1);
  const Index rows = element_count(leading);
  const Index count = std::min(rows, kRowsLookedAt);
  OddWeights odd(experiment, step.axes);
  for (Index i = 0; i < count; ++i) {
    const std::vector<Index> index = index_in(leading, i * rows / count);
    const std::shared_ptr<const Tensor> numbers = lazy.numbers(region_within(number, step.axes, index), {});
    odd.add(index, numbers->values());
  }
  odd.warn(step.name, " checked", warnings);
}

}  // namespace attnscope
