#include "ui/imgui/wanted_characters.h"

#include "core/base/utf8.h"
#include "ui/imgui/fonts.h"
#include "ui/imgui/text_field.h"

namespace attnscope::ui {
namespace {

bool is_wanted(char32_t character) {
  const bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
  const bool is_stand_in = character >= kFirstStandIn && character <= kLastStandIn;
  return !is_control && character <= 0xffff && character != kReplacementCharacter && !is_stand_in &&
         !is_always_loaded(character);
}

}  // namespace

void WantedCharacters::add(std::string_view text) {
  while (!text.empty()) {
    // Nearly all text is ASCII, and this looks at all that is drawn in a frame.
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const Utf8Character character = first_character(text);
    text.remove_prefix(character.bytes);
    if (!character.valid || !is_wanted(character.point) || characters_.size() >= kMost) continue;
    has_new_ = characters_.insert(character.point).second || has_new_;
  }
}

std::vector<char32_t> WantedCharacters::take() {
  has_new_ = false;
  return {characters_.begin(), characters_.end()};
}

}  // namespace attnscope::ui
