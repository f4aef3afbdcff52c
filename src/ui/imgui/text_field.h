// ImGui's text fields, for all of Unicode. With characters of 16 bits, as Debian builds it, a field replaces every
// character outside the Basic Multilingual Plane by U+FFFD as soon as it gets the keyboard, and counts its bytes wrong.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <string_view>

namespace attnscope::ui {

/// The characters that stand in for others in fields: CJK Extension A. They are rare, and in contrast to the private use
/// area ImGui lets the user type and paste them. No font of the window has them.
inline constexpr char32_t kFirstStandIn = 0x3400;
inline constexpr char32_t kLastStandIn = 0x4DBF;

/// What is remembered of the texts of the current ImGui context: what fields hold where that is not their text, which
/// characters there are (see `wanted_characters`), and pictures of lines (see `line_pictures`). It has to exist before
/// the first text and until the context is gone, and comes after the backend, whose clipboard it translates for fields.
class ContextTexts {
 public:
  ContextTexts();
  ~ContextTexts();
  ContextTexts(const ContextTexts&) = delete;
  ContextTexts& operator=(const ContextTexts&) = delete;

  /// Private to text_field.cpp.
  struct State;

 private:
  std::unique_ptr<State> state_;
};

/// `text` as a field holds it: in place of what ImGui cannot hold (characters beyond U+FFFF, NUL, bytes that are not
/// UTF-8) there are stand-ins, which are the same ones for as long as the context exists.
std::string to_field(std::string_view text);

/// The text that `to_field` made `held` of.
std::string from_field(std::string_view held);

/// What to give to `ImGuiIO::AddInputCharacter` when the user types `character`.
unsigned typed_in_field(unsigned character);

/// A field of one line. Returns whether the user changed `text`; with ImGuiInputTextFlags_EnterReturnsTrue whether the
/// user pressed Enter. A callback sees the text as the field holds it.
bool text_field(const char* id, const char* hint, std::string& text, ImGuiInputTextFlags flags = 0,
                ImGuiInputTextCallback callback = nullptr, void* data = nullptr);

/// A field of several lines; returns whether the user changed `text`.
bool text_area(const char* id, std::string& text, ImVec2 size, ImGuiInputTextFlags flags = 0,
               ImGuiInputTextCallback callback = nullptr, void* data = nullptr);

}  // namespace attnscope::ui
