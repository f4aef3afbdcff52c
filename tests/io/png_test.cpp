// PNG files in memory: written like cairo's, with texts and a resolution; read with suspicion.
#include "io/canvas/png.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <vector>

#include "io/base/parse_budget.h"
#include "io/canvas/cairo_handle.h"
#include "io/canvas/png_chunk.h"
#include "io/figures/figure_text.h"
#include "support/png_bytes.h"

namespace attnscope::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

PixelImage image_of(int width, int height, const std::function<std::uint32_t(int x, int y)>& pixel) {
  PixelImage image = {static_cast<std::size_t>(width), static_cast<std::size_t>(height), {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image.pixels.push_back(pixel(x, y));
  }
  return image;
}

std::string names_of_chunks(std::string_view bytes) {
  std::string names;
  bytes.remove_prefix(kPngSignature.size());
  while (const std::optional<PngChunk> chunk = take_png_chunk(bytes)) {
    EXPECT_EQ(chunk_checksum(chunk->whole.substr(4, chunk->whole.size() - 8)),
              png_checksum(chunk->whole.substr(4, chunk->whole.size() - 8)));
    names += std::string(chunk->name) + " ";
  }
  EXPECT_TRUE(bytes.empty());
  return names;
}

TEST(Png, HasTheBytesThatCairoWrites) {
  std::mt19937 random(5);
  const std::array<std::function<std::uint32_t(int, int)>, 3> patterns = {
      [&](int, int) { return static_cast<std::uint32_t>(random()); },
      [](int x, int y) { return static_cast<std::uint32_t>(x / 20 * 7 + y / 9 * 0x10300); },
      [](int, int) { return 0xff102030U; }};
  for (const auto& [width, height] : {std::pair(1, 1), {7, 3}, {300, 200}}) {
    for (const auto& pattern : patterns) {
      PixelImage image = image_of(width, height, pattern);
      const CairoSurface surface = surface_of(image);
      std::string expected;
      ASSERT_EQ(cairo_surface_write_to_png_stream(surface.get(), append_bytes, &expected), CAIRO_STATUS_SUCCESS);
      EXPECT_TRUE(png_bytes(image.view()).value() == expected) << width;
      EXPECT_TRUE(png_bytes(pixels_of(surface.get())).value() == expected) << width;
    }
  }
}

TEST(Png, SaysItsResolutionAndItsTexts) {
  const PixelImage image = image_of(2, 2, [](int x, int) { return x == 0 ? 0x112233U : 0xaabbccU; });
  const std::string long_text(10'000, 'x');
  const std::string bytes =
      png_bytes(image.view(), 254, std::vector<PngText>{{"Title", "é"}, {"attnscope", long_text}}).value();
  EXPECT_EQ(names_of_chunks(bytes), "IHDR pHYs iTXt iTXt bKGD IDAT IEND ");
  std::string per_metre;
  for (int i = 0; i < 2; ++i) append_number(per_metre, 10'000);
  EXPECT_NE(bytes.find(png_chunk("pHYs", per_metre + '\1')), std::string::npos);
  EXPECT_NE(bytes.find(png_chunk("iTXt", std::string("Title\0\0\0\0\0", 10) + "é")), std::string::npos);
  EXPECT_LT(bytes.size(), 1000U) << "long texts are compressed";
  ParseBudget budget(bytes.size());
  EXPECT_EQ(png_figure_text(bytes, budget), long_text);
  EXPECT_EQ(png_pixels(bytes).value(), (Bytes{0x11, 0x22, 0x33, 255, 0xaa, 0xbb, 0xcc, 255,  //
                                              0x11, 0x22, 0x33, 255, 0xaa, 0xbb, 0xcc, 255}));
}

TEST(Png, ARowMayBeginBehindUnusedPixels) {
  const PixelImage narrow = image_of(2, 3, [](int x, int y) { return static_cast<std::uint32_t>(0x10'00'01 * x + y); });
  const PixelImage wide = image_of(5, 3, [](int x, int y) { return static_cast<std::uint32_t>(0x10'00'01 * x + y); });
  EXPECT_TRUE(png_bytes({wide.pixels.data(), 2, 3, 5}).value() == png_bytes(narrow.view()).value());
}

TEST(Png, AnImageWithoutPixelsIsAnError) {
  const Result<std::string> bytes = png_bytes(PixelImage().view());
  ASSERT_FALSE(bytes);
  EXPECT_FALSE(bytes.error().message.empty());
}

/// The rows of the seven passes of an interlaced picture, one byte a pixel (PNG specification, 8.2).
std::string interlaced_png(std::uint32_t side, const Bytes& pixels) {
  struct Pass {
    std::uint32_t left, top, across, down;
  };
  constexpr std::array<Pass, 7> kPasses = {
      {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};
  std::string raw;
  for (const Pass& pass : kPasses) {
    for (std::uint32_t y = pass.top; y < side && pass.left < side; y += pass.down) {
      raw += '\0';
      for (std::uint32_t x = pass.left; x < side; x += pass.across) raw += static_cast<char>(pixels[y * side + x]);
    }
  }
  std::string header;
  append_number(header, side);
  append_number(header, side);
  for (const int byte : {8, 0, 0, 0, 1}) header += static_cast<char>(byte);
  // png_data puts the filter of one row before the whole.
  return std::string(kPngSignature) + png_chunk("IHDR", header) + png_data(raw.substr(1), 1) + png_chunk("IEND", "");
}

TEST(Png, ReadsInterlacedFiles) {
  for (const std::uint32_t side : {1U, 2U, 5U, 8U, 19U}) {
    Bytes pixels;
    for (std::uint32_t i = 0; i < side * side; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 37 + 11));
    const Result<Bytes> read = png_pixels(interlaced_png(side, pixels));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), 4 * pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      ASSERT_EQ((*read)[4 * i], pixels[i]) << side << " " << i;
      ASSERT_EQ((*read)[4 * i + 2], pixels[i]);
      ASSERT_EQ((*read)[4 * i + 3], 255);
    }
  }
}

std::string chars_of(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

TEST(Png, ReadsEveryKind) {
  const auto pixels = [](const std::string& png) { return png_pixels(png).value(); };
  EXPECT_EQ(pixels(png_bytes_of(1, 1, chars_of({200, 3}), 16, 0)), (Bytes{200, 200, 200, 255}));
  EXPECT_EQ(pixels(png_bytes_of(1, 1, chars_of({9, 40}), 8, 4)), (Bytes{9, 9, 9, 40}));
  EXPECT_EQ(pixels(png_bytes_of(1, 1, chars_of({1, 0, 2, 0, 3, 0, 77, 255}), 16, 6)), (Bytes{1, 2, 3, 77}));
  EXPECT_EQ(pixels(png_bytes_of(2, 1, chars_of({0b10110000}), 2, 0)), (Bytes{170, 170, 170, 255, 255, 255, 255, 255}));
  EXPECT_EQ(pixels(png_bytes_of(2, 1, chars_of({0x3f}), 4, 0)), (Bytes{51, 51, 51, 255, 255, 255, 255, 255}));
  // A palette, the second of its colours half transparent, and one colour that shines through.
  EXPECT_EQ(pixels(png_header(2, 1, 8, 3) + png_chunk("PLTE", chars_of({1, 2, 3, 4, 5, 6})) +
                   png_chunk("tRNS", chars_of({255, 128})) + png_data(chars_of({1, 0}), 1) + png_chunk("IEND", "")),
            (Bytes{4, 5, 6, 128, 1, 2, 3, 255}));
  EXPECT_EQ(pixels(png_header(2, 1, 8, 0) + png_chunk("tRNS", chars_of({0, 7})) + png_data(chars_of({7, 8}), 1) +
                   png_chunk("IEND", "")),
            (Bytes{7, 7, 7, 0, 8, 8, 8, 255}));
}

TEST(Png, ReadsPixelsInManyChunks) {
  const std::string whole = png_bytes_of(3, 2, "abcdefghijklmnopqr");
  std::string_view rest = whole;
  rest.remove_prefix(kPngSignature.size());
  std::string parts(kPngSignature);
  while (const std::optional<PngChunk> chunk = take_png_chunk(rest)) {
    if (chunk->name != "IDAT") {
      parts += chunk->whole;
      continue;
    }
    for (const char byte : chunk->content) parts += png_chunk("IDAT", "") + png_chunk("IDAT", std::string(1, byte));
  }
  EXPECT_EQ(png_pixels(parts).value(), png_pixels(whole).value());
}

std::string png_trouble(const std::string& bytes) {
  const Result<Bytes> pixels = png_pixels(bytes);
  return pixels ? "" : pixels.error().message;
}

TEST(Png, RefusesWhatIsDamaged) {
  constexpr const char* kDamaged = "the PNG file is damaged or ends too early";
  const std::string header = png_header(2, 1, 8, 0);
  const std::string data = png_data("ab", 1);
  const std::string end = png_chunk("IEND", "");
  EXPECT_EQ(png_trouble(header + data + end), "");
  EXPECT_EQ(png_trouble(header + data), kDamaged) << "no end";
  EXPECT_EQ(png_trouble(header + end), kDamaged) << "no pixels";
  EXPECT_EQ(png_trouble(header + png_data("a", 1) + end), kDamaged) << "too few pixels";
  EXPECT_EQ(png_trouble(header + png_data("abc", 1) + end),
            "the PNG file is damaged: it holds more data than its pixels");
  EXPECT_EQ(png_trouble(header + header.substr(kPngSignature.size()) + data + end), kDamaged) << "two headers";
  EXPECT_EQ(png_trouble(png_header(2, 1, 8, 3) + data + end), kDamaged) << "no palette";
  for (const auto& [bits, kind] : {std::pair(3, 0), {8, 1}, {8, 5}, {16, 3}, {4, 2}, {8, 7}})
    EXPECT_EQ(png_trouble(png_header(2, 1, bits, kind) + data + end), kDamaged) << bits << " " << kind;
  const std::string interlaced = interlaced_png(4, Bytes(16, 'x'));
  EXPECT_EQ(png_trouble(interlaced), "");
  const std::string_view interlaced_header = std::string_view(interlaced).substr(0, header.size());
  EXPECT_EQ(png_trouble(std::string(interlaced_header) + png_data(std::string(20, '\0'), 1) + end), kDamaged)
      << "the last pass is missing";
  // Checksums of what the pixels need count; of anything else they do not.
  std::string wrong = header + data + end;
  wrong[header.size() + data.size() - 1] ^= 1;
  EXPECT_EQ(png_trouble(wrong), kDamaged);
  std::string text = png_chunk("tEXt", std::string("k\0v", 3));
  text.back() ^= 1;
  EXPECT_EQ(png_trouble(header + text + data + end), "");
  // A length that goes beyond the file, and one that no chunk may have.
  for (const char first : {'\x7f', '\xff', '\0'}) {
    std::string too_long = header + data + end;
    too_long[header.size()] = first;
    too_long[header.size() + 1] = '\x7f';
    EXPECT_EQ(png_trouble(too_long), kDamaged);
  }
  EXPECT_EQ(png_trouble(header + png_chunk("ABCD", "") + data + end), kDamaged) << "a critical chunk that is unknown";
}

TEST(Png, AStopEndsItBeforeItIsDone) {
  const PixelImage image = image_of(64, 64, [](int x, int y) { return static_cast<std::uint32_t>(x * y); });
  const StopSource stop;
  EXPECT_TRUE(png_bytes(image.view(), 0, {}, stop.token()));
  stop.request_stop();
  const Result<std::string> stopped = png_bytes(image.view(), 0, {}, stop.token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stopped before it was done");
}

}  // namespace
}  // namespace attnscope::test
