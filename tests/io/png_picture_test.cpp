// PNG files as pictures: every kind, large ones too, damaged ones refused.
#include "io/figures/png_picture.h"

#include <gtest/gtest.h>

#include <random>

#include "support/png_bytes.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

Bytes rgb_of(const std::string& png) {
  const Result<ColorPicture> picture = png_picture(png);
  EXPECT_TRUE(picture) << (picture ? "" : picture.error().message);
  return picture ? picture->rgb : Bytes{};
}

TEST(PngPicture, HasTheColoursOfItsPixels) {
  const Bytes pixels = {0, 128, 255, 1, 2, 3, 9, 8, 7, 255, 255, 255, 40, 50, 60, 0, 0, 0};
  const ColorPicture picture = *png_picture(png_bytes_of(3, 2, text_of(pixels)));
  EXPECT_EQ(picture.rows, 2);
  EXPECT_EQ(picture.columns, 3);
  EXPECT_EQ(picture.rgb, pixels);
  EXPECT_EQ(picture.color(1, 0, 2), 255);
}

TEST(PngPicture, OfEveryKind) {
  EXPECT_EQ(rgb_of(png_bytes_of(2, 1, text_of({7, 200}), 8, 0)), (Bytes{7, 7, 7, 200, 200, 200}));
  EXPECT_EQ(rgb_of(png_bytes_of(8, 1, text_of({0b10100000}), 1, 0)).size(), 24U);
  EXPECT_EQ(rgb_of(png_bytes_of(1, 1, text_of({7, 99, 200, 0, 255, 255}), 16, 2)), (Bytes{7, 200, 255}));
  const std::string palette = png_header(2, 1, 8, 3) + png_chunk("PLTE", text_of({1, 2, 3, 4, 5, 6})) +
                              png_data(text_of({1, 0}), 1) + png_chunk("IEND", "");
  EXPECT_EQ(rgb_of(palette), (Bytes{4, 5, 6, 1, 2, 3}));
}

TEST(PngPicture, LiesOverWhite) {
  const Bytes pixels = {10, 20, 30, 255, 10, 20, 30, 0, 100, 0, 255, 51};
  const Bytes rgb = rgb_of(png_bytes_of(3, 1, text_of(pixels), 8, 6));
  const Bytes expected = {10, 20, 30, 255, 255, 255, 224, 204, 255};
  ASSERT_EQ(rgb.size(), expected.size());
  for (std::size_t i = 0; i < rgb.size(); ++i) EXPECT_NEAR(rgb[i], expected[i], 1) << i;
}

TEST(PngPicture, LargeOnesKeepTheirSize) {
  const ColorPicture line = *png_picture(png_bytes_of(9000, 2, std::string(18'000, '\x7f'), 8, 0));
  EXPECT_EQ(line, (ColorPicture{2, 9000, Bytes(54'000, 127)}));
}

TEST(PngPicture, ItsSizeIsCheckedBeforeItIsDecoded) {
  for (const auto& [width, height] :
       {std::pair(16'385U, 1U), {1U, 16'385U}, {16'000U, 16'000U}, {0xffffffffU, 0xffffffffU}, {0U, 5U}, {5U, 0U}}) {
    const Result<ColorPicture> picture = png_picture(png_header(width, height, 8, 2));
    ASSERT_FALSE(picture);
    EXPECT_NE(picture.error().message.find(std::to_string(width) + " × " + std::to_string(height) +
                                           " pixels; allowed: 1 to 16384 along a side, at most 64,000,000 in all"),
              std::string::npos)
        << picture.error().message;
  }
}

TEST(PngPicture, WhatIsNoneIsRefusedInOneLineThatNamesTheFile) {
  const TemporaryFolder folder;
  const std::string good = png_bytes_of(2, 2, std::string(12, 'x'));
  const auto refuse = [&](const std::filesystem::path& path, const std::string& fragment) {
    const Result<ColorPicture> picture = read_png_picture(path);
    ASSERT_FALSE(picture) << path;
    EXPECT_TRUE(is_one_line(picture.error().message));
    EXPECT_TRUE(picture.error().message.starts_with(path.string() + ": ")) << picture.error().message;
    EXPECT_NE(picture.error().message.find(fragment), std::string::npos) << picture.error().message;
  };
  refuse(folder / "none.png", "No such file");
  refuse(folder.path(), "is a folder");
  refuse(folder.file("empty.png", ""), "is not a PNG file");
  refuse(folder.file("jpeg.png", "\xff\xd8\xff\xe0 JFIF"), "is not a PNG file");
  refuse(folder.file("lfs.png", "version https://git-lfs.github.com/spec/v1\n"), "Git-LFS");
  refuse(folder.file("page.png", "<!DOCTYPE html>"), "an HTML page");
  refuse(folder.file("half.png", good.substr(0, good.size() / 2 + 8)), "damaged or ends too early");
  const std::filesystem::path large = folder.file("large.png", good);
  std::filesystem::resize_file(large, kMaxPngBytes + 1);
  refuse(large, "allowed: ");
  EXPECT_TRUE(read_png_picture(folder.file("good.png", good)));
}

TEST(PngPicture, CutShortAnywhereIsRefused) {
  const std::string good = png_bytes_of(3, 3, std::string(27, 'x'));
  // Bytes after the pixels may be missing.
  const std::size_t needed = good.size() - 12 - 4;
  for (std::size_t size = 0; size < needed; ++size) EXPECT_FALSE(png_picture(good.substr(0, size))) << size;
}

TEST(PngPicture, DamagedOnesAreRefusedOrPictures) {
  std::mt19937 random(3);
  const std::string good = png_bytes_of(5, 4, std::string(80, 'x'), 8, 6);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = good;
    for (std::size_t n = 1 + random() % 3; n > 0; --n) damaged[random() % damaged.size()] = static_cast<char>(random());
    const Result<ColorPicture> picture = png_picture(damaged);
    if (picture) {
      EXPECT_EQ(std::ssize(picture->rgb), picture->rows * picture->columns * 3);
    } else {
      EXPECT_TRUE(is_one_line(picture.error().message));
    }
  }
}

TEST(PngPicture, IsKnownByItsName) {
  for (const char* name : {"a.png", "/x/B.PNG", "c.d.Png"}) EXPECT_TRUE(is_png_name(name)) << name;
  for (const char* name : {"a.json", "png", ".png", "a.png.json", ""}) EXPECT_FALSE(is_png_name(name)) << name;
}

}  // namespace
}  // namespace attnscope::test
