// Zip archives, read with distrust: every number in them is checked against the others and against the file
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

/// Files that an archive may have.
inline constexpr std::uint64_t kMaxZipMembers = 10'000;

/// One file of an archive.
struct ZipMember {
  std::string name;                ///< as it stands there: it may be anything, and nothing is ever written under it
  std::uint64_t offset = 0;        ///< of its first byte in the archive
  std::uint64_t stored_bytes = 0;  ///< in the archive
  std::uint64_t bytes = 0;         ///< as it says, when it is inflated
  std::uint32_t checksum = 0;
  std::uint16_t method = 0;
  bool encrypted = false;

  [[nodiscard]] bool stored() const { return method == 0; }
  [[nodiscard]] bool folder() const { return name.ends_with('/') && bytes == 0; }
};

/// Whether a file begins as zip archives do.
bool is_zip(std::string_view head);

/// The files of an archive in the order of its directory. Refused: what is cut off, overlapping files, a local header
/// that differs from the directory, names that appear twice, more than kMaxZipMembers.
Result<std::vector<ZipMember>> read_zip_directory(const ByteSource& archive);

/// Why a member cannot be read: encrypted, an unknown method; empty if it can.
std::string zip_trouble(const ZipMember& member);

/// The first `bytes` of a member, or all if it has fewer. Its checksum is not looked at.
Result<std::string> zip_head(const ByteSource& archive, const ZipMember& member, std::size_t bytes);

/// The first `keep` bytes of a member, to be read again and again. A stored one stays where it is; a deflated one is
/// inflated into memory of `keep` bytes. All of it is gone through once: that its size or its checksum is wrong, and
/// that `stop` was requested, are errors.
Result<std::shared_ptr<const ByteSource>> open_zip_member(const std::shared_ptr<const ByteSource>& archive,
                                                          const ZipMember& member, std::uint64_t keep,
                                                          const StopToken& stop);

}  // namespace attnscope
