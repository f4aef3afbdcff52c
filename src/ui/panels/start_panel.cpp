#include "ui/panels/start_panel.h"

#include <array>

#include "ui/imgui/imgui_compat.h"
#include "ui/panels/document_lists.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// Logical pixels between the top of an offer and its lines.
constexpr float kTitleTop = 4;
constexpr float kAboutTop = 23;

struct Offer {
  const char* title;
  const char* about;
  void (*entries)(const Experiment& experiment, const MenuState& state, UiIntents& intents);
};

/// A button with a title, and below it what it is for.
bool offer_button(const Style& style, const Offer& offer, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Button((std::string("##") + offer.title).c_str(), size);
  const float padding = style.px(10);
  const float room = size.x - 2 * padding;
  const auto width = [](const Font& font, const char* words) {
    push_font(font.font, font.line);
    const float found = ImGui::CalcTextSize(words).x;
    ImGui::PopFont();
    return found;
  };
  const auto line = [&](const Font& font, const char* words, float top, Rgb ink) {
    push_font(font.font, font.line);
    ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + padding, at.y + style.px(top)), color(ink),
                                        cut_text(words, room).c_str());
    ImGui::PopFont();
  };
  const bool roomy = width(style.fonts.strong(), offer.title) <= room;
  line(roomy ? style.fonts.strong() : style.fonts.small(), offer.title, kTitleTop, style.palette.text);
  line(style.fonts.small(), offer.about, kAboutTop, style.palette.dim);
  return pressed;
}

void own_entries(const MenuState& state, UiIntents& intents) {
  if (ImGui::MenuItem("Model folder…")) intents.commands.push_back(Command::open_model);
  if (ImGui::MenuItem("File…")) intents.commands.push_back(Command::open);
  tooltip("An experiment, a figure that contains one, or tensors (safetensors, npz, npy)");
  if (state.recent.empty()) return;
  ImGui::Separator();
  recent_entries(state, intents);
}

constexpr std::array<Offer, 4> kOffers = {
    {{"Read a sentence", "trained models",
      [](const Experiment&, const MenuState& state, UiIntents& intents) { model_entries(state, intents); }},
     {"Drag the sliders", "small systems",
      [](const Experiment& experiment, const MenuState&, UiIntents& intents) { system_entries(experiment, intents); }},
     {"Lessons", "step by step",
      [](const Experiment&, const MenuState& state, UiIntents& intents) { lesson_entries(state, intents); }},
     {"Open your own", "models and files",
      [](const Experiment&, const MenuState& state, UiIntents& intents) { own_entries(state, intents); }}}};

}  // namespace

bool start_panel(const Style& style, const Experiment& experiment, const MenuState& state, bool two_rows,
                 UiIntents& intents) {
  const float gap = style.px(8);
  const float close = ImGui::CalcTextSize("×").x + 2 * ImGui::GetStyle().FramePadding.x;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 begin = ImGui::GetCursorPos();
  const std::size_t across = two_rows ? kOffers.size() / 2 : kOffers.size();
  const auto count = static_cast<float>(across);
  const ImVec2 size = {(room.x - close - count * gap) / count, two_rows ? (room.y - gap) / 2 : room.y};
  for (std::size_t i = 0; i < kOffers.size(); ++i) {
    const Offer& offer = kOffers[i];
    const std::size_t row = i / across;
    const std::size_t column = i % across;
    ImGui::SetCursorPos(ImVec2(begin.x + static_cast<float>(column) * (size.x + gap),
                               begin.y + static_cast<float>(row) * (size.y + gap)));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (offer_button(style, offer, size)) ImGui::OpenPopup(offer.title);
    ImGui::SetNextWindowPos(ImVec2(at.x, at.y + size.y + style.px(2)));
    if (ImGui::BeginPopup(offer.title)) {
      offer.entries(experiment, state, intents);
      ImGui::EndPopup();
    }
  }
  ImGui::SetCursorPos(ImVec2(begin.x + room.x - close, begin.y));
  const bool closed = ImGui::Button("×##start", ImVec2(close, 0));
  tooltip("Hide these suggestions. File > New brings them back.");
  return closed;
}

}  // namespace attnscope::ui
