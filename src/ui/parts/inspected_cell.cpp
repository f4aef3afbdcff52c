#include "ui/parts/inspected_cell.h"

namespace attnscope::ui {

void InspectedCell::update(const Shared& shared, const ShownFigure& shown) {
  const std::shared_ptr<const Trace>& trace = shared.traces.trace();
  const std::optional<NamedCell>& cell = shared.state.inspected();
  if (!trace || !cell) {
    inspection_.reset();
    trace_.reset();  // and with it the model that it is of
    return;
  }
  const bool same = inspection_ && inspection_->cell == *cell && trace_ == trace;
  if (same && figure_ == shown.built()) return;
  if (!same) inspection_ = inspect(*trace, *cell);
  if (inspection_) inspection_->scale = inspected_scale(*trace, shown.target(), *cell);
  trace_ = trace;
  figure_ = shown.built();
}

}  // namespace attnscope::ui
