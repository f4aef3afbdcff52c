#include "ui/imgui/fonts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/text_field.h"

namespace attnscope::ui {
namespace {

constexpr std::array<ImWchar, 3> kDigits = {'0', '9', 0};
constexpr std::array<ImWchar, 3> kStandIns = {kFirstStandIn, kLastStandIn, 0};
// What is loaded before anybody has seen it makes every start longer: only what the program itself writes, and the rest of
// Latin-1. All else is loaded when a text has it.
constexpr std::array kText = std::to_array<ImWchar>(
    {0x20, 0x2f, 0x3a, 0xff, 0x120, 0x120, 0x2010, 0x2027, 0x2030, 0x203a, 0x2190, 0x2193, 0x2212, 0x2212, 0});
constexpr std::array kMathematics =
    std::to_array<ImWchar>({0x391,  0x3c9,  0x1d40, 0x1d40, 0x2016, 0x2017, 0x2032, 0x2033, 0x2070, 0x209c, 0x2190,
                            0x2195, 0x21b5, 0x21b5, 0x21bb, 0x21bb, 0x21e5, 0x21e5, 0x2202, 0x2202, 0x2207, 0x2208,
                            0x2211, 0x221e, 0x2248, 0x2248, 0x2260, 0x2265, 0x2297, 0x2299, 0x22c5, 0x22c5, 0x22ee,
                            0x22ee, 0x230a, 0x230b, 0x2423, 0x2423, 0x2581, 0x2581, 0x25a0, 0x25cf, 0});

bool is_among(char32_t character, std::span<const ImWchar> ranges) {
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2) {
    if (character >= ranges[i] && character <= ranges[i + 1]) return true;
  }
  return false;
}

/// Which glyphs to take from which fonts. ImGui reads the ranges until the atlas is built.
struct Glyphs {
  std::vector<ImWchar> text;
  std::vector<ImWchar> mathematics;
  std::vector<ImWchar> wanted;
  std::vector<FontFile> others;
};

/// The ranges of `usual`, which end with 0, and each of the characters.
std::vector<ImWchar> with_characters(std::span<const ImWchar> usual, std::span<const char32_t> characters) {
  std::vector<ImWchar> ranges(usual.begin(), usual.end());
  if (!ranges.empty()) ranges.pop_back();
  for (const char32_t character : characters) ranges.insert(ranges.end(), 2, static_cast<ImWchar>(character));
  ranges.push_back(0);
  return ranges;
}

Glyphs glyphs_for(std::span<const char32_t> wanted) {
  Glyphs glyphs = {
      with_characters(kText, wanted), with_characters(kMathematics, wanted), with_characters({}, wanted), {}};
  if (!wanted.empty()) glyphs.others = fonts_with(wanted);
  return glyphs;
}

/// Adds fonts from files to the atlas, which owns one copy of each file: four sizes of two weights, each with several
/// sources, would read 15 MB.
class FontSources {
 public:
  explicit FontSources(ImFontAtlas& atlas) : atlas_(atlas) {}
  FontSources(const FontSources&) = delete;
  FontSources& operator=(const FontSources&) = delete;
  ~FontSources() {
    for (auto& [path, file] : files_) {
      if (!file.is_given) IM_FREE(file.data);
    }
  }

  /// Whether the file can be read; it is read only once.
  bool can_read(const std::string& path) { return file_of(path, 0).data != nullptr; }

  /// Null if the file cannot be read.
  ImFont* add(const std::string& path, float line, const ImFontConfig& config) {
    // Each font of a collection by itself: where the atlas rejects one, it frees what it was given.
    File& read = file_of(path, config.FontNo);
    if (read.data == nullptr) return nullptr;
    ImFont* const font = atlas_.AddFontFromMemoryTTF(read.data, static_cast<int>(read.bytes), line, &config);
    const bool was_given = std::exchange(read.is_given, true);
    if (font == nullptr) {
      read.data = nullptr;
    } else {
      last_source(atlas_).FontDataOwnedByAtlas = !was_given;
    }
    return font;
  }

 private:
  struct File {
    void* data = nullptr;
    std::size_t bytes = 0;
    bool is_given = false;  ///< to the atlas, which frees it
  };

  File& file_of(const std::string& path, int number) {
    const auto [file, is_new] = files_.try_emplace({path, number});
    if (is_new) file->second.data = ImFileLoadToMemory(path.c_str(), "rb", &file->second.bytes);
    return file->second;
  }

  ImFontAtlas& atlas_;
  std::map<std::pair<std::string, int>, File> files_;  ///< by path and number in it
};

/// Adds a size: text, digits of equal width, the glyphs that only the mathematics font has, and those that neither has.
Result<Font> add_font(FontSources& sources, const std::string& text, const std::string& mathematics,
                      const Glyphs& glyphs, float size, FontWeight weight) {
  ImFontConfig config;
  config.OversampleH = 1;
  config.PixelSnapH = true;
  set_glyphs(config, glyphs.text.data(), kDigits.data());
  // ImGui's size is that of a line, ascent and descent; type sizes are em. Whole numbers, because ImGui rasterises at
  // those only: before 1.92 it cut off the rest, and since then it rounds, which would scale the letters.
  const auto line = static_cast<float>(std::floor(static_cast<double>(size) * (kFontAscent + kFontDescent)));
  ImFont* font = sources.add(text, line, config);
  if (font == nullptr) return fail("font " + text + " cannot be read");

  // Digits must line up in columns. ImGui cannot turn on Inter's feature for that.
  ImFontConfig digits = config;
  digits.MergeMode = true;
  digits.GlyphMinAdvanceX = digits.GlyphMaxAdvanceX =
      std::round(static_cast<float>(text_width("0", static_cast<double>(size), weight)));
  set_glyphs(digits, kDigits.data(), nullptr);
  sources.add(text, line, digits);

  ImFontConfig symbols = config;
  symbols.MergeMode = true;
  set_glyphs(symbols, glyphs.mathematics.data(), nullptr);
  if (sources.add(mathematics, line, symbols) == nullptr) return fail("font " + mathematics + " cannot be read");
  // Where a character is in several fonts, the first one counts. One that cannot be read leaves its characters out.
  for (const FontFile& other : glyphs.others) {
    ImFontConfig foreign = config;
    foreign.MergeMode = true;
    foreign.FontNo = other.index;
    set_glyphs(foreign, glyphs.wanted.data(), kStandIns.data());
    sources.add(other.path, line, foreign);
  }
  return Font{font, size, line};
}

}  // namespace

bool is_always_loaded(char32_t character) { return is_among(character, kText) || is_among(character, kMathematics); }

Result<Fonts> Fonts::load(const FontFiles& files, float scale, std::span<const char32_t> wanted) {
  const Glyphs glyphs = glyphs_for(wanted);
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  FontSources sources(atlas);
  // They can be gone by now: what is loaded stays.
  for (const std::filesystem::path& file : {files.regular, files.semibold, files.mathematics}) {
    if (!sources.can_read(file.string())) return fail("font " + file.string() + " cannot be read");
  }
  atlas.Clear();
  use_freetype(atlas);
  Fonts fonts;
  for (const FontWeight weight : {FontWeight::regular, FontWeight::semibold}) {
    const std::string file = (weight == FontWeight::regular ? files.regular : files.semibold).string();
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      Result<Font> font =
          add_font(sources, file, files.mathematics.string(), glyphs, std::round(kSizes[i] * scale), weight);
      if (!font) return tl::unexpected(font.error());
      (weight == FontWeight::regular ? fonts.regular_ : fonts.semibold_)[i] = *font;
    }
  }
  build_now(atlas);
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
