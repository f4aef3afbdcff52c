#include "ui/panels/figure_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/mark_edits.h"
#include "app/session/mask_cell.h"
#include "core/base/text.h"
#include "figure/slices/matrix.h"
#include "figure/slices/matrix_facts.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/panels/arrow_drag.h"
#include "ui/panels/near_place.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

constexpr double kMaxZoom = 64;
constexpr double kZoomPerNotch = 1.2;

void draw_heatmaps(const ImDrawList*, const ImDrawCmd* command) {
  auto& batch = *static_cast<HeatmapBatch*>(command->UserCallbackData);
  batch.renderer->draw(batch.quads, batch.framebuffer_width, batch.framebuffer_height);
}

/// Scale and offset that show all of the figure in `area` (ImGui's coordinates) at zoom 1.
FigureTransform transform_for(const Style& style, const Figure& figure, const Rect& area, const Camera& camera) {
  const auto unit = static_cast<double>(style.scale);
  const double fit = std::min({1.0, area.width / (figure.width * unit), area.height / (figure.height * unit)});
  FigureTransform transform;
  transform.scale = fit * camera.zoom * unit;
  transform.type_scale = std::min(1.0, fit * camera.zoom) * unit;
  const Point center = area.center();
  transform.offset = {center.x - figure.width / 2 * transform.scale + camera.pan.x * unit,
                      center.y - figure.height / 2 * transform.scale + camera.pan.y * unit};
  return transform;
}

/// Keeps the figure in view: at zoom 1 all of it, centred.
void hold(Camera& camera, const Figure& figure) {
  camera.zoom = std::clamp(camera.zoom, 1.0, kMaxZoom);
  const double x = figure.width / 2 * (camera.zoom - 1);
  const double y = figure.height / 2 * (camera.zoom - 1);
  camera.pan = {std::clamp(camera.pan.x, -x, x), std::clamp(camera.pan.y, -y, y)};
}

/// Zooms around `mouse`.
void zoom_at(const Style& style, Camera& camera, const Rect& area, Point mouse, double notches) {
  const double before = camera.zoom;
  camera.zoom = std::clamp(before * std::pow(kZoomPerNotch, notches), 1.0, kMaxZoom);
  const double ratio = camera.zoom / before;
  const auto unit = static_cast<double>(style.scale);
  const Point from_center = {(mouse.x - area.center().x) / unit, (mouse.y - area.center().y) / unit};
  camera.pan = {from_center.x - (from_center.x - camera.pan.x) * ratio,
                from_center.y - (from_center.y - camera.pan.y) * ratio};
}

std::optional<NamedCell> cell_at(const FigurePanelContent& content, const TargetMark* target, Point at) {
  if (target != nullptr && target->cell) {
    const Step& step = content.trace.step(target->cell->step);
    return NamedCell{step.name, target->cell->index};
  }
  const auto hit = hit_test(content.figure, at);
  if (!hit) return std::nullopt;
  const HeatmapMark& mark = content.figure.heatmaps[hit->heatmap];
  if (mark.step < 0) return std::nullopt;
  return NamedCell{content.trace.step(mark.step).name, mark.index_of(hit->row, hit->column)};
}

/// Coordinates and value at the cursor, and what the target there says beside them.
void cell_tooltip(const Inspection& inspection, const TargetMark* target) {
  begin_tooltip();
  ImGui::Text("%s%s = %s", inspection.cell.tensor.c_str(), index_text(inspection.cell.index).c_str(),
              number_text(inspection.explanation.value).c_str());
  show_lines(inspection.coordinates, ImGuiCol_TextDisabled);
  // What a target without a cell says is added by `target_feedback`.
  if (target != nullptr && target->cell && !target->about.empty()) show_lines(target->about);
  end_tooltip();
}

