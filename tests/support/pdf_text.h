// What a PDF says of itself, in plain text.
#pragma once

#include <zlib.h>

#include <array>
#include <string>
#include <string_view>

namespace attnscope::test {

/// `packed` up to the end of its zlib stream, unpacked.
inline std::string inflated(std::string_view packed) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 4096> piece{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return text;
}

/// The file and, behind it, the objects that cairo packs together since 1.17.6 (ISO 32000-1, 7.5.7), unpacked.
inline std::string pdf_text(const std::string& pdf) {
  constexpr std::string_view mark = "/ObjStm";
  constexpr std::string_view begin = "stream\n";
  std::string text = pdf;
  for (std::size_t at = pdf.find(mark); at != std::string::npos; at = pdf.find(mark, at + 1)) {
    const std::size_t stream = pdf.find(begin, at);
    if (stream != std::string::npos) text += inflated(std::string_view(pdf).substr(stream + begin.size()));
  }
  return text;
}

}  // namespace attnscope::test
