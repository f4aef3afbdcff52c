#include "ui/imgui/text_field.h"

#include <imgui_stdlib.h>

#include <cassert>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "core/base/utf8.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/imgui/wanted_characters.h"

namespace attnscope::ui {
namespace {

constexpr std::size_t kMaxStandIns = kLastStandIn - kFirstStandIn + 1;

/// Which stand-in stands for which bytes.
class StandIns {
 public:
  /// kReplacementCharacter: there are no more.
  char32_t of(std::string_view bytes) {
    const auto found = numbers_.find(bytes);
    if (found != numbers_.end()) return kFirstStandIn + static_cast<char32_t>(found->second);
    if (bytes_.size() == kMaxStandIns) return kReplacementCharacter;
    numbers_.emplace(bytes, bytes_.size());
    bytes_.emplace_back(bytes);
    return kFirstStandIn + static_cast<char32_t>(bytes_.size() - 1);
  }

  /// Null: the character is no stand-in.
  [[nodiscard]] const std::string* bytes(char32_t point) const {
    return point >= kFirstStandIn && point - kFirstStandIn < bytes_.size() ? &bytes_[point - kFirstStandIn] : nullptr;
  }

 private:
  std::vector<std::string> bytes_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

bool needs_stand_in(const Utf8Character& character) {
  const char32_t point = character.point;
  // One that is in a text gets a stand-in as well.
  return !character.valid || point == 0 || point > 0xFFFF || (point >= kFirstStandIn && point <= kLastStandIn);
}

using ClipboardReader = const char* (*)(ClipboardOwner);
using ClipboardWriter = void (*)(ClipboardOwner, const char*);

}  // namespace

struct ContextTexts::State {
  StandIns stand_ins;
  WantedCharacters wanted;
  LinePictures pictures;
  bool in_field = false;  ///< ImGui is in the middle of one: the clipboard translates for fields only
  ClipboardReader read = nullptr;
  ClipboardWriter write = nullptr;
  std::string pasted;  ///< ImGui reads it before it asks again

  /// That of the current ImGui context.
  static State& current() { return *static_cast<State*>(ImGui::GetIO().UserData); }

  static const char* read_for_field(ClipboardOwner owner) {
    State& state = current();
    const char* text = state.read(owner);
    if (text == nullptr || !state.in_field) return text;
    state.pasted = to_field(text);
    return state.pasted.c_str();
  }

  static void write_from_field(ClipboardOwner owner, const char* text) {
    const State& state = current();
    state.write(owner, state.in_field ? from_field(text).c_str() : text);
  }

  /// Shows `text` in the field that `input` is, given the text to hold and further flags.
  template <typename Input>
  bool hold(std::string& text, ImGuiInputTextFlags flags, const Input& input) {
    wanted.add(text);
    const std::string before = to_field(text);
    // What cannot be held must not be lost.
    if (from_field(before) != text) flags |= ImGuiInputTextFlags_ReadOnly;
    std::string held = before;
    in_field = true;
    const bool returned = input(held, flags);
    in_field = false;
    held.resize(std::strlen(held.c_str()));
    const bool changed = held != before && (flags & ImGuiInputTextFlags_ReadOnly) == 0;
    if (changed) {
      text = from_field(held);
      wanted.add(text);
    }
    return (flags & ImGuiInputTextFlags_EnterReturnsTrue) != 0 ? returned : changed;
  }
};

ContextTexts::ContextTexts() : state_(std::make_unique<State>()) {
  assert(ImGui::GetIO().UserData == nullptr);
  ImGui::GetIO().UserData = state_.get();
  state_->read = std::exchange(clipboard_reader(), State::read_for_field);
  state_->write = std::exchange(clipboard_writer(), State::write_from_field);
}

ContextTexts::~ContextTexts() = default;

WantedCharacters& wanted_characters() { return ContextTexts::State::current().wanted; }

LinePictures& line_pictures() { return ContextTexts::State::current().pictures; }

std::string to_field(std::string_view text) {
  std::string held;
  held.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    if (needs_stand_in(character)) {
      append_utf8(held, ContextTexts::State::current().stand_ins.of(bytes));
    } else {
      held += bytes;
    }
    text.remove_prefix(character.bytes);
  }
  return held;
}

std::string from_field(std::string_view held) {
  std::string text;
  text.reserve(held.size());
  while (!held.empty()) {
    const Utf8Character character = first_character(held);
    const std::string* bytes = ContextTexts::State::current().stand_ins.bytes(character.point);
    text += bytes != nullptr ? std::string_view(*bytes) : held.substr(0, character.bytes);
    held.remove_prefix(character.bytes);
  }
  return text;
}

unsigned typed_in_field(unsigned character) {
  std::string text;
  append_utf8(text, character);
  return first_character(to_field(text)).point;
}

bool text_field(const char* id, const char* hint, std::string& text, ImGuiInputTextFlags flags,
                ImGuiInputTextCallback callback, void* data) {
  return ContextTexts::State::current().hold(text, flags, [&](std::string& held, ImGuiInputTextFlags all) {
    return ImGui::InputTextWithHint(id, hint, &held, all, callback, data);
  });
}

bool text_area(const char* id, std::string& text, ImVec2 size, ImGuiInputTextFlags flags,
               ImGuiInputTextCallback callback, void* data) {
  return ContextTexts::State::current().hold(text, flags, [&](std::string& held, ImGuiInputTextFlags all) {
    return ImGui::InputTextMultiline(id, &held, size, all, callback, data);
  });
}

}  // namespace attnscope::ui