/// The same for numbers that the view computed itself and no tensor has.
void own_cell_tooltip(const Figure& figure, Point at) {
  const auto hit = hit_test(figure, at);
  if (!hit || figure.heatmaps[hit->heatmap].step >= 0) return;
  const std::string text = own_cell_text(figure.heatmaps[hit->heatmap], hit->row, hit->column);
  if (text.empty()) return;
  begin_tooltip();
  show_lines(text);
  end_tooltip();
}

/// What the matrix is whose heading is at the cursor.
void heading_tooltip(const FigurePanelContent& content, const FigureTransform& transform, Point mouse) {
  const Step* const headed = headed_step_at(content.figure, content.trace, transform, mouse);
  if (headed != nullptr) show_tooltip(matrix_facts(content.trace, *headed));
}

/// The tooltip of a target, and the hand that invites to click.
void target_feedback(const TargetMark& target) {
  if (target.has_click() || target.drag || target.moves) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (target.about.empty() || target.cell || ImGui::IsMouseDown(0)) return;
  begin_tooltip();
  show_lines(target.about);
  end_tooltip();
}

void navigate(const Style& style, const Rect& area, const Figure& figure, UiState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  // A movement with pauses this short goes on.
  constexpr double kPause = 0.12;
  Camera& camera = state.camera;
  const Camera before = camera;
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
    const Point mouse = {static_cast<double>(io.MousePos.x), static_cast<double>(io.MousePos.y)};
    zoom_at(style, camera, area, mouse, static_cast<double>(io.MouseWheel));
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0) && !state.brush.keep && !state.dragged) {
    camera.pan.x += static_cast<double>(io.MouseDelta.x / style.scale);
    camera.pan.y += static_cast<double>(io.MouseDelta.y / style.scale);
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) camera = {};
  hold(camera, figure);
  if (camera != before) state.camera_still_at = ImGui::GetTime() + kPause;
}

/// Moves the camera to the token that a search got to, and as near as its name needs to be readable.
void show_found(const Style& style, const Rect& area, const FigurePanelContent& content, Camera& camera) {
  constexpr double kReadable = 12;
  if (!content.arrived || content.current >= content.found.size()) return;
  const FoundToken& token = content.found[content.current];
  const Rect& place = token.places.front();
  const double fit = transform_for(style, content.figure, area, {}).scale / static_cast<double>(style.scale);
  const double thickness = std::min(place.width, place.height) * fit;
  camera.zoom = std::clamp(std::max(camera.zoom, kReadable / thickness), 1.0, kMaxZoom);
  const double scale = fit * camera.zoom;
  const Point at = token.center(area.width / static_cast<double>(style.scale) / scale);
  camera.pan = {(content.figure.width / 2 - at.x) * scale, (content.figure.height / 2 - at.y) * scale};
  hold(camera, content.figure);
}

/// A token that is dragged onto another one swaps places with it.
void drag_token(const FigurePanelContent& content, const TargetMark* target, UiState& state, UiIntents& intents) {
  std::optional<SwapTokens>& dragged = state.dragged.token;
  if (ImGui::IsItemActivated() && target != nullptr) dragged = target->drag;
  if (!dragged) return;
  const bool onto = target != nullptr && target->drag && target->drag != dragged;
  if (ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(onto ? ImGuiMouseCursor_Hand : ImGuiMouseCursor_ResizeNS);
    return;
  }
  if (onto) intents.actions.push_back({swap_edit(content.trace, *dragged, *target->drag), 0});
  dragged.reset();
}

std::optional<MaskCell> mask_cell_at(const FigurePanelContent& content, Point at) {
  const std::optional<NamedCell> cell = cell_at(content, nullptr, at);
  return cell ? mask_cell(content.trace, cell->tensor, cell->index) : std::nullopt;
}

