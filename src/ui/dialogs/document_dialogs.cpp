#include "ui/dialogs/document_dialogs.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>

#include "io/base/printable.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

void warning_text(const std::string& text) {
  ImGui::PushTextWrapPos(0);
  ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0.9F, 0.62F, 0, 1));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

/// "2026-11-23 14:05", local time.
std::string time_text(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm local = {};
  if (::localtime_r(&time, &local) == nullptr) return "?";
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local);
  return text.data();
}

std::string entry_text(const UnsavedEntry& entry) {
  const std::string name = entry.file.empty() ? entry.title : std::filesystem::path(entry.file).filename().string();
  return printable(name.empty() ? entry.path.filename().string() : name) + ", edited " + time_text(entry.saved_at);
}

/// A warning about restoring it; empty: none.
std::string trouble_text(const UnsavedEntry& entry) {
  if (!entry.trouble.empty()) return printable(entry.trouble);
  return entry.tried ? "the last attempt to restore it did not finish" : "";
}

/// An entry with its buttons; true: discard it; false: restore it.
std::optional<bool> entry_row(const Style& style, const UnsavedEntry& entry) {
  std::optional<bool> discards;
  const float padding = 2 * ImGui::GetStyle().FramePadding.x;
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  const float buttons = ImGui::CalcTextSize("Restore").x + ImGui::CalcTextSize("Discard").x + 2 * padding + spacing;
  const float room = ImGui::GetContentRegionAvail().x;
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  clipped_text(entry_text(entry), room - buttons - spacing, color(style.palette.text));
  ImGui::SameLine(left + room - buttons);
  if (ImGui::Button("Restore")) discards = false;
  ImGui::SameLine();
  if (ImGui::Button("Discard")) discards = true;
  if (const std::string trouble = trouble_text(entry); !trouble.empty()) ImGui::TextDisabled("%s", trouble.c_str());
  return discards;
}

}  // namespace

void end_with_error(const UiState& state) {
  if (!state.dialog.error.empty()) warning_text(state.dialog.error);
}

bool question_row(const UiState& state) {
  if (state.dialog.question.empty()) return false;
  warning_text(state.dialog.question);
  return true;
}

std::optional<DialogResult> unsaved_dialog(UiState& state) {
  std::optional<DialogResult> result;
  ImGui::TextUnformatted((printable(state.dialog.path) + " has unsaved edits.").c_str());
  end_with_error(state);
  const bool entered = enter_confirms();
  const auto answer = [&](bool saves) {
    result = DialogResult{Dialog::unsaved, state.dialog.path};
    result->saves = saves;
  };
  if (ImGui::Button("Save") || entered) answer(true);
  ImGui::SameLine();
  if (ImGui::Button("Don\u2019t save")) answer(false);
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) state.dialog.open = Dialog::none;
  return result;
}

std::optional<DialogResult> left_behind_dialog(const Style& style, UiState& state) {
  std::optional<DialogResult> result;
  const std::vector<UnsavedEntry>& entries = state.dialog.left_behind;
  ImGui::TextUnformatted(entries.empty() ? "There is no unsaved work."
                                         : "These edits were not saved when attnscope ended.");
  if (!entries.empty()) {
    constexpr std::size_t kMaxShown = 6;
    const auto troubled = std::ranges::count_if(entries, [](const auto& each) { return !trouble_text(each).empty(); });
    const float height = static_cast<float>(entries.size()) * ImGui::GetFrameHeightWithSpacing() +
                         static_cast<float>(troubled) * ImGui::GetTextLineHeightWithSpacing();
    const float most = static_cast<float>(kMaxShown) * 2 * ImGui::GetFrameHeightWithSpacing();
    ImGui::BeginChild("entries", ImVec2(style.px(520), std::min(height, most)), false);
    for (const UnsavedEntry& entry : entries) {
      ImGui::PushID(entry.path.c_str());
      if (const std::optional<bool> discards = entry_row(style, entry)) {
        result = DialogResult{Dialog::left_behind, {}};
        result->entry = entry;
        result->discards = *discards;
      }
      ImGui::PopID();
    }
    ImGui::EndChild();
  }
  if (ImGui::Button(entries.empty() ? "Close" : "Later")) state.dialog.open = Dialog::none;
  return result;
}

}  // namespace attnscope::ui
