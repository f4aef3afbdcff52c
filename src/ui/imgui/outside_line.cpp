#include "ui/imgui/outside_line.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <utility>

#include "core/base/utf8.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/wanted_characters.h"

namespace attnscope::ui {
namespace {

/// Blocks of Unicode whose characters depend on their neighbours.
constexpr std::array<std::pair<char32_t, char32_t>, 20> kDependent = {{
    {0x0300, 0x036F},  // combining marks
    {0x0483, 0x0489},  // of Cyrillic
    {0x0590, 0x109F},  // from Hebrew and Arabic over the scripts of India to those of Burma
    {0x1100, 0x11FF},  // parts of Korean syllables
    {0x135D, 0x135F},  // Ethiopic marks
    {0x1700, 0x18AF},  // from the Philippines over Khmer to Mongolian
    {0x1900, 0x1CFF},  // from Limbu to Vedic signs
    {0x1DC0, 0x1DFF},  // combining marks
    {0x200C, 0x200F},  // joiners and marks of direction
    {0x202A, 0x202E},  // embeddings of a direction
    {0x2066, 0x2069},  // isolates of a direction
    {0x20D0, 0x20FF},  // combining marks for symbols
    {0x302A, 0x302F},  // of Chinese
    {0x3099, 0x309A},  // of Japanese
    {0xA66F, 0xA69F},  // of Cyrillic
    {0xA800, 0xABFF},  // from Syloti Nagri to Meetei Mayek
    {0xD7B0, 0xD7FF},  // parts of Korean syllables
    {0xFB1D, 0xFDFF},  // forms of Hebrew and Arabic
    {0xFE00, 0xFE2F},  // selectors of variants, half marks
    {0xFE70, 0xFEFE},  // forms of Arabic
}};

// Beyond this it would not fit on a texture.
constexpr std::size_t kLongest = 400;

bool is_dependent(char32_t point) {
  if (point > 0xFFFF) return true;
  const auto* const block =
      std::partition_point(kDependent.begin(), kDependent.end(), [&](const auto& each) { return each.second < point; });
  return block != kDependent.end() && block->first <= point;
}

/// Those of the current font. Sizes of type are whole pixels, and a line is a whole number of pixels that it fills.
Lettering current_letters(ImU32 ink) {
  return {static_cast<float>(std::ceil(static_cast<double>(ImGui::GetFontSize()) / (kFontAscent + kFontDescent))),
          FontWeight::regular, ink};
}

float pixels_per_unit() { return std::max(1.0F, ImGui::GetIO().DisplayFramebufferScale.x); }

Rgb without_alpha(ImU32 ink) {
  const auto channel = [&](int shift) {
    return static_cast<std::uint8_t>(ink >> static_cast<unsigned>(shift) & 0xffU);
  };
  return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)};
}

/// The first line of `text` that is no wider than `width`, if a space divides it there.
std::string_view first_line(std::string_view text, float width) {
  std::string_view line = text.substr(0, text.find('\n'));
  while (line_width(line) > width) {
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos || space == 0) break;
    line = line.substr(0, space);
  }
  return line;
}

void show_pictured_lines(std::string_view lines) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wrap = ImGui::GetCurrentWindow()->DC.TextWrapPos;
  const float width = wrap < 0 ? FLT_MAX : ImGui::CalcWrapWidthForPos(at, wrap);
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  ImVec2 size;
  while (!lines.empty()) {
    const std::string_view line = first_line(lines, width);
    size.x = std::max(size.x, line_width(line));
    add_line(*ImGui::GetWindowDrawList(), ImVec2(at.x, at.y + size.y), ink, line);
    size.y += ImGui::GetTextLineHeight();
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
  ImGui::Dummy(size);
}

}  // namespace

bool needs_picture(std::string_view line) {
  if (line.size() > kLongest) return false;
  while (!line.empty()) {
    if (static_cast<unsigned char>(line.front()) < 0x80) {
      line.remove_prefix(1);
      continue;
    }
    const Utf8Character character = first_character(line);
    if (character.valid && is_dependent(character.point)) return true;
    line.remove_prefix(character.bytes);
  }
  return false;
}

float LinePictures::width(std::string_view line, const Lettering& letters) {
  return static_cast<float>(picture(line, letters).image.advance) / pixels_per_unit();
}

void LinePictures::draw(ImDrawList& list, ImVec2 start, std::string_view line, const Lettering& letters) {
  Picture& found = picture(line, letters);
  TextImage& image = found.image;
  if (image.width == 0) return;
  if (found.texture.name() == 0) found.texture.set({image.width, image.height, std::exchange(image.rgba, {})});
  const float unit = 1 / pixels_per_unit();
  const ImVec2 from(std::round(start.x) + static_cast<float>(image.left) * unit,
                    std::round(start.y) + static_cast<float>(image.top) * unit);
  add_texture(list, found.texture.name(), from,
              ImVec2(from.x + static_cast<float>(image.width) * unit, from.y + static_cast<float>(image.height) * unit),
              letters.ink | (IM_COL32_WHITE & ~IM_COL32_A_MASK));
}

LinePictures::Picture& LinePictures::picture(std::string_view line, const Lettering& letters) {
  const float size = letters.size * pixels_per_unit();
  const int frame = ImGui::GetFrameCount();
  const ImU32 ink = letters.ink | IM_COL32_A_MASK;
  auto found = pictures_.find(KeyView(line, size, letters.weight, ink));
  if (found == pictures_.end()) {
    if (pictures_.size() >= kMost) forget_hidden(frame);
    ++made_;
    Picture made;
    made.image = draw_line_of_text(line, static_cast<double>(size), letters.weight, without_alpha(ink));
    found = pictures_.emplace(Key(line, size, letters.weight, ink), std::move(made)).first;
  }
  found->second.frame = frame;
  return found->second;
}

void LinePictures::forget_hidden(int frame) {
  std::erase_if(pictures_, [&](const auto& each) { return each.second.frame < frame - 1; });
}

float line_width(std::string_view line) {
  if (needs_picture(line)) return line_pictures().width(line, current_letters(ImGui::GetColorU32(ImGuiCol_Text)));
  return ImGui::CalcTextSize(line.data(), line.data() + line.size()).x;
}

void add_line(ImDrawList& list, ImVec2 at, ImU32 ink, std::string_view line) {
  if (!needs_picture(line)) {
    wanted_characters().add(line);
    list.AddText(at, ink, line.data(), line.data() + line.size());
    return;
  }
  const float baseline = at.y + baseline_offset(ImGui::GetFont(), ImGui::GetFontSize());
  line_pictures().draw(list, ImVec2(at.x, baseline), line, current_letters(ink));
}

void show_lines(std::string_view lines, ImGuiCol ink) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ink));
  if (needs_picture(lines)) {
    show_pictured_lines(lines);
  } else {
    wanted_characters().add(lines);
    ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
  }
  ImGui::PopStyleColor();
}

}  // namespace attnscope::ui
