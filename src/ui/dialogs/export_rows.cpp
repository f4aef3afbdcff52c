#include "ui/dialogs/export_rows.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "figure/model/canvas.h"
#include "ui/imgui/imgui_canvas.h"
#include "ui/imgui/text_field.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

void number_field(const Style& style, const char* id, double& value) {
  ImGui::SetNextItemWidth(style.px(kFieldWidth));
  ImGui::InputDouble(id, &value, 0, 0, "%.4g");
}

/// A field for `inches` that shows and takes the length in the chosen unit.
void length_field(const Style& style, const char* id, const ExportSettings& settings, double& inches) {
  const double units_per_inch = settings.centimetres ? kCentimetresPerInch : 1;
  double shown = inches * units_per_inch;
  number_field(style, id, shown);
  // Only then: multiplying and dividing on every frame would move the length by rounding.
  if (ImGui::IsItemEdited()) inches = shown / units_per_inch;
}

/// The largest page of that shape (height by width) in the middle of `room` at `corner`, with a margin around it.
Rect centred_page(ImVec2 corner, ImVec2 room, double margin, double aspect) {
  const auto free_width = static_cast<double>(room.x) - 2 * margin;
  const auto free_height = static_cast<double>(room.y) - 2 * margin;
  const double width = std::min(free_width, free_height / aspect);
  const double height = width * aspect;
  return {static_cast<double>(corner.x) + margin + (free_width - width) / 2,
          static_cast<double>(corner.y) + margin + (free_height - height) / 2, width, height};
}

}  // namespace

void row_label(const Style& style, const char* label) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", label);
  ImGui::SameLine(style.px(kLabelWidth));
}

std::optional<std::size_t> list_field(const char* id, float width, std::span<const std::string> names,
                                      std::size_t selected) {
  std::optional<std::size_t> chosen;
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo(id, names[selected].c_str(), ImGuiComboFlags_HeightLarge)) return chosen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (ImGui::Selectable(names[i].c_str(), i == selected)) chosen = i;
  }
  ImGui::EndCombo();
  return chosen;
}

void preset_row(const Style& style, ExportSettings& settings, const std::optional<FigureFileOptions>& fitted) {
  row_label(style, "Preset");
  std::vector<std::string> names = {"none"};
  std::size_t selected = 0;
  for (const FigurePreset& preset : kFigurePresets) {
    names.push_back(std::string(preset.name) + ", " + preset.size);
    if (settings.file.preset == preset.preset) selected = names.size() - 1;
  }
  if (const auto chosen = list_field("##preset", style.px(kSettingsWidth - kLabelWidth), names, selected))
    settings.file.preset = *chosen == 0 ? std::nullopt : std::optional(kFigurePresets[*chosen - 1].preset);
  std::string about = "The figure is laid out for that size, with no text under 6 pt.";
  if (fitted && fitted->preset)
    about += " Text here: " + short_text(std::round(fitted->font_points * 10) / 10) + " pt.";
  tooltip(about);
}

void caption_box(const Style& style, ExportSettings& settings) {
  row_label(style, "");
  ImGui::Checkbox("caption", &settings.file.caption);
  tooltip("A sentence below the figure that says what it shows. The file contains it in any case.");
}

void size_rows(const Style& style, ExportSettings& settings, const Figure* figure, const char* resolution_unit) {
  ImGui::BeginDisabled(settings.file.preset.has_value());
  row_label(style, "Width");
  length_field(style, "##width", settings, settings.file.width_inches);
  ImGui::SameLine();
  const std::array<std::string, 2> units = {"in", "cm"};
  if (const auto unit = list_field("##unit", style.px(kFieldWidth), units, settings.centimetres ? 1 : 0))
    settings.centimetres = *unit == 1;

  row_label(style, "Height");
  double automatic_height = figure != nullptr ? settings.file.width_inches * figure->height / figure->width : 0;
  ImGui::BeginDisabled(!settings.fixed_height);
  length_field(style, "##height", settings, settings.fixed_height ? settings.height_inches : automatic_height);
  ImGui::EndDisabled();
  ImGui::SameLine();
  // A fixed height starts with the automatic one.
  if (ImGui::Checkbox("fixed", &settings.fixed_height) && settings.fixed_height && automatic_height > 0)
    settings.height_inches = std::round(automatic_height * 100) / 100;
  tooltip("Otherwise the content determines the height.");

  row_label(style, "Text");
  number_field(style, "##type", settings.file.font_points);
  ImGui::SameLine();
  ImGui::TextDisabled("pt");
  ImGui::EndDisabled();

  row_label(style, "Resolution");
  ImGui::BeginDisabled(!is_selected(settings, FigureFormat::png));
  ImGui::SetNextItemWidth(style.px(kFieldWidth));
  ImGui::InputInt("##dpi", &settings.file.dpi, 0);
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::TextDisabled("%s", resolution_unit);
}