/// With the brush, a drag masks every cell that it reaches, or unmasks them if the first one was masked.
void paint_mask(const FigurePanelContent& content, const FigureTransform& transform, Point mouse, UiState& state,
                UiIntents& intents) {
  if (!ImGui::IsItemActive()) state.brush.keep.reset();
  if (!state.brush.on) return;
  if (ImGui::IsItemActivated()) {
    const std::optional<MaskCell> first = mask_cell_at(content, transform.invert(mouse));
    if (!first) return;
    state.brush.keep = !is_kept(content.trace.experiment(), *first).value_or(true);
    ++state.gesture;
  }
  if (!state.brush.keep) return;
  // The mouse may have passed several cells since the last frame.
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  const int steps = std::clamp(static_cast<int>(std::max(std::abs(moved.x), std::abs(moved.y)) / 2), 1, 1000);
  std::optional<MaskCell> last;
  for (int i = 0; i < steps; ++i) {
    const double back = ImGui::IsItemActivated() ? 0 : static_cast<double>(steps - 1 - i) / steps;
    const Point at = {mouse.x - back * static_cast<double>(moved.x), mouse.y - back * static_cast<double>(moved.y)};
    const std::optional<MaskCell> cell = mask_cell_at(content, transform.invert(at));
    if (cell && cell != last) intents.actions.push_back({PaintMask{*cell, *state.brush.keep}, state.gesture});
    last = cell;
  }
}

}  // namespace

void paint_on_list(const Style& style, const ColorLuts& luts, const PaintedFigure& what, HeatmapBatch& batch,
                   platform::LineLayer& lines) {
  const ImGuiIO& io = ImGui::GetIO();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float pixels = io.DisplayFramebufferScale.x;
  batch.quads.clear();
  batch.framebuffer_width = static_cast<int>(io.DisplaySize.x * pixels);
  batch.framebuffer_height = static_cast<int>(io.DisplaySize.y * io.DisplayFramebufferScale.y);
  list.AddCallback(draw_heatmaps, &batch);
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
  ImGuiCanvas canvas(list, style, luts, what.area, pixels, what.trace_number, batch.quads, lines);
  paint(what.figure, style.palette, what.transform, what.area, canvas, what.isolated);
}

