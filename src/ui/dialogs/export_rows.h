// What the dialogs that write figures have in common: rows of settings, and the page as it will be written.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ui/panels/export_settings.h"
#include "ui/panels/figure_panel.h"

namespace attnscope::ui {

/// Logical pixels: of the words before the fields, of a number's field, and of a whole row.
inline constexpr double kLabelWidth = 88;
inline constexpr double kFieldWidth = 74;
inline constexpr double kSettingsWidth = 300;

/// The label of a row; what follows stands in the column of the fields.
void row_label(const Style& style, const char* label);

/// A list to choose from; returns the position of what was chosen.
std::optional<std::size_t> list_field(const char* id, float width, std::span<const std::string> names, std::size_t now);

/// Width, height, type and resolution, of which `resolution_unit` says what it is of; `figure`, which may be null, has
/// the height that is free.
void size_rows(const Style& style, ExportSettings& settings, const Figure* figure, const char* resolution_unit);

/// Theme, colours, range and content.
void look_rows(const Style& style, ExportSettings& settings);

/// The figure on its page, in the middle of `room`; `number` is another one for every figure.
struct PreviewedPage {
  const Figure* figure = nullptr;  ///< null: there is none yet
  std::uint64_t number = 0;
  double aspect = 0;  ///< height by width of the page; 0: the figure's own
  Theme theme = Theme::paper;
};
void page_preview(const Style& style, const PreviewedPage& page, const ColorLuts& luts, HeatmapBatch& batch,
                  platform::LineLayer& lines, ImVec2 room);

}  // namespace attnscope::ui