void look_rows(const Style& style, ExportSettings& settings) {
  const float width = style.px(kSettingsWidth - kLabelWidth);
  row_label(style, "Theme");
  constexpr std::array<Theme, 3> themes = {Theme::paper, Theme::light, Theme::dark};
  std::vector<std::string> names;
  names.reserve(themes.size());
  for (const Theme theme : themes) names.emplace_back(theme_name(theme));
  const auto theme = std::ranges::find(themes, settings.file.theme) - themes.begin();
  if (const auto chosen = list_field("##theme", width, names, static_cast<std::size_t>(theme)))
    settings.file.theme = themes[*chosen];

  row_label(style, "Font");
  names.clear();
  constexpr std::array<FigureFont, 3> fonts = {FigureFont::inter, FigureFont::serif, FigureFont::latex};
  for (const FigureFont font : fonts) names.emplace_back(font_name(font));
  if (const auto chosen = list_field("##font", width, names, static_cast<std::size_t>(settings.file.font)))
    settings.file.font = fonts[*chosen];
  tooltip("Inter, as in the window; serif is STIX, latex Latin Modern, as in LaTeX documents.");

  row_label(style, "Colours");
  names = {"as in the view"};
  for (const ColorMap map : color_maps())
    names.push_back(std::string(color_map_name(map)) + (is_grey_safe(map) ? ", grey-safe" : ""));
  std::optional<ColorMap>& map = settings.file.content.map;
  const std::size_t selected = map ? static_cast<std::size_t>(*map) + 1 : 0;
  if (const auto chosen = list_field("##colours", width, names, selected))
    map = *chosen == 0 ? std::nullopt : std::optional(color_maps()[*chosen - 1]);
  tooltip(
      "Colour map of the attention weights; in views without any, of all matrices. blue_brown: of numbers of both "
      "signs. Grey-safe maps keep their order in grey print; all keep it with any colour vision.");

  row_label(style, "Range");
  ImGui::SetNextItemWidth(width);
  text_field("##range", "as in the view, or 0,0.5", settings.range);
  tooltip("The numbers at both ends of the colour bar.");

  row_label(style, "Show");
  FigureContent& content = settings.file.content;
  const float column = style.px(kLabelWidth + kFieldWidth + 8);
  ImGui::Checkbox("title", &content.title);
  ImGui::SameLine(column);
  ImGui::Checkbox("colour bar", &content.color_bars);
  row_label(style, "");
  ImGui::Checkbox("values", &content.values);
  ImGui::SameLine(column);
  ImGui::Checkbox("labels", &content.labels);
}

void page_preview(const Style& style, const PreviewedPage& shown, const ColorLuts& luts, HeatmapBatch& batch,
                  platform::LineLayer& lines, ImVec2 room) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(room);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, ImVec2(at.x + room.x, at.y + room.y), color(style.palette.control), style.px(4));
  if (shown.figure == nullptr) return;
  const Figure& figure = *shown.figure;
  const double aspect = shown.aspect > 0 ? shown.aspect : figure.height / figure.width;
  const Rect page = centred_page(at, room, static_cast<double>(style.px(12)), aspect);
  const Palette& colors = palette(shown.theme);
  list.AddRectFilled(ImVec2(static_cast<float>(page.x), static_cast<float>(page.y)),
                     ImVec2(static_cast<float>(page.right()), static_cast<float>(page.bottom())),
                     color(colors.background));
  // The figure keeps its shape, in the middle of the page.
  const double scale = std::min(page.width / figure.width, page.height / figure.height);
  const Point offset = {page.center().x - figure.width * scale / 2, page.center().y - figure.height * scale / 2};
  const Style of_page = {style.fonts, colors, style.scale};
  const FigureTransform transform = {scale, scale, offset};
  paint_on_list(of_page, luts, {figure, transform, page, shown.number}, batch, lines);
  ImGuiCanvas canvas(list, of_page, luts, page, ImGui::GetIO().DisplayFramebufferScale.x, shown.number, batch.quads,
                     lines);
  paint_highlights(figure, figure.highlights.regions, figure.highlights.cell, colors, transform, canvas);
}

}  // namespace attnscope::ui
