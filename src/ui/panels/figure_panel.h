// The centre of the window: the figure, under a camera.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "figure/slices/found_tokens.h"
#include "ui/imgui/imgui_canvas.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {

/// The heatmaps of one frame, for the draw callback; lives until the frame is drawn.
struct HeatmapBatch {
  platform::HeatmapRenderer* renderer = nullptr;
  std::vector<platform::HeatmapQuad> quads;
  int framebuffer_width = 0;
  int framebuffer_height = 0;
  bool quick = false;  ///< drawn coarsely during a movement; a fine frame follows
};

/// A figure, and where to paint it.
struct PaintedFigure {
  const Figure& figure;
  FigureTransform transform;
  Rect area;                       ///< nothing outside it is painted; ImGui's coordinates
  std::uint64_t trace_number = 0;  ///< unique to the numbers
  int isolated = -1;               ///< see `paint`
};

/// Paints a figure in the colours of `style` on the draw list of the current ImGui window. Its matrices go to `batch`,
/// which is drawn with the list.
void paint_on_list(const Style& style, const ColorLuts& luts, const PaintedFigure& what, HeatmapBatch& batch,
                   platform::LineLayer& lines);

/// What the panel shows.
struct FigurePanelContent {
  const Figure& figure;
  const Trace& trace;
  std::uint64_t trace_number = 0;
  const Inspection* inspection = nullptr;
  std::span<const FoundToken> found = {};  ///< is outlined
  std::size_t current = 0;                 ///< of `found`, outlined more strongly
  bool arrived = false;                    ///< the current one is brought into view
  std::span<const std::string> lit = {};   ///< tensors whose matrices are lit, and the others dimmed
  std::span<const int> bright = {};        ///< steps of the trace whose matrices are neither
  /// Tensors whose matrices are brought into view in this frame, large, the first one above all.
  std::optional<std::span<const std::string>> brought_near = {};
};

/// Shows the figure in the rest of the current ImGui window; hovering, pinning, zooming and panning go to `state`,
/// options that a click on a target sets to `intents`.
void figure_panel(const Style& style, const ColorLuts& luts, const FigurePanelContent& content, HeatmapBatch& batch,
                  platform::LineLayer& lines, UiState& state, UiIntents& intents);

}  // namespace attnscope::ui
