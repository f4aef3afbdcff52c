// Zip archives, read with suspicion: every number in them is checked against the others and against the file
// (APPNOTE.TXT 6.3.10 of PKWARE). Private to io/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "io/base/byte_source.h"

namespace attnscope {

/// The most files that an archive may have.
inline constexpr std::uint64_t kMaxZipMembers = 10'000;

/// A file in an archive.
struct ZipMember {
  std::string name;                ///< as in the archive: it may be anything, and nothing is ever written under it
  std::uint64_t offset = 0;        ///< of the first byte in the archive
  std::uint64_t stored_bytes = 0;  ///< in the archive
  std::uint64_t bytes = 0;         ///< inflated, as it claims
  std::uint32_t checksum = 0;
  std::uint16_t method = 0;
  bool encrypted = false;

  [[nodiscard]] bool stored() const { return method == 0; }
  [[nodiscard]] bool folder() const { return name.ends_with('/') && bytes == 0; }
};

/// Whether a file begins like a zip archive.
bool is_zip(std::string_view head);

/// The files of an archive in the order of its directory. Refused: truncated archives, overlapping files, local headers
/// that differ from the directory, names that appear twice, more than kMaxZipMembers.
Result<std::vector<ZipMember>> read_zip_directory(const ByteSource& archive);

/// Why a member cannot be read: encrypted, an unknown method; empty if it can.
std::string zip_trouble(const ZipMember& member);

/// The first `bytes` of a member, or all if it has fewer. Its checksum is not verified.
Result<std::string> zip_head(const ByteSource& archive, const ZipMember& member, std::size_t bytes);

/// The first `keep` bytes of a member, to be read repeatedly. A stored member stays in the file; a deflated one is
/// inflated into `keep` bytes of memory. All of it is read once: a wrong size or checksum is an error, and so is a
/// request to `stop`.
Result<std::shared_ptr<const ByteSource>> open_zip_member(const std::shared_ptr<const ByteSource>& archive,
                                                          const ZipMember& member, std::uint64_t keep,
                                                          const StopToken& stop);

}  // namespace attnscope
