#include "core/models/picture_fit.h"

#include <string>
#include <utility>

#include "core/base/text.h"

namespace attnscope {
namespace {

std::string size_text(PixelSize size) { return std::to_string(size.rows) + " × " + std::to_string(size.columns); }

/// `field` as a number, which is both sides, or with height and width.
PixelSize size_in(ConfigReader& config, const std::string& field, Index default_side) {
  const std::string whole = kPreprocessor + field;
  if (config.find(whole + ".height") != nullptr || config.find(whole + ".width") != nullptr)
    return {config.integer(whole + ".height"), config.integer(whole + ".width")};
  const Index side = config.integer(whole, default_side);
  return {side, side};
}

/// Resized so that the shorter side has `edge` pixels.
PixelSize with_shortest_edge(const ColorPicture& picture, Index edge) {
  const auto longer = [&](Index of, Index shorter) {
    return static_cast<Index>(static_cast<double>(edge * of) / static_cast<double>(shorter));
  };
  if (picture.columns <= picture.rows) return {longer(picture.rows, picture.columns), edge};
  return {edge, longer(picture.columns, picture.rows)};
}

ColorPicture middle_of(const ColorPicture& picture, PixelSize size) {
  ColorPicture result = {size.rows, size.columns, {}};
  result.rgb.reserve(static_cast<std::size_t>(size.rows * size.columns * kColors));
  const Index top = (picture.rows - size.rows) / 2;
  const Index left = (picture.columns - size.columns) / 2;
  for (Index row = top; row < top + size.rows; ++row) {
    const auto line = picture.rgb.begin() + (row * picture.columns + left) * kColors;
    result.rgb.insert(result.rgb.end(), line, line + size.columns * kColors);
  }
  return result;
}

/// The most pixels of a resized picture, before its middle is cut out.
constexpr Index kMaxResizedPixels = 64'000'000;

void refuse_size(ConfigReader& config, const char* field, PixelSize size, const std::string& allowed) {
  config.fail(std::string("preprocessor_config.json: ") + field + ": " + size_text(size) +
              " pixels are not allowed; allowed: " + allowed);
}

/// What is known without a picture.
void check_fit(ConfigReader& config, const PictureFit& fit) {
  const std::string model = size_text(fit.model) + ", the image_size in config.json";
  if (!fit.cropped.empty() && fit.cropped != fit.model) return refuse_size(config, "crop_size", fit.cropped, model);
  if (fit.resized.empty()) return;
  if (fit.cropped.empty() && fit.resized != fit.model) return refuse_size(config, "size", fit.resized, model);
  if (fit.resized.rows < fit.model.rows || fit.resized.columns < fit.model.columns)
    return refuse_size(config, "size", fit.resized, "at least " + size_text(fit.model) + ", the crop_size");
}

}  // namespace

PictureFit read_picture_fit(ConfigReader& config, Index size) {
  PictureFit fit;
  fit.model = {size, size};
  const double method = config.real(kPreprocessor + "resample", static_cast<double>(Resampling::bilinear));
  if (const std::optional<Resampling> known = resampling_of(method)) {
    fit.method = *known;
  } else {
    config.fail("preprocessor_config.json: resample: " + exact_text(method) +
                " is not allowed; allowed: whole numbers from 0 to 5");
  }
  if (config.flag(kPreprocessor + "do_resize", true)) {
    const std::string shortest = kPreprocessor + "size.shortest_edge";
    if (config.find(shortest) != nullptr) {
      fit.shortest_edge = config.integer(shortest);
    } else {
      fit.resized = size_in(config, "size", size);
    }
  }
  if (config.flag(kPreprocessor + "do_center_crop", false)) fit.cropped = size_in(config, "crop_size", size);
  check_fit(config, fit);
  return fit;
}

Result<ColorPicture> fitted_picture(const PictureFit& fit, const ColorPicture& picture) {
  const PixelSize given = {picture.rows, picture.columns};
  PixelSize size = fit.resized;
  if (fit.shortest_edge > 0) size = with_shortest_edge(picture, fit.shortest_edge);
  if (size.empty()) size = given;
  const std::string resized = size == given ? "" : ", resized to " + size_text(size) + ",";
  const std::string shown = "picture: " + size_text(given) + " pixels" + resized + " are not allowed; allowed: ";
  if (size.columns > kMaxResizedPixels / size.rows)
    return fail(shown + "at most " + grouped_text(kMaxResizedPixels) + " pixels");
  if (fit.cropped.empty() && size != fit.model) return fail(shown + size_text(fit.model));
  if (size.rows < fit.model.rows || size.columns < fit.model.columns)
    return fail(shown + "at least " + size_text(fit.model));
  ColorPicture result = resampled(picture, size.rows, size.columns, fit.method);
  return fit.cropped.empty() ? std::move(result) : middle_of(result, fit.cropped);
}

}  // namespace attnscope
