// NPZ: a zip archive with one npy file for each tensor, uncompressed. Every size is known before it is written, and
// there are no dates: equal traces make equal files.
#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "io/base/printable.h"
#include "io/traces/trace_formats.h"

namespace attnscope {
namespace {

// What fits into a zip archive without the ZIP64 extension.
constexpr std::uint64_t kMaxArchive = 0xffffffffU;
constexpr std::size_t kMaxMembers = 0xffffU;

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEndOfDirectory = 0x06054b50;
constexpr std::uint16_t kVersion = 20;  // of the format that a reader must know: 2.0
constexpr std::uint16_t kNamesAreUtf8 = 0x0800;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kFirstDay = 0x0021;  // 1980-01-01, the earliest there is

/// A file in the archive: a header, then text or numbers.
struct Member {
  std::string name;
  std::string header;
  std::span<const float> numbers = {};
  std::uint32_t offset = 0;  // of its local header
  std::uint32_t checksum = 0;

  [[nodiscard]] std::uint64_t size() const { return header.size() + numbers.size_bytes(); }
};

void append(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xffU);
}

/// The header of an npy file, version 1.0, padded to a multiple of 64 bytes.
std::string npy_header(const std::string& type, const Axes& axes) {
  std::string shape;
  for (const Axis& axis : axes)
    shape += std::to_string(axis.size) + (axes.size() == 1 || &axis != &axes.back() ? ", " : "");
  if (axes.size() == 1) shape.pop_back();
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t preamble = 10;
  text.resize((preamble + text.size() + 1 + 63) / 64 * 64 - preamble - 1, ' ');
  text += '\n';
  std::string header = "\x93NUMPY\x01";
  header += '\0';
  append(header, text.size(), 2);
  return header + text;
}

/// The metadata as a numpy text of rank 0: four bytes for each character, all of them ASCII.
Member metadata_member(const TraceContents& contents) {
  nlohmann::ordered_json metadata;
  for (const auto& [key, value] : trace_metadata(contents)) metadata[key] = value;
  const std::string text = metadata.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  Member member = {"__metadata__.npy", npy_header("<U" + std::to_string(text.size()), {})};
  for (const char c : text) append(member.header, static_cast<unsigned char>(c), 4);
  return member;
}

std::uint32_t checksum_of(const Member& member) {
  const auto add = [](uLong crc, std::string_view bytes) {
    // zlib takes a null pointer, which an empty range may have, for a request to start anew.
    return bytes.empty() ? crc : crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  };
  std::string scratch;
  return static_cast<std::uint32_t>(add(add(0, member.header), little_endian_bytes(member.numbers, scratch)));
}

/// What local and central headers have in common.
std::string common_header(const Member& member) {
  std::string header;
  append(header, kVersion, 2);
  append(header, kNamesAreUtf8, 2);
  append(header, kStored, 2);
  append(header, 0, 2);  // midnight
  append(header, kFirstDay, 2);
  append(header, member.checksum, 4);
  append(header, member.size(), 4);  // compressed
  append(header, member.size(), 4);
  append(header, member.name.size(), 2);
  append(header, 0, 2);  // no extra fields
  return header;
}

std::string local_header(const Member& member) {
  std::string header;
  append(header, kLocalHeader, 4);
  return header + common_header(member) + member.name;
}

std::string central_header(const Member& member) {
  std::string header;
  append(header, kCentralHeader, 4);
  append(header, kVersion, 2);
  header += common_header(member);
  append(header, 0, 2);  // no comment
  append(header, 0, 2);  // on the first disk
  append(header, 0, 2);  // not a text
  append(header, 0, 4);  // no attributes
  append(header, member.offset, 4);
  return header + member.name;
}

std::string end_of_directory(std::size_t members, std::uint64_t size, std::uint64_t offset) {
  std::string record;
  append(record, kEndOfDirectory, 4);
  append(record, 0, 4);  // one disk only
  append(record, members, 2);
  append(record, members, 2);
  append(record, size, 4);
  append(record, offset, 4);
  append(record, 0, 2);  // no comment
  return record;
}

std::uint64_t archive_size(std::span<const Member> members) {
  std::uint64_t size = end_of_directory(0, 0, 0).size();
  for (const Member& member : members)
    size += local_header(member).size() + member.size() + central_header(member).size();
  return size;
}

}  // namespace

Result<void> write_npz(const TraceContents& contents, AtomicFile& file) {
  std::vector<Member> members = {metadata_member(contents)};
  for (const TraceMember& each : contents.members) {
    if (each.tensor != nullptr)
      members.push_back({each.name + ".npy", npy_header("<f4", each.axes), each.tensor->values()});
  }
  if (const std::uint64_t size = archive_size(members); size > kMaxArchive || members.size() > kMaxMembers) {
    return fail(path_text(file.path()) + ": the trace takes " + bytes_text(static_cast<double>(size)) +
                "; allowed in .npz: " + bytes_text(static_cast<double>(kMaxArchive)) + "; .safetensors has no limit");
  }
  std::string directory;
  for (Member& member : members) {
    member.offset = static_cast<std::uint32_t>(file.size());
    member.checksum = checksum_of(member);
    if (Result<void> written = file.write(local_header(member) + member.header); !written) return written;
    if (Result<void> written = write_floats(file, member.numbers); !written) return written;
    directory += central_header(member);
  }
  return file.write(directory + end_of_directory(members.size(), directory.size(), file.size()));
}

}  // namespace attnscope
