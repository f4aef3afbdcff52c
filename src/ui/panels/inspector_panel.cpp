#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "figure/style/markup.h"
#include "ui/imgui/imgui_canvas.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/panels/inspection.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// Lines shown of a long sum: the first and the last ones.
constexpr std::size_t kTermsShown = 12;

/// A bar that starts at zero, wherever that is between `low` and `high`.
void draw_bar(const Style& style, ImVec2 at, float width, double value, double low, double high, Rgb ink) {
  const float height = style.px(8);
  const double span = high - low;
  if (!(span > 0) || !std::isfinite(value)) return;
  const auto position = [&](double v) {
    return at.x + static_cast<float>((std::clamp(v, low, high) - low) / span) * width;
  };
  const float zero = position(0);
  const float end = position(value);
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(std::min(zero, end), at.y),
                                            ImVec2(std::max({zero, end, std::min(zero, end) + 1}), at.y + height),
                                            color(ink), style.px(1));
}

struct Range {
  double low = 0;
  double high = 0;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

float text_width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

/// Where the columns of a list end, from its left.
struct Columns {
  float text = 0;
  float number = 0;
  float bar = 0;  ///< where it begins; it ends at the right

  /// For texts of that width: the bars are as wide as the rest lets them, within limits.
  static Columns of(const Style& style, float text) {
    const float width = ImGui::GetContentRegionAvail().x;
    const float gap = style.px(8);
    const float number = text_width_of("−0.001234");
    const float bar = std::clamp(width - text - number - 2 * gap, width * 0.08F, width * 0.20F);
    const float end = width - bar - gap;
    return {end - number - gap, end, width - bar};
  }
};

/// A line with text at the left, a number in its column, and a bar at the right.
void line(const Style& style, const Columns& columns, const std::string& text, const std::string& number, double value,
          Range range, Rgb ink, bool strong) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (strong) push_font(style.fonts.strong().font, style.fonts.strong().line);
  const bool has_bar = range.high > range.low;
  const float number_width = text_width_of(number);
  const float text_room = std::min(columns.text, columns.number - number_width - style.px(8));
  // A long text takes the place of the bar that it does not have.
  const bool shifted = !has_bar && text_width_of(text) > text_room;
  const float right = shifted ? width : columns.number;
  clipped_text(text, shifted ? width - number_width - style.px(8) : text_room,
               color(strong ? style.palette.text : style.palette.dim));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(ImVec2(at.x + right - number_width, at.y), color(style.palette.text), number.c_str());
  if (strong) ImGui::PopFont();
  if (has_bar)
    draw_bar(style, ImVec2(at.x + columns.bar, at.y + style.px(4)), width - columns.bar, value, range.low, range.high,
             ink);
}

void show_terms(const Style& style, const Explanation& e) {
  Range range;
  for (const Term& term : e.terms) range.add(term.value);
  const std::vector<std::size_t> shown = elided(e.terms.size(), kTermsShown, e.own_term);
  float widest = 0;
  for (const std::size_t i : shown) {
    if (i < e.terms.size()) widest = std::max(widest, text_width_of(e.terms[i].text));
  }
  const Columns columns = Columns::of(style, widest);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(style.px(8), style.px(3)));
  for (const std::size_t i : shown) {
    if (i == e.terms.size()) {
      ImGui::TextDisabled("… %s more", grouped_text(static_cast<Index>(e.terms.size() - kTermsShown / 2 * 2)).c_str());
      continue;
    }
    line(style, columns, e.terms[i].text, number_text(e.terms[i].value), e.terms[i].value, range, style.palette.accent,
         i == e.own_term);
  }
  if (!e.results.empty()) ImGui::Separator();
  for (const ResultLine& result : e.results)
    line(style, columns, result.text, number_text(result.value), result.value, {}, style.palette.accent,
         &result == &e.results.back());
  ImGui::PopStyleVar();
}

