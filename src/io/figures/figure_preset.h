// Presets of figures: sizes of pages that papers and talks need.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace attnscope {

enum class Preset { column, page, slide, square };

struct FigurePreset {
  Preset preset;
  std::string_view name;
  const char* size;  ///< "3.3 in", as in a sentence
  double width_inches;
  double height_inches;      ///< 0: as the figure needs
  double max_height_inches;  ///< what a sheet has room for
  double font_points;        ///< where the figure fits; otherwise its type is smaller
};

/// In the order of dialogs, messages and help.
inline constexpr std::array<FigurePreset, 4> kFigurePresets = {{
    {Preset::column, "column", "3.3 in", 3.3, 0, 9, 8},
    {Preset::page, "page", "6.5 in", 6.5, 0, 9, 9},
    {Preset::slide, "slide", "13.3 × 7.5 in", 13.3, 7.5, 7.5, 14},
    {Preset::square, "square", "5 × 5 in", 5, 5, 5, 9},
}};

/// No text of a figure in a preset is smaller, points; sub- and superscripts are a part of their text.
inline constexpr double kLeastPoints = 6;

constexpr const FigurePreset& preset_of(Preset preset) {
  return *std::ranges::find(kFigurePresets, preset, &FigurePreset::preset);
}

constexpr std::optional<Preset> parse_preset(std::string_view name) {
  const auto found = std::ranges::find(kFigurePresets, name, &FigurePreset::name);
  return found == kFigurePresets.end() ? std::nullopt : std::optional(found->preset);
}

}  // namespace attnscope
