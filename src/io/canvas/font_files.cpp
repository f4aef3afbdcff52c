#include "io/canvas/font_files.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace attnscope {
namespace {

struct PatternDeleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using PatternPtr = std::unique_ptr<FcPattern, PatternDeleter>;

/// What to look for: an upright scalable font; with those characters, unless that is null.
PatternPtr wanted_font(const char* family, int weight, const FcCharSet* characters) {
  PatternPtr pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, weight);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  if (characters != nullptr) FcPatternAddCharSet(pattern.get(), FC_CHARSET, characters);
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  return pattern;
}

/// The file of the installed font nearest to a family and weight; empty if no scalable font is installed.
std::filesystem::path best_match(const char* family, int weight) {
  const PatternPtr pattern = wanted_font(family, weight, nullptr);
  FcResult result = FcResultMatch;
  const PatternPtr match(FcFontMatch(nullptr, pattern.get(), &result));
  FcChar8* file = nullptr;
  if (!match || FcPatternGetString(match.get(), FC_FILE, 0, &file) != FcResultMatch) return {};
  return reinterpret_cast<const char*>(file);
}

/// Whether a family of exactly that name is installed.
bool is_installed(const char* family) {
  const PatternPtr pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcObjectSet* const wanted = FcObjectSetBuild(FC_FILE, nullptr);
  FcFontSet* const fonts = FcFontList(nullptr, pattern.get(), wanted);
  FcObjectSetDestroy(wanted);
  const bool any = fonts != nullptr && fonts->nfont > 0;
  if (fonts != nullptr) FcFontSetDestroy(fonts);
  return any;
}

struct CharSetDeleter {
  void operator()(FcCharSet* set) const { FcCharSetDestroy(set); }
};
using CharSetPtr = std::unique_ptr<FcCharSet, CharSetDeleter>;

struct FontSetDeleter {
  void operator()(FcFontSet* set) const { FcFontSetDestroy(set); }
};
using FontSetPtr = std::unique_ptr<FcFontSet, FontSetDeleter>;

bool has_flag(FcPattern* font, const char* flag) {
  FcBool value = FcFalse;
  return FcPatternGetBool(font, flag, 0, &value) == FcResultMatch && value == FcTrue;
}

/// The fonts that have some of the characters, the best match to Inter first.
FontSetPtr sorted_fonts(const FcCharSet* characters) {
  const PatternPtr pattern = wanted_font("Inter", FC_WEIGHT_REGULAR, characters);
  FcResult result = FcResultMatch;
  return FontSetPtr(FcFontSort(nullptr, pattern.get(), FcTrue, nullptr, &result));
}

tl::unexpected<Error> no_font() {
  return fail("no font found; install one, on Debian: apt install fonts-inter fonts-dejavu-core");
}

}  // namespace

Result<FontFiles> find_font_files() {
  FontFiles files = {best_match("Inter", FC_WEIGHT_REGULAR), best_match("Inter", FC_WEIGHT_DEMIBOLD),
                     best_match("DejaVu Sans", FC_WEIGHT_REGULAR)};
  for (const std::filesystem::path& file : {files.regular, files.semibold, files.mathematics}) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return no_font();
  }
  return files;
}

std::vector<FontFile> fonts_with(std::span<const char32_t> characters) {
  CharSetPtr left(FcCharSetCreate());
  for (const char32_t character : characters) FcCharSetAddChar(left.get(), character);
  const FontSetPtr fonts = sorted_fonts(left.get());
  std::vector<FontFile> files;
  for (int i = 0; fonts != nullptr && i < fonts->nfont && FcCharSetCount(left.get()) > 0; ++i) {
    FcPattern* const font = fonts->fonts[i];
    FcCharSet* has = nullptr;
    FcChar8* file = nullptr;
    int index = 0;
    // Fonts of coloured pictures have one size, which cannot be set as text.
    if (has_flag(font, FC_COLOR) || !has_flag(font, FC_SCALABLE) ||
        FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch ||
        FcPatternGetString(font, FC_FILE, 0, &file) != FcResultMatch ||
        FcPatternGetInteger(font, FC_INDEX, 0, &index) != FcResultMatch ||
        FcCharSetIntersectCount(left.get(), has) == 0)
      continue;
    // The upper bits name an instance of a variable font.
    files.push_back({reinterpret_cast<const char*>(file), index & 0xffff});
    left.reset(FcCharSetSubtract(left.get(), has));
  }
  return files;
}

Result<void> check_font(FigureFont font) {
  struct Needed {
    FigureFont font;
    const char* title;
    const char* package;
    std::array<const char*, 2> families;  ///< any of them
  };
  constexpr std::array<Needed, 2> all = {{
      {FigureFont::serif, "STIX", "fonts-stix", {"STIX", "STIX Two Text"}},
      {FigureFont::latex, "Latin Modern", "fonts-lmodern", {"LM Roman 10", "LM Roman 10"}},
  }};
  const auto* const needed = std::ranges::find(all, font, &Needed::font);
  if (needed == all.end() || std::ranges::any_of(needed->families, is_installed)) return {};
  return fail("font " + std::string(font_name(font)) + ": " + needed->title +
              " is not installed; on Debian: apt install " + needed->package);
}

Result<void> check_fonts() {
  const FcFontSet* const fonts = FcInit() == FcTrue ? FcConfigGetFonts(nullptr, FcSetSystem) : nullptr;
  return fonts != nullptr && fonts->nfont > 0 ? Result<void>() : Result<void>(no_font());
}

}  // namespace attnscope