namespace {

/// Carries out a click on the figure: a target sets options, switches a head or opens a view, a matrix may pick a cell,
/// and any other cell is pinned. A click on the pinned cell or outside all cells unpins, unless it opens a view: that
/// one shows the cell. A finger only points: held longer, it
/// is a mouse.
void click(const FigurePanelContent& content, const TargetMark* target, Point at, UiState& state, UiIntents& intents) {
  const ClickIntent asked = click_intent(content.figure, at);
  std::vector<Edit> edits = edits_for(asked, content.trace.experiment());
  // One step for Undo, however many options it sets.
  const std::uint64_t gesture = edits.size() > 1 ? ++state.gesture : 0;
  for (Edit& edit : edits) intents.actions.push_back({std::move(edit), gesture});
  if (const auto* checkpoint = std::get_if<OpenCheckpoint>(&asked)) intents.checkpoint = *checkpoint;
  if (target != nullptr && std::holds_alternative<OpenView>(target->click)) {
    if (state.hovered) state.pinned = state.hovered;
  } else if (!is_touched() && (target == nullptr || !target->has_click() || state.hovered)) {
    state.pinned = state.pinned == state.hovered ? std::nullopt : state.hovered;
  }
}

/// Outlines the dragged token, and the one it would be swapped with.
void paint_dragged(const Style& style, const Figure& figure, const FigureTransform& transform, const TargetMark* target,
                   const UiState& state) {
  for (const TargetMark& each : figure.targets) {
    if (!state.dragged.token || !each.drag) continue;
    if (each.drag != state.dragged.token && (target == nullptr || each.drag != target->drag)) continue;
    const Rect box = transform.apply(each.box);
    ImGui::GetWindowDrawList()->AddRect(ImVec2(static_cast<float>(box.x), static_cast<float>(box.y)),
                                        ImVec2(static_cast<float>(box.right()), static_cast<float>(box.bottom())),
                                        color(style.palette.accent), style.px(3), 0, style.px(1.5));
  }
}

bool is_of(const FigurePanelContent& content, const HeatmapMark& mark, const std::string& tensor) {
  return mark.step >= 0 && content.trace.step(mark.step).name == tensor;
}

/// Moves the camera to what is brought near.
void bring_near(const Style& style, const Rect& area, const FigurePanelContent& content, Camera& camera) {
  if (!content.brought_near) return;
  const auto unit = static_cast<double>(style.scale);
  const double fit = transform_for(style, content.figure, area, {}).scale;
  const NearPlace place =
      place_near(content.figure, content.trace, *content.brought_near, {fit, unit, area.width, area.height});
  camera.zoom = std::clamp(place.zoom, 1.0, kMaxZoom);
  const double scale = fit / unit * camera.zoom;
  camera.pan = {(content.figure.width / 2 - place.center.x) * scale,
                (content.figure.height / 2 - place.center.y) * scale};
  hold(camera, content.figure);
}

/// Outlines the matrices of the lit tensors and dims the others but the bright ones, if the figure shows any of them. The
/// picture that a model sees is what they are compared with: it stays as it is. So does everything where the figure is
/// about numbers of its own.
void paint_lit(const Style& style, const FigurePanelContent& content, const PaintedFigure& painted) {
  constexpr float kCover = 0.5F;
  const auto is_lit = [&](const HeatmapMark& mark) {
    return std::ranges::any_of(content.lit, [&](const std::string& tensor) { return is_of(content, mark, tensor); });
  };
  if (content.lit.empty() || std::ranges::none_of(content.figure.heatmaps, is_lit)) return;
  const bool dims = std::ranges::none_of(content.figure.heatmaps, has_own_numbers);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const HeatmapMark& mark : content.figure.heatmaps) {
    const bool lit = is_lit(mark);
    const Rect box = painted.transform.apply(mark.box).grown(lit ? static_cast<double>(style.px(2)) : 0);
    const Rect seen = box.intersection(painted.area);
    if (seen.width <= 0 || seen.height <= 0) continue;
    ImVec2 from(static_cast<float>(box.x), static_cast<float>(box.y));
    ImVec2 to(static_cast<float>(box.right()), static_cast<float>(box.bottom()));
    // On whole pixels, and none of them the matrix's own.
    if (lit) from = {std::floor(from.x), std::floor(from.y)};
    if (lit) to = {std::ceil(to.x), std::ceil(to.y)};
    if (lit) list.AddRect(from, to, color(style.palette.accent), 0, 0, style.px(2));
    const bool is_bright = std::ranges::find(content.bright, mark.step) != content.bright.end();
    if (!lit && dims && !is_bright && mark.picks.name.empty())
      list.AddRectFilled(from, to, color(style.palette.background, kCover));
  }
}

/// Outlines the tokens that a search found, the current one on top; of very many in view not all.
void paint_found(const Style& style, const FigurePanelContent& content, const PaintedFigure& painted) {
  constexpr int kMostOutlines = 4000;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  int drawn = 0;
  const auto outline = [&](const Rect& place, bool current) {
    const Rect box = painted.transform.apply(place).grown(static_cast<double>(style.px(1)));
    const Rect seen = box.intersection(painted.area);
    if (seen.width <= 0 || seen.height <= 0) return;
    ++drawn;
    list.AddRect(ImVec2(static_cast<float>(box.x), static_cast<float>(box.y)),
                 ImVec2(static_cast<float>(box.right()), static_cast<float>(box.bottom())),
                 color(current ? style.palette.text : style.palette.dim), 0, 0, style.px(current ? 2 : 1));
  };
  for (std::size_t i = 0; i < content.found.size() && drawn < kMostOutlines; ++i) {
    if (i == content.current) continue;
    for (const Rect& place : content.found[i].places) outline(place, false);
  }
  if (content.current >= content.found.size()) return;
  for (const Rect& place : content.found[content.current].places) outline(place, true);
}

