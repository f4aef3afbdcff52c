// The dialog that writes the view as a figure: settings and preview.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/figures/figure_file.h"
#include "ui/panels/figure_panel.h"

namespace attnscope::ui {

/// What the dialog shows in addition to its settings.
struct ExportShown {
  const Figure* figure = nullptr;  ///< the preview; null while it is being built
  std::uint64_t number = 0;        ///< unique to the figure
  const ColorLuts& luts;
  HeatmapBatch& batch;
  platform::LineLayer& lines;
  std::string caption;
  std::optional<SmallerType> smaller_type = std::nullopt;  ///< of the preview
  std::optional<FigureFileOptions> file = std::nullopt;    ///< of the preview: with the sizes of its preset
  std::string refusal = {};                                ///< why it does not fit into its preset
};

/// The content of the dialog; settings and path are in `state`. True when the user confirms it.
bool export_dialog(const Style& style, const ExportShown& shown, UiState& state);

}  // namespace attnscope::ui