void show_row(const Style& style, const Inspection& inspection) {
  if (inspection.row.empty()) return;
  ImGui::Dummy(ImVec2(0, style.px(6)));
  show_lines(inspection.row_title, ImGuiCol_TextDisabled);
  Range range;
  for (const auto& cell : inspection.row) range.add(cell.second);
  const Range range_of_row = range;
  if (inspection.row_is_weights) range = {0, 1};
  // As the figure colours them. Scores have a scale of their own, and the weights of their softmax the usual one.
  const ColorScale usual = {ColorMap::viridis, 0, 1};
  const ColorScale& scale = inspection.scale.map == usual.map ? inspection.scale : usual;
  const double divisor = scale.kind == ScaleKind::share_of_row && range_of_row.high > 0 ? range_of_row.high : 1;
  const Columns columns = Columns::of(style, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(style.px(8), style.px(3)));
  for (const std::size_t i : inspection.row_listed) {
    if (i == inspection.row.size()) {
      ImGui::TextDisabled(
          "… %s more",
          grouped_text(static_cast<Index>(inspection.row.size() - (inspection.row_listed.size() - 1))).c_str());
      continue;
    }
    const auto& [label, value] = inspection.row[i];
    const Rgb ink =
        inspection.row_is_weights ? cell_color(static_cast<float>(value / divisor), scale) : style.palette.accent;
    // Four decimals would show a tiny weight as 0.
    const bool tiny = value != 0 && std::abs(value) < 0.00005;
    const std::string number = inspection.row_is_weights && !tiny ? fixed_text(value, 4) : number_text(value);
    line(style, columns, label, number, value, range, ink, i == inspection.row_current);
  }
  ImGui::PopStyleVar();
}

/// Text to click on; whether it was clicked.
bool link(const Style& style, const std::string& text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(ImGui::GetCursorPosY()));
  const bool clicked = invisible_button(text.c_str(), ImGui::CalcTextSize(text.c_str()));
  ImGui::PopID();
  ImGui::GetWindowDrawList()->AddText(at, color(style.palette.accent), text.c_str());
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return clicked;
}

void show_links(const Style& style, const Inspection& inspection, UiState& state) {
  ImGui::Dummy(ImVec2(0, style.px(6)));
  if (inspection.used_by && link(style, "used by " + inspection.used_by_text)) state.pinned = inspection.used_by;
  for (std::size_t i = 0; i < inspection.sources.size(); ++i) {
    if (link(style, "input " + inspection.source_texts[i])) state.pinned = inspection.sources[i];
  }
}

void show_scale(const Style& style, const Inspection& inspection) {
  ImGui::Dummy(ImVec2(0, style.px(6)));
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::TextDisabled("colour");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = at.x + style.px(60);
  const float length = std::min(style.px(140), width - style.px(60));
  constexpr int kSteps = 64;
  for (int i = 0; i < kSteps; ++i) {
    const float x0 = left + length * static_cast<float>(i) / kSteps;
    const float x1 = left + length * static_cast<float>(i + 1) / kSteps;
    list.AddRectFilled(ImVec2(x0, at.y + style.px(3)), ImVec2(x1, at.y + style.px(14)),
                       color(color_at(inspection.scale.map, (static_cast<float>(i) + 0.5F) / kSteps)));
  }
  const std::string low = short_text(inspection.scale.low, 3);
  const ScaleKind kind = inspection.scale.kind;
  const std::string high =
      kind == ScaleKind::share_of_row ? "largest of its query" : short_text(inspection.scale.high, 3);
  const float y = at.y + style.px(18);
  list.AddText(ImVec2(left, y), color(style.palette.dim), low.c_str());
  list.AddText(ImVec2(left + length - ImGui::CalcTextSize(high.c_str()).x, y), color(style.palette.dim), high.c_str());
  if (kind == ScaleKind::logarithmic) {
    constexpr const char* kName = "logarithmic";
    list.AddText(ImVec2(left + (length - ImGui::CalcTextSize(kName).x) / 2, y), color(style.palette.dim), kName);
  }
  ImGui::Dummy(ImVec2(0, style.px(20)));
}

void formula_line(const Style& style, const std::string& markup) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  PlacedText text;
  text.at = {static_cast<double>(at.x), static_cast<double>(at.y)};
  text.spans = parse_markup(markup);
  text.size = static_cast<double>(style.fonts.body().size);
  text.color = style.palette.text;
  text.vertical = VerticalAlign::top;
  draw_text(*ImGui::GetWindowDrawList(), style, text);
  ImGui::Dummy(ImVec2(0, ImGui::GetTextLineHeight()));
}

