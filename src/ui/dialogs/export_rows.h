// What the dialogs that write figures share: rows of settings, and a preview of the page.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ui/panels/export_settings.h"
#include "ui/panels/figure_panel.h"

namespace attnscope::ui {

/// Widths of a label, of a field for a number, and of a row, in logical pixels.
inline constexpr double kLabelWidth = 88;
inline constexpr double kFieldWidth = 74;
inline constexpr double kSettingsWidth = 300;

/// The label of a row; the next item is in the column of the fields.
void row_label(const Style& style, const char* label);

/// A drop-down list that shows item `selected`; returns the position of the item chosen in this frame. Positions count
/// from 0, `width` is in ImGui's pixels.
std::optional<std::size_t> list_field(const char* id, float width, std::span<const std::string> names,
                                      std::size_t selected);

/// Width, height, type size and resolution in `resolution_unit`. `figure`, which may be null, has the automatic height. A preset has sizes of its own.
void size_rows(const Style& style, ExportSettings& settings, const Figure* figure, const char* resolution_unit);

/// The preset; `fitted`, if the preview has it, has the sizes that it gave the figure.
void preset_row(const Style& style, ExportSettings& settings, const std::optional<FigureFileOptions>& fitted);

/// Whether the caption stands below the figure.
void caption_box(const Style& style, ExportSettings& settings);

/// Theme, font, colours, range and content.
void look_rows(const Style& style, ExportSettings& settings);

/// The figure on its page, in the middle of `room`.
struct PreviewedPage {
  const Figure* figure = nullptr;  ///< null: it is being built
  std::uint64_t number = 0;
  double aspect = 0;  ///< height by width of the page; 0: that of the figure
  Theme theme = Theme::paper;
};
void page_preview(const Style& style, const PreviewedPage& shown, const ColorLuts& luts, HeatmapBatch& batch,
                  platform::LineLayer& lines, ImVec2 room);

}  // namespace attnscope::ui
