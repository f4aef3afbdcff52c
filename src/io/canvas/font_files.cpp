#include "io/canvas/font_files.h"

#include <fontconfig/fontconfig.h>

#include <memory>

namespace attnscope {
namespace {

struct PatternDeleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using PatternPtr = std::unique_ptr<FcPattern, PatternDeleter>;

/// The file of the installed font nearest to a family and weight; empty if no scalable font is installed.
std::filesystem::path best_match(const char* family, int weight) {
  const PatternPtr pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, weight);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  FcResult result = FcResultMatch;
  const PatternPtr match(FcFontMatch(nullptr, pattern.get(), &result));
  FcChar8* file = nullptr;
  if (!match || FcPatternGetString(match.get(), FC_FILE, 0, &file) != FcResultMatch) return {};
  return reinterpret_cast<const char*>(file);
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

Result<void> check_fonts() {
  const FcFontSet* const fonts = FcInit() == FcTrue ? FcConfigGetFonts(nullptr, FcSetSystem) : nullptr;
  return fonts != nullptr && fonts->nfont > 0 ? Result<void>() : Result<void>(no_font());
}

}  // namespace attnscope
