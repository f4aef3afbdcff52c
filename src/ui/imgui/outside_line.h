// Lines of text from outside, in any script. ImGui sets one character after another, from left to right, and Debian
// builds it with characters of 16 bits. Where that is not enough, a line is drawn as a picture, in the letters that
// figures have in files.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "figure/style/font_metrics.h"
#include "io/canvas/text_image.h"
#include "platform/gl/image_texture.h"

namespace attnscope::ui {

/// Whether the line has letters that join, stand on others or run from right to left, or characters beyond U+FFFF. Not
/// if it is too long for a picture.
bool needs_picture(std::string_view line);

/// Letters of some size (em, in ImGui's unit), weight, colour and font.
struct Lettering {
  float size = 0;
  FontWeight weight = FontWeight::regular;
  ImU32 ink = 0;
  FigureFont font = FigureFont::inter;
};

/// Lines that need a picture, those that were shown last with their pictures. Of the current ImGui context, with its
/// OpenGL context.
class LinePictures {
 public:
  /// Once so many are there, those that are not on the screen are forgotten.
  static constexpr std::size_t kMost = 1000;

  /// In ImGui's unit.
  float width(std::string_view line, const Lettering& letters);
  /// Draws the line from `start` on, which is on its baseline.
  void draw(ImDrawList& list, ImVec2 start, std::string_view line, const Lettering& letters);
  /// During a movement, lines of new sizes are drawn from a few sizes, scaled: not all of them anew in every frame.
  void set_coarse(bool coarse) { coarse_ = coarse; }
  /// How many pictures were drawn so far.
  [[nodiscard]] std::uint64_t drawn() const { return drawn_; }
  /// How many lines are remembered.
  [[nodiscard]] std::size_t held() const { return lines_.size(); }

 private:
  struct Picture {
    ImU32 ink = 0;
    TextImage image;  ///< without its pixels, which the texture has
    platform::ImageTexture texture;
  };
  struct Line {
    int advance = 0;  ///< pixels
    std::vector<Picture> pictures;
    int frame = 0;  ///< the last one that needed it
  };
  struct Scaled {
    Line& line;
    double size;  ///< of its letters, pixels
    float unit;   ///< of ImGui, that one of its pixels takes
  };
  /// Line, size in pixels, weight, font.
  template <typename Text>
  using KeyOf = std::tuple<Text, float, FontWeight, FigureFont>;
  using Key = KeyOf<std::string>;
  using KeyView = KeyOf<std::string_view>;
  /// Finds without a copy of the line.
  struct ByContent {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's name
    bool operator()(const KeyView& a, const KeyView& b) const { return a < b; }
  };

  Scaled scaled(std::string_view line, const Lettering& letters);
  Picture& picture(const Scaled& scaled, std::string_view line, const Lettering& letters);
  void forget_hidden(int frame);

  std::map<Key, Line, ByContent> lines_;
  std::uint64_t drawn_ = 0;
  bool coarse_ = false;
};

LinePictures& line_pictures();

/// The width of a line in the current font.
float line_width(std::string_view line);

/// Draws a line in the current font, with its top left corner at `at`.
void add_line(ImDrawList& list, ImVec2 at, ImU32 ink, std::string_view line);

/// Lines as an item of the current window, wrapped where ImGui's texts are.
void show_lines(std::string_view lines, ImGuiCol ink = ImGuiCol_Text);

}  // namespace attnscope::ui
