#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/wanted_characters.h"
#include "ui/panels/lesson_header.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// Logical pixels: a narrower panel has one column, and signs on its buttons.
constexpr double kTwoColumns = 620;
// Longer lines are hard to read.
constexpr double kWidestColumn = 640;
constexpr double kHeaderPadding = 3;

/// The widths of the columns, in pixels; in a narrow panel, one column follows the other.
struct LessonColumns {
  LessonColumns(const Style& style, float width) : wide(width >= style.px(kTwoColumns)), gap(style.px(24)) {
    const float widest = style.px(kWidestColumn);
    first = wide ? std::min(std::round((width - gap) * 0.54F), widest) : width;
    second = wide ? std::min(width - first - gap, widest) : width;
  }

  bool wide;
  float gap;
  float first = 0;
  float second = 0;
};

/// Draws a tick, which the fonts do not have.
void draw_tick(const Style& style, ImVec2 at) {
  const float line = ImGui::GetTextLineHeight();
  const std::array<ImVec2, 3> points = {ImVec2(at.x + style.px(1), at.y + line * 0.55F),
                                        ImVec2(at.x + style.px(4), at.y + line * 0.75F),
                                        ImVec2(at.x + style.px(10), at.y + line * 0.25F)};
  ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), color(style.palette.accent),
                                          ImDrawFlags_None, style.px(1.8));
}

/// The text with its lines broken at spaces. ImGui also breaks after points and commas, and so within numbers.
std::string broken_into_lines(const std::string& text, float width) {
  std::string lines = text;
  std::size_t line = 0;   // where the current line begins
  std::size_t blank = 0;  // the last place to break it; its beginning: none
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    if (i < lines.size() && lines[i] != ' ' && lines[i] != '\n') continue;
    if (blank > line && ImGui::CalcTextSize(lines.data() + line, lines.data() + i).x > width) {
      lines[blank] = '\n';
      line = blank + 1;
    }
    blank = i;
    if (i < lines.size() && lines[i] == '\n') line = i + 1;
  }
  return lines;
}

void paragraph(const std::string& text, ImU32 ink) {
  ImGui::PushStyleColor(ImGuiCol_Text, ink);
  ImGui::TextUnformatted(broken_into_lines(text, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopStyleColor();
}

void what_to_look_at(const Style& style, const LessonWords& words, const LessonStep& step) {
  section_title(style, words.look.c_str());
  paragraph(step.look, color(style.palette.text));
}

/// Presenting hides the panels that some steps tell to use, and matrices that the step does not speak of: they are one
/// click away. Once a computation plays, it has buttons of its own.
void panel_buttons(const Style& style, const LessonShown& lesson, UiIntents& intents) {
  const ShownPanels& shown = *lesson.presented;
  const auto toggle = [&](Command command, const char* label, bool is_shown, const char* help = nullptr) {
    const CommandEntry& entry = command_entry(command);
    if (is_shown) push_accent_button(style);
    if (ImGui::Button(label)) intents.commands.push_back(command);
    if (is_shown) pop_accent_button();
    tooltip(std::string(help != nullptr ? help : entry.help) + " (" + key_text(entry.keys.back()) + ")");
  };
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(8), style.px(kHeaderPadding)));
  if (lesson.can_play) {
    if (ImGui::Button("Play")) intents.commands.push_back(Command::play);
    tooltip("Go through the attention of one query, moment by moment.");
    ImGui::SameLine();
  }
  toggle(Command::toggle_parameters, "Parameters", shown.presented.parameters);
  ImGui::SameLine();
  toggle(Command::toggle_inspector, "Inspector", shown.presented.inspector);
  const bool is_whole = shown.whole_figure_of == lesson.step;
  if (lesson.shows_a_part || is_whole) {
    ImGui::SameLine();
    const bool has_room = ImGui::GetContentRegionAvail().x >= ImGui::CalcTextSize("Whole figure").x + 2 * style.px(8);
    toggle(Command::fit_view, has_room ? "Whole figure" : "Whole", is_whole,
           "show all of the figure, or what the step speaks of");
  }
  ImGui::PopStyleVar();
}

// Printed and computed numbers.

