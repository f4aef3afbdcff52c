// Files of tensors as bytes, right ones and wrong ones.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::test {

/// The lowest `count` bytes of `number`, lowest first.
inline std::string little(std::uint64_t number, unsigned count) {
  std::string bytes;
  for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xffU);
  return bytes;
}

inline std::string float_bytes(const std::vector<float>& numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// A safetensors file of a header, as it stands, and data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data = "") {
  return little(header.size(), 8) + header + data;
}

/// `"name": {…}` of a header.
inline std::string entry_text(const std::string& name, const std::string& dtype, const std::string& shape,
                              const std::string& offsets) {
  return "\"" + name + "\": {\"dtype\": \"" + dtype + "\", \"shape\": " + shape + ", \"data_offsets\": " + offsets +
         "}";
}

/// An npy file of a dictionary, as it stands, and data.
inline std::string npy_bytes(const std::string& dictionary, const std::string& data = "", int version = 1) {
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
         little(dictionary.size(), version == 1 ? 2 : 4) + dictionary + data;
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}

/// [0, 1, 2] as an npy file.
inline std::string small_npy() { return npy_bytes(npy_dictionary("<f4", "(3,)"), float_bytes({0, 1, 2})); }

/// Deflated without a header, as in zip archives.
inline std::string deflated(std::string_view bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A member of an archive and what its headers say.
struct ZipPart {
  std::string name;
  std::string data;  ///< as it is in the archive
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint64_t size = 0;  ///< inflated
  std::uint32_t crc = 0;
  bool zip64 = false;       ///< sizes in the ZIP64 field
  bool descriptor = false;  ///< sizes and checksum behind the data

  static ZipPart stored(const std::string& name, const std::string& bytes) {
    return {name, bytes, 0, 0, bytes.size(), checksum(bytes)};
  }
  static ZipPart deflated(const std::string& name, const std::string& bytes) {
    return {name, test::deflated(bytes), 8, 0, bytes.size(), checksum(bytes)};
  }
  static std::uint32_t checksum(const std::string& bytes) {
    return static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
  }

  /// What both headers have in common, from the flags to the lengths of name and extra field.
  [[nodiscard]] std::string common(bool local) const {
    const bool later = local && descriptor;
    const std::uint64_t bits = flags | (descriptor ? 8U : 0U);
    std::string text =
        little(bits, 2) + little(method, 2) + little(0, 2) + little(0x21, 2) + little(later ? 0 : crc, 4);
    const auto narrow = [&](std::uint64_t wide) { return little(zip64 ? 0xffffffffU : later ? 0 : wide, 4); };
    return text + narrow(data.size()) + narrow(size) + little(name.size(), 2) + little(zip64 ? 20 : 0, 2);
  }
  [[nodiscard]] std::string extra(bool local) const {
    const bool later = local && descriptor;
    return zip64 ? little(1, 2) + little(16, 2) + little(later ? 0 : size, 8) + little(later ? 0 : data.size(), 8) : "";
  }
};

/// The local header, the data and what is behind it.
inline std::string local_bytes(const ZipPart& part) {
  std::string bytes = "PK\x03\x04" + little(20, 2) + part.common(true) + part.name + part.extra(true) + part.data;
  const unsigned width = part.zip64 ? 8 : 4;
  if (part.descriptor)
    bytes += "PK\x07\x08" + little(part.crc, 4) + little(part.data.size(), width) + little(part.size, width);
  return bytes;
}

inline std::string central_bytes(const ZipPart& part, std::uint64_t offset) {
  return "PK\x01\x02" + little(20, 2) + little(20, 2) + part.common(false) + little(0, 10) + little(offset, 4) +
         part.name + part.extra(false);
}

inline std::string end_bytes(std::uint64_t count, std::uint64_t size, std::uint64_t offset) {
  return "PK\x05\x06" + little(0, 4) + little(count, 2) + little(count, 2) + little(size, 4) + little(offset, 4) +
         little(0, 2);
}

/// An archive of `parts`; with `wide`, its directory is where the ZIP64 record says.
inline std::string zip_bytes(const std::vector<ZipPart>& parts, bool wide = false) {
  std::string bytes;
  std::string directory;
  for (const ZipPart& part : parts) {
    directory += central_bytes(part, bytes.size());
    bytes += local_bytes(part);
  }
  const std::uint64_t offset = bytes.size();
  bytes += directory;
  if (!wide) return bytes + end_bytes(parts.size(), directory.size(), offset);
  const std::uint64_t record = bytes.size();
  bytes += "PK\x06\x06" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) + little(parts.size(), 8) +
           little(parts.size(), 8) + little(directory.size(), 8) + little(offset, 8);
  bytes += "PK\x06\x07" + little(0, 4) + little(record, 8) + little(1, 4);
  return bytes + end_bytes(0xffff, 0xffffffffU, 0xffffffffU);
}

/// `bytes` with `with` in the place of what stands there, counted from `at`.
inline std::string patched(std::string bytes, std::size_t at, const std::string& with) {
  return bytes.replace(at, with.size(), with);
}

}  // namespace attnscope::test
