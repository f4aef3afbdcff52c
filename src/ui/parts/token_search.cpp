#include "ui/parts/token_search.h"

#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "io/tokenizers/unicode.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/text_field.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

constexpr float kSearchWidth = 200;

}  // namespace

void TokenSearch::open() {
  open_ = true;
  focus_ = true;
}

void TokenSearch::close() { *this = {}; }

void TokenSearch::row(const Style& style) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(8), style.px(3)));
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("Find token");
  ImGui::SameLine(0, style.px(8));
  ImGui::SetNextItemWidth(style.px(kSearchWidth));
  if (std::exchange(focus_, false)) {
    // Newer versions of ImGui give the keyboard only to a field of the window in front.
    ImGui::SetWindowFocus();
    ImGui::SetKeyboardFocusHere();
  }
  if (text_field("##find", "a part of it, or its number", text_)) current_ = 0, moved_ = true;
  if (ImGui::IsItemDeactivated() && key_pressed(ImGuiKey_Enter)) {
    go(ImGui::GetIO().KeyShift);
    focus_ = true;
  }
  ImGui::SameLine(0, style.px(8));
  if (ImGui::Button("‹##previous")) go(true);
  tooltip("the one before it: Shift+Enter");
  ImGui::SameLine(0, style.px(4));
  if (ImGui::Button("›##following")) go(false);
  tooltip("the next one: Enter");
  ImGui::SameLine(0, style.px(12));
  if (!found_.empty()) {
    ImGui::Text("%s of %s", grouped_text(static_cast<Index>(current_) + 1).c_str(),
                grouped_text(std::ssize(found_)).c_str());
  } else if (!text_.empty()) {
    const std::string where = has_more_ ? "not among the first " + grouped_text(kMostSearched) : "not found";
    ImGui::TextUnformatted(where.c_str());
  }
  ImGui::SameLine(0, style.px(12));
  if (ImGui::Button("Close##find")) close();
  tooltip("Escape");
  ImGui::PopStyleVar();
}

void TokenSearch::go(bool back) {
  if (found_.empty()) return;
  current_ = (current_ + (back ? found_.size() - 1 : 1)) % found_.size();
  moved_ = true;
}

void TokenSearch::search(const Figure& figure, const Trace& trace, std::uint64_t number) {
  arrived_ = std::exchange(moved_, false);
  if (searched_ == text_ && searched_in_ == number) return;
  searched_ = text_;
  searched_in_ = number;
  found_.clear();
  if (text_.empty()) return;
  const std::string wanted = lowercase_text(text_);
  Index asked = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), asked);
  const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
  found_ = find_tokens(
      figure, trace,
      [&](Index, std::string_view name) { return lowercase_text(name).find(wanted) != std::string::npos; },
      is_number && asked > 0 ? asked - 1 : -1);
  has_more_ = has_more_tokens(figure);
  if (current_ >= found_.size()) current_ = 0;
}

}  // namespace attnscope::ui
