// Characters of texts from outside, which the window's fonts have to be loaded with.
#pragma once

#include <set>
#include <string_view>
#include <vector>

namespace attnscope::ui {

/// Collects the characters of texts, except for those that fonts always have. Those beyond U+FFFF are left out: Debian
/// builds ImGui with characters of 16 bits.
class WantedCharacters {
 public:
  /// More are not collected: all characters of Chinese in all sizes would be too large a texture.
  static constexpr std::size_t kMost = 2000;

  void add(std::string_view text);
  /// Whether some came since the last `take`.
  [[nodiscard]] bool has_new() const { return has_new_; }
  /// All of them, in order.
  [[nodiscard]] std::vector<char32_t> take();

 private:
  std::set<char32_t> characters_;
  bool has_new_ = false;
};

/// Those of the current ImGui context. Whatever draws text from outside adds it here, in every frame.
WantedCharacters& wanted_characters();

}  // namespace attnscope::ui
