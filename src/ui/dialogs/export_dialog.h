// The dialog that writes the view as a figure: what it will look like, and all that can be chosen about it.
#pragma once

#include <cstdint>
#include <string>

#include "ui/panels/figure_panel.h"

namespace attnscope::ui {

/// What the dialog shows besides its settings.
struct ExportShown {
  const Figure* figure = nullptr;  ///< as it will be written; null while it is being built
  std::uint64_t number = 0;        ///< another one for every figure
  const ColorLuts& luts;
  HeatmapBatch& batch;
  platform::LineLayer& lines;
  std::string caption;
};

/// The inside of the dialog; settings and path are in `state`. True when it is confirmed.
bool export_dialog(const Style& style, const ExportShown& shown, UiState& state);

}  // namespace attnscope::ui
