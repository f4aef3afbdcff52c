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

// Longer lines, in larger letters (pixels), would not fit on a texture: those are scaled.
constexpr std::size_t kLongest = 400;
constexpr float kLargest = 48;

// The sizes of letters during a movement.
constexpr float kStepsPerOctave = 4;

// A mark without width (U+200E): a line that begins with it runs from left to right.
constexpr const char* kLeftToRight = "\u200e";

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
  for (bool goes_on = false; !lines.empty();) {
    const std::string_view line = first_line(lines, width);
    // Where a sentence goes on with a word that runs from right to left, it still runs from left to right itself.
    const std::string shown = (goes_on ? kLeftToRight : "") + std::string(line);
    size.x = std::max(size.x, line_width(shown));
    add_line(*ImGui::GetWindowDrawList(), ImVec2(at.x, at.y + size.y), ink, shown);
    size.y += ImGui::GetTextLineHeight();
    goes_on = line.size() < lines.size() && lines[line.size()] == ' ';
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
  const Scaled found = scaled(line, letters);
  return static_cast<float>(found.line.advance) * found.unit;
}

void LinePictures::draw(ImDrawList& list, ImVec2 start, std::string_view line, const Lettering& letters) {
  const Scaled found = scaled(line, letters);
  const Picture& shown = picture(found, line, letters);
  if (shown.image.width == 0) return;
  const ImVec2 from(std::round(start.x) + static_cast<float>(shown.image.left) * found.unit,
                    std::round(start.y) + static_cast<float>(shown.image.top) * found.unit);
  add_texture(list, shown.texture.name(), from,
              ImVec2(from.x + static_cast<float>(shown.image.width) * found.unit,
                     from.y + static_cast<float>(shown.image.height) * found.unit),
              letters.ink | (IM_COL32_WHITE & ~IM_COL32_A_MASK));
}

LinePictures::Scaled LinePictures::scaled(std::string_view line, const Lettering& letters) {
  const float wanted = letters.size * pixels_per_unit();
  float size = std::min(wanted, kLargest);
  auto found = lines_.find(KeyView(line, size, letters.weight, letters.font));
  if (found == lines_.end() && coarse_) {
    size = std::min(std::exp2(std::round(kStepsPerOctave * std::log2(size)) / kStepsPerOctave), kLargest);
    found = lines_.find(KeyView(line, size, letters.weight, letters.font));
  }
  const int frame = ImGui::GetFrameCount();
  if (found == lines_.end()) {
    if (lines_.size() >= kMost) forget_hidden(frame);
    Line made;
    made.advance = line_advance(line, static_cast<double>(size), letters.weight, letters.font);
    found = lines_.emplace(Key(std::string(line), size, letters.weight, letters.font), std::move(made)).first;
  }
  found->second.frame = frame;
  return {found->second, static_cast<double>(size), wanted / size / pixels_per_unit()};
}

LinePictures::Picture& LinePictures::picture(const Scaled& scaled, std::string_view line, const Lettering& letters) {
  const ImU32 ink = letters.ink | IM_COL32_A_MASK;
  std::vector<Picture>& pictures = scaled.line.pictures;
  const auto found = std::find_if(pictures.begin(), pictures.end(), [&](const Picture& p) { return p.ink == ink; });
  if (found != pictures.end()) return *found;
  ++drawn_;
  Picture made;
  made.ink = ink;
  made.image = draw_line_of_text(line, scaled.size, letters.weight, without_alpha(ink), letters.font);
  if (made.image.width > 0)
    made.texture.set({made.image.width, made.image.height, std::exchange(made.image.rgba, {})}, true);
  return pictures.emplace_back(std::move(made));
}

void LinePictures::forget_hidden(int frame) {
  std::erase_if(lines_, [&](const auto& each) { return each.second.frame < frame - 1; });
}

float line_width(std::string_view line) {
  if (needs_picture(line)) return line_pictures().width(line, current_letters(0));
  return ImGui::CalcTextSize(line.data(), line.data() + line.size()).x;
}

void add_line(ImDrawList& list, ImVec2 at, ImU32 ink, std::string_view line) {
  if (!needs_picture(line)) {
    wanted_characters().add(line);
    list.AddText(at, ink, line.data(), line.data() + line.size());
    return;
  }
  const Lettering letters = current_letters(ink);
  const ImVec2 end(at.x + line_pictures().width(line, letters), at.y + ImGui::GetFontSize());
  if (!ImGui::IsRectVisible(at, end)) return;
  const float baseline = at.y + baseline_offset(ImGui::GetFont(), ImGui::GetFontSize());
  line_pictures().draw(list, ImVec2(at.x, baseline), line, letters);
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
