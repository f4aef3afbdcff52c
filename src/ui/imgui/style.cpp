#include "ui/imgui/style.h"

#include <cmath>

namespace attnscope::ui {
namespace {

// The number of a slider may stand where its grab is.
constexpr float kGrabOpacity = 0.6F;

ImVec4 vec(Rgb rgb, float alpha = 1) {
  return {static_cast<float>(rgb.red) / 255, static_cast<float>(rgb.green) / 255, static_cast<float>(rgb.blue) / 255,
          alpha};
}

Rgb mix(Rgb a, Rgb b, double share) {
  const auto channel = [&](int from, int to) {
    return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
  };
  return {channel(a.red, b.red), channel(a.green, b.green), channel(a.blue, b.blue)};
}

}  // namespace

ImU32 color(Rgb rgb, float alpha) { return ImGui::ColorConvertFloat4ToU32(vec(rgb, alpha)); }

platform::Rgba rgba(Rgb rgb) {
  return {static_cast<float>(rgb.red) / 255, static_cast<float>(rgb.green) / 255, static_cast<float>(rgb.blue) / 255,
          1};
}

void apply_style(const Palette& palette, float scale) {
  ImGuiStyle style;
  style.WindowPadding = ImVec2(16, 16);
  style.FramePadding = ImVec2(10, 6);
  style.ItemSpacing = ImVec2(8, 8);
  style.ItemInnerSpacing = ImVec2(8, 4);
  style.FrameRounding = 4;
  style.PopupRounding = 6;
  style.GrabRounding = 4;
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowRounding = 0;
  style.GrabMinSize = 14;
  style.ScaleAllSizes(scale);

  const Rgb hovered = mix(palette.control, palette.text, 0.08);
  const Rgb active = mix(palette.control, palette.accent, 0.35);
  const auto set = [&](ImGuiCol_ which, const ImVec4& value) { style.Colors[which] = value; };
  set(ImGuiCol_Text, vec(palette.text));
  set(ImGuiCol_TextDisabled, vec(palette.dim));
  set(ImGuiCol_WindowBg, vec(palette.panel));
  set(ImGuiCol_ChildBg, vec(palette.panel, 0));
  set(ImGuiCol_PopupBg, vec(palette.panel));
  set(ImGuiCol_MenuBarBg, vec(palette.panel));
  set(ImGuiCol_Border, vec(palette.line));
  set(ImGuiCol_Separator, vec(palette.line));
  set(ImGuiCol_FrameBg, vec(palette.control));
  set(ImGuiCol_FrameBgHovered, vec(hovered));
  set(ImGuiCol_FrameBgActive, vec(hovered));
  set(ImGuiCol_Button, vec(palette.control));
  set(ImGuiCol_ButtonHovered, vec(hovered));
  set(ImGuiCol_ButtonActive, vec(active));
  set(ImGuiCol_Header, vec(palette.control));
  set(ImGuiCol_HeaderHovered, vec(hovered));
  set(ImGuiCol_HeaderActive, vec(active));
  set(ImGuiCol_CheckMark, vec(palette.accent));
  set(ImGuiCol_SliderGrab, vec(palette.accent, kGrabOpacity));
  set(ImGuiCol_SliderGrabActive, vec(palette.accent, kGrabOpacity));
  set(ImGuiCol_ScrollbarBg, vec(palette.panel, 0));
  set(ImGuiCol_ScrollbarGrab, vec(palette.line));
  set(ImGuiCol_ScrollbarGrabHovered, vec(palette.dim));
  set(ImGuiCol_ScrollbarGrabActive, vec(palette.dim));
  set(ImGuiCol_TextSelectedBg, vec(palette.accent, 0.35F));
  set(ImGuiCol_NavHighlight, vec(palette.accent));
  set(ImGuiCol_TitleBg, vec(palette.panel));
  set(ImGuiCol_TitleBgActive, vec(palette.panel));
  set(ImGuiCol_ModalWindowDimBg, ImVec4(0, 0, 0, 0.45F));
  ImGui::GetStyle() = style;
}

}  // namespace attnscope::ui
