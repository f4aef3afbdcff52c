// Safetensors: eight bytes with the length of the header, the header (JSON), and the tensors one after the other.
#include <cstdint>
#include <nlohmann/json.hpp>

#include "io/traces/trace_formats.h"

namespace attnscope {

Result<void> write_safetensors(const TraceContents& contents, AtomicFile& file) {
  nlohmann::ordered_json header;
  for (const auto& [key, value] : trace_metadata(contents)) header["__metadata__"][key] = value;
  std::uint64_t offset = 0;
  for (const TraceMember& member : contents.members) {
    if (member.tensor == nullptr) continue;
    nlohmann::ordered_json shape = nlohmann::ordered_json::array();
    for (const Axis& axis : member.axes) shape.push_back(axis.size);
    const std::uint64_t end = offset + static_cast<std::uint64_t>(member.tensor->count()) * sizeof(float);
    header[member.name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the numbers for programs that map the file
  std::string length;
  for (unsigned i = 0; i < 8; ++i)
    length += static_cast<char>((static_cast<std::uint64_t>(text.size()) >> (8 * i)) & 0xffU);
  if (Result<void> written = file.write(length + text); !written) return written;
  for (const TraceMember& member : contents.members) {
    if (member.tensor == nullptr) continue;
    if (Result<void> written = write_floats(file, member.tensor->values()); !written) return written;
  }
  return {};
}

}  // namespace attnscope
