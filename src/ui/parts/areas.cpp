#include "ui/parts/areas.h"

#include <algorithm>
#include <cmath>

namespace attnscope::ui {
namespace {

// Logical pixels: a narrower window has no inspector, and the lesson spans its whole width.
constexpr double kWideEnoughForInspector = 860;
constexpr double kWideEnoughForSliders = 760;
constexpr double kWideEnoughForBoth = 600;  // parameters beside the figure
constexpr double kLowerShare = 0.36;        // of the height, below it
// Above a lesson, that row is left out before the figure gets lower than this.
constexpr double kLowestFigure = 72;

/// Enough for a step's text, without taking the figure's room.
double height_of_lesson(double logical, std::optional<double> needed) {
  const double least = std::min(124.0, logical * 0.4);
  const double most = std::clamp(logical * 0.33, least, 264.0);
  return std::clamp(needed.value_or(most), least, most);
}

/// What the parameters take, in pixels, with the line beside them.
double parameters_width(ImVec2 display, float scale) {
  const auto unit = static_cast<double>(scale);
  // In a narrow window the side panels shrink first.
  const double logical = static_cast<double>(display.x) / unit;
  return std::round(std::clamp(logical * 0.2, kLeastParametersWidth, 264.0) * unit) + std::max(1.0, std::round(unit));
}

/// Whether there is room for the inspector beside the figure. Hidden parameters leave their room to it.
bool has_inspector(ImVec2 display, float scale, const SidePanels& panels) {
  const double width = static_cast<double>(display.x) + (panels.parameters ? 0 : parameters_width(display, scale));
  return panels.inspector && width >= kWideEnoughForInspector * static_cast<double>(scale);
}

/// The width of the inspector, in pixels.
double inspector_width(ImVec2 display, float scale, bool below_lesson) {
  const auto unit = static_cast<double>(scale);
  const double logical = static_cast<double>(display.x) / unit;
  return std::round(
      (below_lesson ? std::clamp(logical * 0.25, 256.0, 336.0) : std::clamp(logical * 0.21, 220.0, 292.0)) * unit);
}

/// Where a lesson below the figure begins, from the left.
double left_of_lesson_below(ImVec2 display, float scale, const ShownPanels& panels) {
  const bool below_sliders = static_cast<double>(display.x) / static_cast<double>(scale) < kWideEnoughForSliders;
  return below_sliders || !panels.sides().parameters ? 0 : parameters_width(display, scale);
}

// Logical pixels: in a lower window a lesson is not below the figure, which has no height to spare, but above the
// inspector, in a wider column, of which it has at most a share: a larger one where no cell is pinned.
constexpr double kHighEnoughForLesson = 960;
constexpr double kMostAbovePinned = 0.6;
constexpr double kMostAboveOthers = 0.75;

/// Whether a lesson is above the inspector.
bool has_lesson_above_inspector(ImVec2 display, float scale, const ShownPanels& panels) {
  return display.y < static_cast<float>(kHighEnoughForLesson) * scale && has_inspector(display, scale, panels.sides());
}

// Of the window, for a presented lesson; and its least width, logical pixels.
constexpr double kPresentedShare = 0.37;
constexpr double kLeastPresented = 260;

// One more line of the status bar, logical pixels.
constexpr double kStatusLine = 17;

// Of the height beside the figure, for the lesson above other panels.
constexpr double kLessonAbove = 0.45;

/// The figure, and beside it the open lesson, above the panels that are shown.
Areas presenting_areas(ImVec2 display, double unit, const WantedParts& wanted) {
  const SidePanels& panels = wanted.panels.sides();
  const auto width = static_cast<double>(display.x);
  const auto top = static_cast<double>(ImGui::GetFrameHeight());
  const double line = std::max(1.0, std::round(unit));
  const double status = std::round((26 + kStatusLine * (wanted.status_lines - 1)) * unit);
  const double bottom = static_cast<double>(display.y) - status - line;
  const double beside = width_of_presented(display, static_cast<float>(unit));
  Areas areas;
  areas.has_lesson = true;
  areas.has_parameters = panels.parameters;
  areas.has_inspector = panels.inspector;
  // What a step says about options of the view needs them as well.
  areas.has_tabs = panels.parameters;
  const double begin = beside + line;
  const double tabs = areas.has_tabs ? std::round(36 * unit) + line : 0;
  // And what it says about the text.
  areas.has_row = panels.parameters && wanted.row > 0;
  const double row = areas.has_row ? std::round(wanted.row * unit) + line : 0;
  const double height = bottom - top - line;
  areas.tabs = {begin, top + line, width - begin, tabs};
  areas.row = {begin, top + line + tabs, width - begin, std::max(0.0, row - line)};
  // Messages stand below the lesson, so that the figure has the whole height.
  areas.center = {begin, top + line + tabs + row, width - begin, height + line + status - tabs - row};
  areas.status = {0, bottom + line, beside, status};
  const int others = (panels.parameters ? 1 : 0) + (panels.inspector ? 1 : 0);
  const double lesson = others > 0 ? std::round(height * kLessonAbove) : height;
  areas.lesson = {0, top + line, beside, lesson};
  double y = areas.lesson.bottom() + line;
  for (Rect* const each :
       {panels.parameters ? &areas.parameters : nullptr, panels.inspector ? &areas.inspector : nullptr}) {
    if (each == nullptr) continue;
    *each = {0, y, beside, std::round((height - lesson) / others) - line};
    y = each->bottom() + line;
  }
  return areas;
}

/// Gives the lesson what it needs of the inspector's column, from the top on.
void divide_column(Areas& areas, double needed, bool pinned, double line) {
  const Rect column = areas.inspector;
  areas.lesson = column;
  areas.lesson.height = std::round(std::min(needed, column.height * (pinned ? kMostAbovePinned : kMostAboveOthers)));
  areas.inspector.y = areas.lesson.bottom() + line;
  areas.inspector.height = column.bottom() - areas.inspector.y;
}

}  // namespace

bool is_upright(ImVec2 display, float scale) {
  return display.x < static_cast<float>(kWideEnoughForBoth) * scale && display.y > display.x;
}

double width_of_presented(ImVec2 display, float scale) {
  return std::round(
      std::max(static_cast<double>(display.x) * kPresentedShare, kLeastPresented * static_cast<double>(scale)));
}

double width_of_lesson(ImVec2 display, float scale, const ShownPanels& panels) {
  if (has_lesson_above_inspector(display, scale, panels)) return inspector_width(display, scale, true);
  return static_cast<double>(display.x) - left_of_lesson_below(display, scale, panels);
}

Areas window_areas(ImVec2 display, float scale, const WantedParts& wanted) {
  const auto unit = static_cast<double>(scale);
  const SidePanels& panels = wanted.panels.sides();
  if (wanted.panels.presenting && wanted.lesson) return presenting_areas(display, unit, wanted);
  const auto width = static_cast<double>(display.x);
  const auto height = static_cast<double>(display.y);
  const auto top = static_cast<double>(ImGui::GetFrameHeight());
  const double status = std::round(26 * unit);
  const double tabs = std::round(36 * unit);
  const double line = std::max(1.0, std::round(unit));
  const double sliders = parameters_width(display, scale);
  const bool upright = panels.parameters && is_upright(display, scale);
  const double begin = panels.parameters && !upright ? sliders : 0;
  Areas areas;
  areas.has_parameters = panels.parameters;
  areas.has_inspector = has_inspector(display, scale, panels);
  areas.has_lesson = wanted.lesson;
  const bool above_inspector = wanted.lesson && has_lesson_above_inspector(display, scale, wanted.panels);
  const double inspector = areas.has_inspector ? inspector_width(display, scale, above_inspector) : 0;
  const bool below_figure = wanted.lesson && !above_inspector;
  const double lesson = below_figure ? std::round(height_of_lesson(height / unit, wanted.lesson_height) * unit) : 0;
  // With the line above it.
  const double of_lesson = below_figure ? lesson + line : 0;
  const double lesson_left = left_of_lesson_below(display, scale, wanted.panels);
  const double below = panels.parameters && lesson_left == 0 ? of_lesson : 0;
  areas.parameters = {0, top + line, sliders - line, height - top - status - 2 * line - below};
  const double high = std::round((height - top - status - of_lesson) * kLowerShare);
  const Rect lower = {0, height - status - line - of_lesson - high, width, high};
  if (upright) areas.parameters = lower;
  // From the bottom of the figure's column.
  const double taken = of_lesson + (upright ? high + line : 0);
  const double across = width - begin - (areas.has_inspector ? inspector + line : 0);
  areas.tabs = {begin, top + line, across, tabs};
  const double row_height = std::round(wanted.row * unit);
  const double without_row = height - top - tabs - status - 3 * line - taken;
  areas.has_row = wanted.row > 0 && (!wanted.lesson || without_row - row_height - line >= kLowestFigure * unit);
  const double row = areas.has_row ? row_height : 0;
  areas.row = {begin, top + tabs + 2 * line, across, row};
  const double above = tabs + (areas.has_row ? row + line : 0);
  areas.center = {begin, top + above + 2 * line, across, height - top - above - status - 3 * line - taken};
  areas.inspector = {width - inspector, top + line, inspector, height - top - status - 2 * line - taken};
  if (upright && wanted.pinned && panels.inspector) {
    areas.has_parameters = false;
    areas.has_inspector = true;
    areas.inspector = lower;
  }
  areas.lesson = {lesson_left, height - status - line - lesson, width - lesson_left, lesson};
  if (above_inspector)
    divide_column(areas, wanted.lesson_height ? *wanted.lesson_height * unit : height, wanted.pinned, line);
  areas.status = {0, height - status, width, status};
  return areas;
}

}  // namespace attnscope::ui