/// Paints the figure, with the inspected cell and its inputs highlighted.
void paint_panel(const Style& style, const ColorLuts& luts, const FigurePanelContent& content,
                 const PaintedFigure& painted, HeatmapBatch& batch, platform::LineLayer& lines, const UiState& state) {
  batch.quick = ImGui::GetTime() < state.camera_still_at;
  line_pictures().set_coarse(batch.quick);
  paint_on_list(style, luts, painted, batch, lines);
  line_pictures().set_coarse(false);
  for (platform::HeatmapQuad& quad : batch.quads) quad.quick = batch.quick;
  if (content.inspection == nullptr) return;
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), style, luts, painted.area, ImGui::GetIO().DisplayFramebufferScale.x,
                     content.trace_number, batch.quads, lines);
  const Explanation& e = content.inspection->explanation;
  paint_highlights(content.figure, e.regions, single_cell(e.step, e.index), style.palette, painted.transform, canvas);
}

}  // namespace

void figure_panel(const Style& style, const ColorLuts& luts, const FigurePanelContent& content, HeatmapBatch& batch,
                  platform::LineLayer& lines, UiState& state, UiIntents& intents) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (size.x < 1 || size.y < 1) return;
  const Rect area = {static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(size.x),
                     static_cast<double>(size.y)};
  mouse_area("figure", size);
  navigate(style, area, content.figure, state);
  show_found(style, area, content, state.camera);
  bring_near(style, area, content, state.camera);
  const FigureTransform transform = transform_for(style, content.figure, area, state.camera);

  const ImGuiIO& io = ImGui::GetIO();
  const Point mouse = {static_cast<double>(io.MousePos.x), static_cast<double>(io.MousePos.y)};
  const Point in_figure = transform.invert(mouse);
  state.hovered.reset();
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || ImGui::IsMouseDown(0)) state.by_keyboard = false;
  const bool hovered = ImGui::IsItemHovered() && !state.by_keyboard;
  const TargetMark* const target = hovered ? target_at(content.figure, in_figure) : nullptr;
  if (hovered) state.hovered = cell_at(content, target, in_figure);
  const bool painted = state.brush.keep.has_value();
  drag_token(content, target, state, intents);
  drag_tip(style, content.trace, transform, target, state, intents);
  paint_mask(content, transform, mouse, state, intents);
  const bool clicked = ImGui::IsItemDeactivated() && ImGui::IsItemHovered() && !painted &&
                       io.MouseDragMaxDistanceSqr[0] < 9 * style.scale * style.scale;
  if (clicked) click(content, target, in_figure, state, intents);

  ImDrawList& list = *ImGui::GetWindowDrawList();
  // To the edge of the panel, like the cells: ImGui would cut letters off before.
  list.PushClipRect(at, ImVec2(at.x + size.x, at.y + size.y), false);
  const int isolated = target != nullptr ? target->isolates : -1;
  const PaintedFigure painted_figure = {content.figure, transform, area, content.trace_number, isolated};
  paint_panel(style, luts, content, painted_figure, batch, lines, state);
  paint_lit(style, content, painted_figure);
  paint_found(style, content, painted_figure);
  paint_dragged(style, content.figure, transform, target, state);
  list.PopClipRect();
  if (content.inspection != nullptr && state.hovered == content.inspection->cell && !ImGui::IsMouseDown(0))
    cell_tooltip(*content.inspection, target);
  if (target != nullptr) target_feedback(*target);
  if (hovered && target == nullptr && !ImGui::IsMouseDown(0)) own_cell_tooltip(content.figure, in_figure);
  if (hovered && !state.hovered && !ImGui::IsMouseDown(0)) heading_tooltip(content, transform, mouse);
}

}  // namespace attnscope::ui