/// Numbers in columns of one width, right-aligned; those that differ from `others` are dim.
void number_row(const Style& style, std::span<const std::string> numbers, std::span<const std::string> others,
                ImVec2 at, float pitch) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool same = numbers[i] == others[i];
    const float x = at.x + pitch * static_cast<float>(i + 1) - ImGui::CalcTextSize(numbers[i].c_str()).x;
    list.AddText(ImVec2(x, at.y), color(same ? style.palette.text : style.palette.dim), numbers[i].c_str());
  }
}

float widest(const ReferenceTable& table) {
  float width = 0;
  for (const auto* rows : {&table.printed, &table.computed}) {
    for (const auto& row : *rows) {
      for (const std::string& number : row) width = std::max(width, ImGui::CalcTextSize(number.c_str()).x);
    }
  }
  return width;
}

void reference_table(const Style& style, const ReferenceTable& table) {
  const float pitch = widest(table) + style.px(10);
  const float tick = style.px(18);
  const float gap = style.px(16);
  const float half = std::max(pitch, (ImGui::GetContentRegionAvail().x - tick - gap) / 2);
  const auto most = static_cast<std::size_t>(std::max(1.0F, std::floor(half / pitch)));
  // Both halves stay together, however wide the panel is.
  std::size_t columns = 1;
  for (const auto& row : table.printed) columns = std::max(columns, std::min(most, row.size()));
  const float right = std::max(pitch * static_cast<float>(columns), ImGui::CalcTextSize("computed").x) + gap;

  ImGui::TextUnformatted(table.title.c_str());
  ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddText(at, color(style.palette.dim), "printed");
  list.AddText(ImVec2(at.x + right, at.y), color(style.palette.dim), "computed");
  const float line = ImGui::GetTextLineHeight() + style.px(3);
  at.y += line;
  float used = line;
  for (std::size_t i = 0; i < table.printed.size(); ++i) {
    const std::span<const std::string> printed = table.printed[i];
    const std::span<const std::string> computed = table.computed[i];
    for (std::size_t from = 0; from < printed.size(); from += columns) {
      const std::size_t count = std::min(columns, printed.size() - from);
      const auto some = printed.subspan(from, count);
      const auto others = computed.subspan(from, count);
      number_row(style, some, some, at, pitch);
      number_row(style, others, some, ImVec2(at.x + right, at.y), pitch);
      if (std::equal(some.begin(), some.end(), others.begin()))
        draw_tick(style, ImVec2(at.x + right + pitch * static_cast<float>(columns) + style.px(8), at.y));
      at.y += line;
      used += line;
    }
  }
  ImGui::Dummy(ImVec2(0, used));
}

// Both sides of an equivalence.

void side(const Style& style, const char* name, const std::string& text) {
  paragraph(std::string(name) + " " + text, color(style.palette.dim));
}

void difference_table(const Style& style, const EquivalenceResult& result) {
  if (!ImGui::BeginTable("differences", 4, ImGuiTableFlags_None)) return;
  ImGui::TableSetupColumn("compared", ImGuiTableColumnFlags_WidthStretch);
  // Headings have two lines, so that what is compared has room in a narrow panel.
  for (const char* title : {"largest difference", "largest number"})
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("difference").x);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, style.px(14));
  ImGui::TableNextRow();
  for (const char* title : {"compared", "largest difference", "largest number"}) {
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", title);
    ImGui::PopTextWrapPos();
  }
  for (const Difference& difference : result.differences) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    paragraph(difference.what + ", " + shape_text(difference.axes), color(style.palette.text));
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(number_text(difference.largest, 3).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(number_text(difference.magnitude, 3).c_str());
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (difference.agrees()) draw_tick(style, at);
    ImGui::Dummy(ImVec2(style.px(12), ImGui::GetTextLineHeight()));
  }
  ImGui::EndTable();
}

