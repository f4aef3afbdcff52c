#include "ui/imgui/fonts.h"

#include <cmath>

#include "ui/imgui/imgui_compat.h"

namespace attnscope::ui {
namespace {

// Static: ImGui keeps the pointers until the atlas is built.
constexpr std::array<ImWchar, 3> kDigits = {'0', '9', 0};
constexpr std::array<ImWchar, 17> kText = {0x20,   0x2f,   0x3a,   0xff,   0x100,  0x17f,  0x2010, 0x2027, 0x2030,
                                           0x205e, 0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
constexpr std::array<ImWchar, 19> kMathematics = {0x2b0,  0x2ff,  0x370,  0x3ff,  0x1d2c, 0x1d6a, 0x2016,
                                                  0x2017, 0x2030, 0x209f, 0x2100, 0x214f, 0x2190, 0x21ff,
                                                  0x2200, 0x22ff, 0x25a0, 0x25ff, 0};

/// Adds a size: text, digits of equal width, and the glyphs that only the mathematics font has.
Result<Font> add_font(ImFontAtlas& atlas, const std::string& text, const std::string& mathematics, float size,
                      FontWeight weight) {
  ImFontConfig config;
  config.OversampleH = 1;
  config.PixelSnapH = true;
  set_glyphs(config, kText.data(), kDigits.data());
  // ImGui's size is that of a line, ascent and descent; type sizes are em. Whole numbers, because ImGui rasterises at
  // those only: before 1.92 it cut off the rest, and since then it rounds, which would scale the letters.
  const auto line = static_cast<float>(std::floor(static_cast<double>(size) * (kFontAscent + kFontDescent)));
  ImFont* font = atlas.AddFontFromFileTTF(text.c_str(), line, &config);
  if (font == nullptr) return fail("font " + text + " cannot be read");

  // Digits must line up in columns. ImGui cannot turn on Inter's feature for that.
  ImFontConfig digits = config;
  digits.MergeMode = true;
  digits.GlyphMinAdvanceX = digits.GlyphMaxAdvanceX =
      std::round(static_cast<float>(text_width("0", static_cast<double>(size), weight)));
  set_glyphs(digits, kDigits.data(), nullptr);
  atlas.AddFontFromFileTTF(text.c_str(), line, &digits);

  ImFontConfig symbols = config;
  symbols.MergeMode = true;
  set_glyphs(symbols, kMathematics.data(), nullptr);
  if (atlas.AddFontFromFileTTF(mathematics.c_str(), line, &symbols) == nullptr)
    return fail("font " + mathematics + " cannot be read");
  return Font{font, size, line};
}

}  // namespace

Result<Fonts> Fonts::load(const FontFiles& files, float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  use_freetype(atlas);
  Fonts fonts;
  for (const FontWeight weight : {FontWeight::regular, FontWeight::semibold}) {
    const std::string file = (weight == FontWeight::regular ? files.regular : files.semibold).string();
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      Result<Font> font = add_font(atlas, file, files.mathematics.string(), std::round(kSizes[i] * scale), weight);
      if (!font) return tl::unexpected(font.error());
      (weight == FontWeight::regular ? fonts.regular_ : fonts.semibold_)[i] = *font;
    }
  }
  ImGui::GetIO().FontDefault = fonts.body().font;
  return fonts;
}

const Font& Fonts::nearest(FontWeight weight, float size) const {
  const auto& sizes = weight == FontWeight::regular ? regular_ : semibold_;
  for (const Font& font : sizes) {
    if (font.size >= size - 0.5F) return font;
  }
  return sizes.back();
}

}  // namespace attnscope::ui
