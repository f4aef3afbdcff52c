// What differs between the versions of Dear ImGui that Debian has, 1.86 to 1.92. Everything else in ui/ uses only what
// all of them have.
#pragma once

#include <imgui.h>
#include <imgui_freetype.h>

namespace attnscope::ui {

/// Keys that shortcuts use. Letters and digits are their own character.
enum class Key : int { question = '?', escape = 256, space = 32, left = 263, right = 262 };

#if IMGUI_VERSION_NUM < 18700
// Keys are the backend's numbers, GLFW's here: letters and digits are ASCII.
inline int native_key(int key) { return key == '?' ? '/' : key; }
#else
inline ImGuiKey native_key(int key) {
  if (key >= 'A' && key <= 'Z') return static_cast<ImGuiKey>(ImGuiKey_A + (key - 'A'));
  if (key >= '0' && key <= '9') return static_cast<ImGuiKey>(ImGuiKey_0 + (key - '0'));
  switch (static_cast<Key>(key)) {
    case Key::question: return ImGuiKey_Slash;
    case Key::escape: return ImGuiKey_Escape;
    case Key::space: return ImGuiKey_Space;
    case Key::left: return ImGuiKey_LeftArrow;
    case Key::right: return ImGuiKey_RightArrow;
  }
  return ImGuiKey_None;
}
#endif

/// Whether the key (a capital letter, a digit or a `Key`) went down in this frame.
inline bool key_pressed(int key) { return ImGui::IsKeyPressed(native_key(key), false); }

// Input as a backend hands it over; for driving the interface without a window.
#if IMGUI_VERSION_NUM < 18700
inline void feed_mouse_position(float x, float y) { ImGui::GetIO().MousePos = ImVec2(x, y); }
inline void feed_mouse_button(int button, bool down) { ImGui::GetIO().MouseDown[button] = down; }
inline void feed_mouse_wheel(float y) { ImGui::GetIO().MouseWheel += y; }
inline void feed_key(int key, bool down) { ImGui::GetIO().KeysDown[native_key(key)] = down; }
inline void feed_modifiers(bool control, bool shift) {
  ImGui::GetIO().KeyCtrl = control;
  ImGui::GetIO().KeyShift = shift;
}
/// Sets the keys that text fields need, which a backend does otherwise.
inline void feed_key_map() {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 257;
  io.KeyMap[ImGuiKey_Escape] = 256;
  io.KeyMap[ImGuiKey_Backspace] = 259;
  io.KeyMap[ImGuiKey_A] = 'A';
}
#else
inline void feed_mouse_position(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
inline void feed_mouse_button(int button, bool down) { ImGui::GetIO().AddMouseButtonEvent(button, down); }
inline void feed_mouse_wheel(float y) { ImGui::GetIO().AddMouseWheelEvent(0, y); }
inline void feed_key(int key, bool down) {
  const ImGuiKey native = key == 257 ? ImGuiKey_Enter : key == 259 ? ImGuiKey_Backspace : native_key(key);
  ImGui::GetIO().AddKeyEvent(native, down);
}
inline void feed_modifiers(bool control, bool shift) {
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, control);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, shift);
}
inline void feed_key_map() {}
#endif

/// Rasterises fonts with FreeType, whose small type is evener than that of ImGui's own rasteriser.
inline void use_freetype(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM < 19200
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
#else
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
#endif
}

/// Since 1.92 glyphs are made when they are needed and ranges say nothing; what a font is not to provide is excluded.
inline void set_glyphs(ImFontConfig& config, const ImWchar* ranges, const ImWchar* excluded) {
#if IMGUI_VERSION_NUM < 19200
  (void)excluded;
  config.GlyphRanges = ranges;
#else
  (void)ranges;
  config.GlyphExcludeRanges = excluded;
#endif
}

/// From the top of a line set in `size` pixels to its baseline.
inline float baseline_offset(ImFont* font, float size) {
#if IMGUI_VERSION_NUM < 19200
  return font->Ascent * size / font->FontSize;
#else
  return font->GetFontBaked(size)->Ascent;
#endif
}

inline void push_font(ImFont* font, float size) {
#if IMGUI_VERSION_NUM < 19200
  (void)size;
  ImGui::PushFont(font);
#else
  ImGui::PushFont(font, size);
#endif
}

}  // namespace attnscope::ui