void equivalence(const Style& style, const LessonShown& shown) {
  const Equivalence* claim = find_equivalence(shown.lesson.steps[shown.step].equivalence);
  if (claim == nullptr) return;
  section_title(style, "COMPUTED BOTH WAYS");
  push_font(style.fonts.strong().font, style.fonts.strong().line);
  paragraph(claim->statement, color(style.palette.text));
  ImGui::PopFont();
  if (shown.comparison == nullptr) {
    ImGui::TextDisabled("Computing both sides…");
    return;
  }
  if (!*shown.comparison) {
    paragraph(shown.comparison->error().message, color(style.palette.dim));
    return;
  }
  const EquivalenceResult& result = **shown.comparison;
  difference_table(style, result);
  paragraph(result.agrees() ? "Equal, up to float32 rounding." : "Not equal: the claim does not hold here.",
            color(style.palette.text));
  side(style, "One way:", result.one_text + ".");
  side(style, "Other way:", result.other_text + ".");
}

/// `below`: what the panel has under its columns, in pixels.
void begin_column(const char* name, float width, float below) {
  ImGui::BeginChild(name, ImVec2(width, -below));
  if (ImGui::IsWindowAppearing()) ImGui::SetScrollY(0);
}

void numbers(const Style& style, const LessonShown& shown) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(style.px(8), style.px(4)));
  if (!shown.printed.empty()) section_title(style, "PRINTED IN THE SOURCE");
  for (const ReferenceTable& table : shown.printed) reference_table(style, table);
  equivalence(style, shown);
  ImGui::PopStyleVar();
}

}  // namespace

std::optional<float> lesson_height(const Style& style, const Lesson& lesson, float width) {
  const LessonColumns columns(style, width);
  const auto height_of = [](const std::string& text, float across) {
    const std::string lines = broken_into_lines(text, across);
    return ImGui::GetTextLineHeight() * static_cast<float>(1 + std::count(lines.begin(), lines.end(), '\n'));
  };
  const float title = style.fonts.small().line + ImGui::GetStyle().ItemSpacing.y;
  float most = 0;
  for (const LessonStep& step : lesson.steps) {
    // How high tables get is known once they are shown.
    if (!step.printed.empty() || !step.equivalence.empty()) return std::nullopt;
    const float words = height_of(step.text, columns.first);
    const float look = title + height_of(step.look, columns.second);
    most = std::max(most, columns.wide ? std::max(words, look) : words + ImGui::GetStyle().ItemSpacing.y + look);
  }
  float header = ImGui::GetTextLineHeight() + 2 * style.px(kHeaderPadding) + ImGui::GetStyle().ItemSpacing.y;
  // The title has a line of its own there.
  if (!columns.wide) header += style.fonts.heading().line + ImGui::GetStyle().ItemSpacing.y;
  return header + most + style.px(2);
}

void lesson_panel(const Style& style, const LessonShown& shown, UiIntents& intents) {
  const LessonStep& step = shown.lesson.steps[shown.step];
  const LessonWords& words = shown.lesson.words;
  for (const std::string* text : {&step.text, &step.look, &words.look, &words.place}) wanted_characters().add(*text);
  const LessonColumns columns(style, ImGui::GetContentRegionAvail().x);
  const bool wide = columns.wide;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(8), style.px(kHeaderPadding)));
  lesson_header(style, shown, wide, intents);
  ImGui::PopStyleVar();
  // Every step has its own child windows, so each starts scrolled to its top.
  ImGui::PushID(static_cast<int>(shown.step));
  const float buttons = ImGui::GetTextLineHeight() + 2 * style.px(kHeaderPadding) + ImGui::GetStyle().ItemSpacing.y;
  const float below = shown.presented != nullptr ? buttons : 0;
  begin_column("words", wide ? columns.first : 0, below);
  paragraph(step.text, color(style.palette.text));
  // The second column has the numbers, or else what to look at.
  const bool has_numbers = !step.printed.empty() || !step.equivalence.empty();
  const auto second_column = [&] {
    if (has_numbers) {
      numbers(style, shown);
    } else {
      what_to_look_at(style, shown.lesson.words, step);
    }
  };
  if (has_numbers) what_to_look_at(style, shown.lesson.words, step);
  if (!wide) second_column();
  if (!wide && shown.below_look) shown.below_look();
  ImGui::EndChild();
  if (wide) {
    ImGui::SameLine(0, columns.gap);
    begin_column("numbers", columns.second, below);
    second_column();
    if (shown.below_look) shown.below_look();
    ImGui::EndChild();
  }
  ImGui::PopID();
  if (shown.presented != nullptr) panel_buttons(style, shown, intents);
}

}  // namespace attnscope::ui