/// The formula on one line, with the labels of a sum as its subscript; a longer one is broken into lines as it is. Below
/// it what there is to note.
void show_formula(const Style& style, const Explanation& e) {
  const std::string formula = "= " + e.formula;
  std::string markup = formula;
  if (const std::size_t sum = formula.find('_');
      formula.find("Σ_") != std::string::npos || formula.find("softmax_") != std::string::npos) {
    const std::size_t end = std::min(formula.find(' ', sum), formula.size());
    markup = formula.substr(0, sum) + "_{" + formula.substr(sum + 1, end - sum - 1) + "}" + formula.substr(end);
  }
  if (markup_width(markup, static_cast<double>(style.fonts.body().size), FontWeight::regular) >
      static_cast<double>(ImGui::GetContentRegionAvail().x)) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(formula.c_str());
    ImGui::PopTextWrapPos();
  } else {
    formula_line(style, markup);
  }
  if (e.note.empty()) return;
  ImGui::PushTextWrapPos(0);
  ImGui::TextDisabled("%s", e.note.c_str());
  ImGui::PopTextWrapPos();
}

void show_empty(const Style& style) {
  ImGui::Dummy(ImVec2(0, style.px(4)));
  ImGui::PushTextWrapPos(0);
  ImGui::TextDisabled("Point at a cell to see its number, its row, and how it was computed. Click to pin it.");
  ImGui::PopTextWrapPos();
}

/// The cell, where it is, and its number.
void show_name(const Style& style, const Inspection& inspection) {
  push_font(style.fonts.heading().font, style.fonts.heading().line);
  clipped_text(inspection.cell.tensor + index_text(inspection.cell.index), ImGui::GetContentRegionAvail().x,
               color(style.palette.text));
  ImGui::PopFont();
  ImGui::PushTextWrapPos(0);
  show_lines(inspection.coordinates, ImGuiCol_TextDisabled);
  ImGui::PopTextWrapPos();
  push_font(style.fonts.nearest(FontWeight::semibold, style.px(18)).font,
            style.fonts.nearest(FontWeight::semibold, style.px(18)).line);
  ImGui::TextUnformatted(number_text(inspection.explanation.value).c_str());
  ImGui::PopFont();
}

/// How the number was computed, and its row.
void show_arithmetic(const Style& style, const Inspection& inspection) {
  show_formula(style, inspection.explanation);
  ImGui::Dummy(ImVec2(0, style.px(2)));
  show_terms(style, inspection.explanation);
  show_row(style, inspection);
}

/// A field for another number in place of a random or stored one.
void show_number_to_set(const Style& style, const Inspection& inspection, UiState& state, UiIntents& intents) {
  const NamedCell& cell = inspection.cell;
  ImGui::SetNextItemWidth(style.px(110));
  auto value = static_cast<float>(inspection.explanation.value);
  if (ImGui::DragFloat("##number", &value, 0.01F, 0, 0, "%.4g"))
    intents.actions.push_back({SetCell{cell.tensor, cell.index, static_cast<double>(value)}, state.gesture});
  if (ImGui::IsItemActivated()) ++state.gesture;
  tooltip("Drag to change the number; Ctrl+click to type one.");
  if (!inspection.edited) return;
  ImGui::SameLine();
  if (ImGui::SmallButton(inspection.stored ? "stored value" : "random value"))
    intents.actions.push_back({SetCell{cell.tensor, cell.index, std::nullopt}, 0});
}

}  // namespace

void inspected_number(const Style& style, const Inspection& inspection) {
  section_title(style, "INSPECTOR");
  const Explanation& e = inspection.explanation;
  line(style, {}, inspection.cell.tensor + index_text(inspection.cell.index), number_text(e.value), e.value, {}, {},
       true);
  show_formula(style, e);
  show_terms(style, e);
}

void inspector_panel(const Style& style, const Inspection* inspection, bool pinned, UiState& state,
                     UiIntents& intents) {
  const float width = ImGui::GetContentRegionAvail().x;
  section_title(style, "INSPECTOR");
  if (pinned) {
    ImGui::SameLine(width + ImGui::GetStyle().WindowPadding.x - ImGui::CalcTextSize("pinned").x);
    if (link(style, "pinned")) state.pinned.reset();
    tooltip("Click to unpin.");
  }
  if (inspection == nullptr) {
    show_empty(style);
    return;
  }
  show_name(style, *inspection);
  if (pinned && (inspection->drawn || inspection->stored)) show_number_to_set(style, *inspection, state, intents);
  show_arithmetic(style, *inspection);
  show_links(style, *inspection, state);
  show_scale(style, *inspection);
}

}  // namespace attnscope::ui
