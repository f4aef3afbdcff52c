// Paints figures into an ImGui draw list. Heatmaps are collected, for the heatmap renderer to draw them in one go.
#pragma once

#include <array>
#include <vector>

#include "figure/model/canvas.h"
#include "platform/heatmap/heatmap.h"
#include "platform/lines/line_layer.h"
#include "ui/imgui/style.h"

namespace attnscope::ui {

/// The colour maps for the heatmap renderer; made once.
class ColorLuts {
 public:
  ColorLuts();
  [[nodiscard]] const platform::ColorLut& operator[](ColorMap map) const {
    return luts_[static_cast<std::size_t>(map)];
  }

 private:
  std::vector<platform::ColorLut> luts_;
};

class ImGuiCanvas final : public Canvas {
 public:
  /// `clip` is in ImGui's coordinates; `pixels_per_unit` takes those to the framebuffer. `trace_number` is different
  /// for every trace. Heatmaps are appended to `quads`; strands are drawn by `lines`.
  ImGuiCanvas(ImDrawList& list, const Style& style, const ColorLuts& luts, const Rect& clip, float pixels_per_unit,
              std::uint64_t trace_number, std::vector<platform::HeatmapQuad>& quads, platform::LineLayer& lines);

  void heatmap(const HeatmapMark& mark, const Rect& box, double gap) override;
  void gradient(ColorMap map, const Rect& box) override;
  void fill(const Rect& box, Rgb color, double opacity) override;
  void outline(const Rect& box, Rgb color, double width, double radius) override;
  void line(Point from, Point to, Rgb color, double width, bool dashed) override;
  void curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) override;
  void strands(std::span<const PlacedStrand> strands) override;
  void triangle(Point a, Point b, Point c, Rgb color) override;
  void text(const PlacedText& text) override;
  /// A frame cannot wait; the next ones draw what has come since.
  [[nodiscard]] bool waits_for_numbers() const override { return false; }

 private:
  void dashed_curve(std::span<const Point> points, ImU32 ink, double width);

  ImDrawList& list_;
  const Style& style_;
  const ColorLuts& luts_;
  Rect clip_;
  float pixels_per_unit_;
  std::uint64_t trace_number_;
  std::vector<platform::HeatmapQuad>& quads_;
  platform::LineLayer& lines_;
  Index cells_ = 0;  ///< of matrices that were drawn within the frame
};

/// The width of one line of text with sub- and superscripts, as it is drawn.
float drawn_width(const Style& style, const PlacedText& text);
/// Draws one line of text with sub- and superscripts; returns its width.
float draw_text(ImDrawList& list, const Style& style, const PlacedText& text);

}  // namespace attnscope::ui
