// The cell in the inspector, explained again only when the cell, the trace or the figure changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ui/panels/panels.h"
#include "ui/parts/shown_figure.h"

namespace attnscope::ui {

class InspectedCell {
 public:
  void update(const Shared& shared, const ShownFigure& shown);
  /// Null where no cell of the trace is inspected.
  [[nodiscard]] const Inspection* inspection() const { return inspection_ ? &*inspection_ : nullptr; }

 private:
  std::optional<Inspection> inspection_;
  std::shared_ptr<const Trace> trace_;
  std::uint64_t figure_ = 0;  ///< see ShownFigure::built
};

}  // namespace attnscope::ui
