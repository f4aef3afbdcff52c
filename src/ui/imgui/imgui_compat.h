// The differences between the versions of Dear ImGui in Debian, 1.86 to 1.92. Everything else in ui/ uses only what
// they have in common.
#pragma once

#include <imgui.h>
#include <imgui_freetype.h>
#include <imgui_internal.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace attnscope::ui {

// Input in place of a backend, to drive the interface without a window. Keys are capital letters or GLFW's numbers.
#if IMGUI_VERSION_NUM < 18700
inline void feed_mouse_position(float x, float y) { ImGui::GetIO().MousePos = ImVec2(x, y); }
inline void feed_mouse_button(int button, bool down) { ImGui::GetIO().MouseDown[button] = down; }
inline void feed_mouse_wheel(float y) { ImGui::GetIO().MouseWheel += y; }
inline void feed_key(int key, bool down) { ImGui::GetIO().KeysDown[key] = down; }
inline void feed_modifiers(bool control, bool shift, bool alt) {
  ImGui::GetIO().KeyCtrl = control;
  ImGui::GetIO().KeyShift = shift;
  ImGui::GetIO().KeyAlt = alt;
}
/// Sets the keys that controls need, in place of a backend.
inline void feed_key_map() {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[ImGuiKey_Enter] = 257;
  io.KeyMap[ImGuiKey_Escape] = 256;
  io.KeyMap[ImGuiKey_Backspace] = 259;
  io.KeyMap[ImGuiKey_A] = 'A';
  io.KeyMap[ImGuiKey_C] = 'C';
  io.KeyMap[ImGuiKey_V] = 'V';
  io.KeyMap[ImGuiKey_Tab] = 258;
  io.KeyMap[ImGuiKey_Space] = ' ';
  io.KeyMap[ImGuiKey_RightArrow] = 262;
  io.KeyMap[ImGuiKey_LeftArrow] = 263;
  io.KeyMap[ImGuiKey_DownArrow] = 264;
  io.KeyMap[ImGuiKey_UpArrow] = 265;
}
#else
inline void feed_mouse_position(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
inline void feed_mouse_button(int button, bool down) { ImGui::GetIO().AddMouseButtonEvent(button, down); }
inline void feed_mouse_wheel(float y) { ImGui::GetIO().AddMouseWheelEvent(0, y); }
inline void feed_key(int key, bool down) {
  ImGuiKey native = ImGuiKey_None;
  if (key >= 'A' && key <= 'Z') native = static_cast<ImGuiKey>(ImGuiKey_A + (key - 'A'));
  if (key == 256) native = ImGuiKey_Escape;
  if (key == 257) native = ImGuiKey_Enter;
  if (key == 258) native = ImGuiKey_Tab;
  if (key == 259) native = ImGuiKey_Backspace;
  if (key == ' ') native = ImGuiKey_Space;
  if (key == 262) native = ImGuiKey_RightArrow;
  if (key == 263) native = ImGuiKey_LeftArrow;
  if (key == 264) native = ImGuiKey_DownArrow;
  if (key == 265) native = ImGuiKey_UpArrow;
  if (native != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(native, down);
}
inline void feed_modifiers(bool control, bool shift, bool alt) {
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, control);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, shift);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Alt, alt);
}
inline void feed_key_map() {}
#endif

/// What the items of a menu bar have in front of their own names in the hashes that identify them.
#if IMGUI_VERSION_NUM < 19200
inline constexpr const char* kMenuBarId = "##menubar";
#else
inline constexpr const char* kMenuBarId = "##MenuBar";
#endif

/// Whether a finger takes the place of the mouse. Backends can say so since 1.89.5.
inline bool is_touched() {
#if IMGUI_VERSION_NUM < 18950
  return false;
#else
  return ImGui::GetIO().MouseSource == ImGuiMouseSource_TouchScreen;
#endif
}

/// The functions of the clipboard, and what they are given.
#if IMGUI_VERSION_NUM < 19110
using ClipboardOwner = void*;
inline auto& clipboard_reader() { return ImGui::GetIO().GetClipboardTextFn; }
inline auto& clipboard_writer() { return ImGui::GetIO().SetClipboardTextFn; }
#else
using ClipboardOwner = ImGuiContext*;
inline auto& clipboard_reader() { return ImGui::GetPlatformIO().Platform_GetClipboardTextFn; }
inline auto& clipboard_writer() { return ImGui::GetPlatformIO().Platform_SetClipboardTextFn; }
#endif

/// A key that was pressed and released before a frame began is pressed in that frame, and released in the next. Later
/// versions see to that themselves. `begin_frame` comes before ImGui's frame, `frame_began` after its beginning.
class ShortPresses {
 public:
#if IMGUI_VERSION_NUM < 18700
  void begin_frame(int key) {
    bool& down = ImGui::GetIO().KeysDown[key];
    if (!down) keys_.push_back(key);
    down = true;
  }
  void frame_began() {
    for (const int key : keys_) ImGui::GetIO().KeysDown[key] = false;
    keys_.clear();
  }

