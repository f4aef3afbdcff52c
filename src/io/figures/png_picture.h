// PNG files as pictures for the pixels of an experiment.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/experiment/picture.h"

namespace attnscope {

/// The most bytes and pixels of a PNG file.
inline constexpr std::uint64_t kMaxPngBytes = 64'000'000;
inline constexpr std::uint64_t kMaxPngPixels = 64'000'000;

/// Reads a PNG file of any kind. Transparent pixels lie over white. Its size is checked before memory is taken for it.
/// Errors are one line that begins with the file's name.
Result<ColorPicture> read_png_picture(const std::filesystem::path& path);

/// The same from the bytes of a file; errors without a name.
Result<ColorPicture> png_picture(std::string_view bytes);

/// Whether a file's name says that it is a PNG.
bool is_png_name(const std::filesystem::path& path);

}  // namespace attnscope