 private:
  std::vector<int> keys_;
#else
  void begin_frame(int /*key*/) {}
  void frame_began() {}
#endif
};

/// Whether Escape is down in the frame that begins; after the backend.
inline bool is_escape_coming() {
#if IMGUI_VERSION_NUM < 18700
  const ImGuiIO& io = ImGui::GetIO();
  const int key = io.KeyMap[ImGuiKey_Escape];
  return key >= 0 && io.KeysDown[key];
#else
  for (const ImGuiInputEvent& event : ImGui::GetCurrentContext()->InputEventsQueue) {
    if (event.Type == ImGuiInputEventType_Key && event.Key.Key == ImGuiKey_Escape && event.Key.Down) return true;
  }
  return ImGui::IsKeyDown(ImGuiKey_Escape);
#endif
}

/// A menu that takes the place of another has no window in its first frame. Escape in the next one ends the program there
/// (1.89): it closes such a menu before that frame begins.
inline void close_menu_without_window() {
  auto& popups = ImGui::GetCurrentContext()->OpenPopupStack;
  if (!popups.empty() && popups.back().Window == nullptr && is_escape_coming()) popups.pop_back();
}

/// Lets Enter press the control that the keyboard is on, in the frame that begins; after the backend, which forgets it.
/// Later versions do so themselves.
inline void let_enter_press() {
#if IMGUI_VERSION_NUM < 18700
  ImGuiIO& io = ImGui::GetIO();
  const int enter = io.KeyMap[ImGuiKey_Enter];
  const bool navigates = (io.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0;
  if (navigates && enter >= 0 && io.KeysDown[enter]) io.NavInputs[ImGuiNavInput_Activate] = 1;
#endif
}

/// Whether that key went down in this frame, or repeats, if that counts.
inline bool key_pressed(ImGuiKey key, bool repeats = false) {
#if IMGUI_VERSION_NUM < 18700
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), repeats);
#else
  return ImGui::IsKeyPressed(key, repeats);
#endif
}

/// Whether there is input that later frames will see: since 1.87 each frame takes only as much as it can tell apart, for
/// instance one letter.
inline bool input_waits() {
#if IMGUI_VERSION_NUM < 18700
  return false;
#else
  return !ImGui::GetCurrentContext()->InputEventsQueue.empty();
#endif
}

// The mark around the control that the keyboard is on.
#if IMGUI_VERSION_NUM < 19140
inline void mark_navigated(const ImRect& place, ImGuiID id) { ImGui::RenderNavHighlight(place, id); }
inline void show_navigated(bool shown) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavDisableHighlight = !shown;
  if (shown) g.NavDisableMouseHover = true;
}
inline bool navigated_is_shown() { return !ImGui::GetCurrentContext()->NavDisableHighlight; }
#else
inline void mark_navigated(const ImRect& place, ImGuiID id) { ImGui::RenderNavCursor(place, id); }
inline void show_navigated(bool shown) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.NavCursorVisible = shown;
  if (shown) g.NavHighlightItemUnderNav = true;
}
inline bool navigated_is_shown() { return ImGui::GetCurrentContext()->NavCursorVisible; }
#endif
/// Whether there is such a control, and it is marked.
inline bool is_navigating() { return ImGui::GetCurrentContext()->NavId != 0 && navigated_is_shown(); }

/// Rasterises fonts with FreeType: its small type is more even than that of ImGui's own rasteriser.
inline void use_freetype(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM < 19200
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
#else
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
#endif
}

/// What was added to the atlas last.
inline ImFontConfig& last_source(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM < 19200
  return atlas.ConfigData.back();
#else
  return atlas.Sources.back();
#endif
}

/// Sets the glyphs of a font. Since 1.92 ImGui loads glyphs when it needs them; ranges can only be excluded.
inline void set_glyphs(ImFontConfig& config, const ImWchar* ranges, const ImWchar* excluded) {
#if IMGUI_VERSION_NUM < 19200
  (void)excluded;
  config.GlyphRanges = ranges;
#else
  (void)ranges;
  config.GlyphExcludeRanges = excluded;
#endif
}

/// Rasterises all glyphs; since 1.92 ImGui does that when it draws them.
inline void build_now(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
#else
  (void)atlas;
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

/// Whether the font itself has that letter.
inline bool has_glyph(ImFont* font, ImWchar letter) {
#if IMGUI_VERSION_NUM < 19200
  return font->FindGlyphNoFallback(letter) != nullptr;
#else
  return font->GetFontBaked(font->LegacySize)->FindGlyphNoFallback(letter) != nullptr;
#endif
}

/// Draws a texture by its OpenGL name, its colours times `tint`. ImGui's own name for it is a pointer, or a number since
/// 1.91.4.
inline void add_texture(ImDrawList& list, unsigned texture, ImVec2 from, ImVec2 to, ImU32 tint = IM_COL32_WHITE) {
  const std::uintptr_t number = texture;
  ImTextureID id{};
  static_assert(sizeof id >= sizeof number);
  std::memcpy(&id, &number, sizeof number);
  list.AddImage(id, from, to, ImVec2(0, 0), ImVec2(1, 1), tint);
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
