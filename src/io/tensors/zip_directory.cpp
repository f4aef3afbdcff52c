// The directory at the end of a zip archive, and the local headers that it points to.
#include <algorithm>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "io/base/printable.h"
#include "io/tensors/zip_archive.h"

namespace attnscope {
namespace {

constexpr std::string_view kLocalMark("PK\x03\x04", 4);
constexpr std::string_view kCentralMark("PK\x01\x02", 4);
constexpr std::string_view kEndMark("PK\x05\x06", 4);
constexpr std::string_view kEnd64Mark("PK\x06\x06", 4);
constexpr std::string_view kLocator64Mark("PK\x06\x07", 4);
constexpr std::string_view kDescriptorMark("PK\x07\x08", 4);
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::uint64_t kMaxComment = 0xffff;
constexpr std::uint64_t kMaxDirectory = 16'000'000;  // bytes
// Stands for a number that does not fit; the ZIP64 field has it.
constexpr std::uint64_t kElsewhere = 0xffffffffU;
constexpr std::uint64_t kElsewhereShort = 0xffffU;

constexpr std::uint64_t kIsEncrypted = 1U << 0U;
constexpr std::uint64_t kHasDescriptor = 1U << 3U;

/// The directory: its place, and the number of members it claims.
struct ZipDirectory {
  std::uint64_t count = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t end = 0;  // where the records after it begin
  bool split = false;     // over several disks
};

/// What a local header and an entry of the directory both say.
struct MemberHeader {
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t checksum = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // of the local header; only in the directory
  std::string name;
};

std::string about_member(std::string_view name) { return "member " + attnscope::quoted_text(printable(name)) + ": "; }

/// The ZIP64 record, which the locator places before the end record.
Result<ZipDirectory> read_end64(const ByteSource& archive, std::uint64_t locator_at) {
  const Result<std::string> locator = read_bytes(archive, locator_at, kLocator64Bytes);
  if (!locator) return tl::unexpected(locator.error());
  const std::uint64_t at = little_endian(*locator, 8, 8);
  if (at > locator_at || locator_at - at < kEnd64Bytes)
    return fail("zip archive: the ZIP64 record claims to begin at " + std::to_string(at) + ", which is not possible");
  const Result<std::string> record = read_bytes(archive, at, kEnd64Bytes);
  if (!record) return tl::unexpected(record.error());
  if (!record->starts_with(kEnd64Mark)) return fail("zip archive: there is no ZIP64 record at " + std::to_string(at));
  ZipDirectory directory;
  directory.split = little_endian(*locator, 4, 4) != 0 || little_endian(*locator, 16, 4) > 1 ||
                    little_endian(*record, 16, 4) != 0 || little_endian(*record, 20, 4) != 0 ||
                    little_endian(*record, 24, 8) != little_endian(*record, 32, 8);
  directory.count = little_endian(*record, 32, 8);
  directory.size = little_endian(*record, 40, 8);
  directory.offset = little_endian(*record, 48, 8);
  directory.end = at;
  return directory;
}

Result<ZipDirectory> read_end(const ByteSource& archive) {
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(archive.size(), kEndBytes + kMaxComment);
  const std::uint64_t tail_at = archive.size() - tail_bytes;
  const Result<std::string> tail = read_bytes(archive, tail_at, tail_bytes);
  if (!tail) return tl::unexpected(tail.error());
  std::size_t at = tail->rfind(kEndMark);
  // The mark may also be in the comment, which reaches to the end of the file.
  while (at != std::string::npos &&
         (tail->size() - at < kEndBytes || little_endian(*tail, at + 20, 2) != tail->size() - at - kEndBytes)) {
    at = at == 0 ? std::string::npos : tail->rfind(kEndMark, at - 1);
  }
  if (at == std::string::npos)
    return fail("zip archive: its directory is missing: the file is cut off, or is not an archive");
  ZipDirectory directory;
  directory.split = little_endian(*tail, at + 4, 2) != 0 || little_endian(*tail, at + 6, 2) != 0 ||
                    little_endian(*tail, at + 8, 2) != little_endian(*tail, at + 10, 2);
  directory.count = little_endian(*tail, at + 10, 2);
  directory.size = little_endian(*tail, at + 12, 4);
  directory.offset = little_endian(*tail, at + 16, 4);
  directory.end = tail_at + at;
  const bool has_locator = at >= kLocator64Bytes && tail->compare(at - kLocator64Bytes, 4, kLocator64Mark) == 0;
  if (!has_locator) return directory;
  Result<ZipDirectory> wide = read_end64(archive, directory.end - kLocator64Bytes);
  if (!wide) return wide;
  const auto differ = [](std::uint64_t narrow, std::uint64_t other, std::uint64_t elsewhere) {
    return narrow != elsewhere && narrow != other;
  };
  if (differ(directory.count, wide->count, kElsewhereShort) || differ(directory.size, wide->size, kElsewhere) ||
      differ(directory.offset, wide->offset, kElsewhere)) {
    return fail("zip archive: the end record and the ZIP64 record differ");
  }
  return wide;
}

Result<ZipDirectory> find_directory(const ByteSource& archive) {
  Result<ZipDirectory> directory = read_end(archive);
  if (!directory) return directory;
  if (directory->split) return fail("zip archive: it is one of several parts; allowed: a single file");
  if (directory->count > kMaxZipMembers) {
    return fail("zip archive: " + std::to_string(directory->count) +
                " members are not allowed; allowed: " + grouped_text(static_cast<Index>(kMaxZipMembers)));
  }
  if (directory->offset > directory->end || directory->size != directory->end - directory->offset) {
    return fail("zip archive: the directory claims to have " + std::to_string(directory->size) + " bytes from " +
                std::to_string(directory->offset) + " on, but ends at " + std::to_string(directory->end));
  }
  if (directory->size > kMaxDirectory) {
    return fail("zip archive: the directory has " + size_text(directory->size) +
                "; allowed: " + size_text(kMaxDirectory));
  }
  return directory;
}

/// Reads the numbers that did not fit from the ZIP64 field in `extra`: those that it has are in this order.
void read_zip64_field(std::string_view extra, MemberHeader& header) {
  while (extra.size() >= 4) {
    const std::uint64_t id = little_endian(extra, 0, 2);
    const std::uint64_t size = little_endian(extra, 2, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) return;
    std::string_view field = extra.substr(0, size);
    extra.remove_prefix(size);
    if (id != 1) continue;
    for (std::uint64_t* number : {&header.bytes, &header.stored_bytes, &header.offset}) {
      if (*number != kElsewhere || field.size() < 8) continue;
      *number = little_endian(field, 0, 8);
      field.remove_prefix(8);
    }
    return;
  }
}

/// Takes the header from the beginning of `rest`.
Result<MemberHeader> read_central(std::string_view& rest) {
  if (rest.size() < kCentralBytes || !rest.starts_with(kCentralMark))
    return fail("zip archive: the directory has fewer members than it claims");
  const std::uint64_t name_bytes = little_endian(rest, 28, 2);
  const std::uint64_t extra_bytes = little_endian(rest, 30, 2);
  const std::uint64_t all = kCentralBytes + name_bytes + extra_bytes + little_endian(rest, 32, 2);
  if (all > rest.size()) return fail("zip archive: the directory is cut off");
  MemberHeader header;
  header.flags = little_endian(rest, 8, 2);
  header.method = little_endian(rest, 10, 2);
  header.checksum = little_endian(rest, 16, 4);
  header.stored_bytes = little_endian(rest, 20, 4);
  header.bytes = little_endian(rest, 24, 4);
  header.offset = little_endian(rest, 42, 4);
  header.name = rest.substr(kCentralBytes, name_bytes);
  read_zip64_field(rest.substr(kCentralBytes + name_bytes, extra_bytes), header);
  rest.remove_prefix(all);
  return header;
}

/// The local header at `at`, and the place of the data after it.
Result<std::pair<MemberHeader, std::uint64_t>> read_local(const ByteSource& archive, std::uint64_t at,
                                                          std::uint64_t end) {
  if (at > end || end - at < kLocalBytes) return fail("there is no local header at " + std::to_string(at));
  const Result<std::string> fixed = read_bytes(archive, at, kLocalBytes);
  if (!fixed) return tl::unexpected(fixed.error());
  if (!fixed->starts_with(kLocalMark)) return fail("there is no local header at " + std::to_string(at));
  MemberHeader header;
  header.flags = little_endian(*fixed, 6, 2);
  header.method = little_endian(*fixed, 8, 2);
  header.checksum = little_endian(*fixed, 14, 4);
  header.stored_bytes = little_endian(*fixed, 18, 4);
  header.bytes = little_endian(*fixed, 22, 4);
  const std::uint64_t name_bytes = little_endian(*fixed, 26, 2);
  const std::uint64_t extra_bytes = little_endian(*fixed, 28, 2);
  if (name_bytes + extra_bytes > end - at - kLocalBytes) return fail("the local header is cut off");
  const Result<std::string> rest = read_bytes(archive, at + kLocalBytes, name_bytes + extra_bytes);
  if (!rest) return tl::unexpected(rest.error());
  header.name = rest->substr(0, name_bytes);
  read_zip64_field(std::string_view(*rest).substr(name_bytes), header);
  return std::pair(std::move(header), at + kLocalBytes + name_bytes + extra_bytes);
}

/// Whether both headers agree. Sizes and checksum may come after the data instead of before it.
Result<void> compare(const MemberHeader& local, const MemberHeader& central) {
  const auto differ = [](const std::string& field) {
    return fail("the local header and the directory differ in the " + field);
  };
  if (local.name != central.name) return differ("name");
  if (local.method != central.method) return differ("method");
  if (((local.flags ^ central.flags) & (kIsEncrypted | kHasDescriptor)) != 0) return differ("flags");
  const bool later = (local.flags & kHasDescriptor) != 0;
  const auto same = [later](std::uint64_t here, std::uint64_t there) {
    return here == there || (later && (here == 0 || here == kElsewhere));
  };
  if (!same(local.checksum, central.checksum)) return differ("checksum");
  if (!same(local.stored_bytes, central.stored_bytes) || !same(local.bytes, central.bytes)) return differ("size");
  return {};
}

/// Bytes of the data descriptor at `at`: with or without its mark, with sizes of four or of eight bytes.
Result<std::uint64_t> descriptor_bytes(const ByteSource& archive, std::uint64_t at, std::uint64_t end,
                                       const MemberHeader& header) {
  for (const std::size_t mark : {kDescriptorMark.size(), std::size_t{0}}) {
    for (const std::size_t width : {std::size_t{4}, std::size_t{8}}) {
      const std::uint64_t size = mark + 4 + 2 * width;
      if (size > end - at) continue;
      const Result<std::string> bytes = read_bytes(archive, at, size);
      if (!bytes) return tl::unexpected(bytes.error());
      if (mark > 0 && !bytes->starts_with(kDescriptorMark)) continue;
      if (little_endian(*bytes, mark, 4) == header.checksum &&
          little_endian(*bytes, mark + 4, width) == header.stored_bytes &&
          little_endian(*bytes, mark + 4 + width, width) == header.bytes)
        return size;
    }
  }
  return fail("the data descriptor and the directory differ");
}

/// Bytes of the archive that a member occupies, from its local header on.
struct TakenBytes {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t member = 0;
};

/// Checks a member of the directory against its local header.
Result<ZipMember> place_member(const ByteSource& archive, const MemberHeader& central, std::uint64_t end,
                               TakenBytes& taken) {
  const auto local = read_local(archive, central.offset, end);
  if (!local) return tl::unexpected(local.error());
  const auto& [header, data_at] = *local;
  if (const Result<void> same = compare(header, central); !same) return tl::unexpected(same.error());
  if (central.stored_bytes > end - data_at) {
    return fail(std::to_string(central.stored_bytes) + " bytes from " + std::to_string(data_at) +
                " on, but the directory begins at " + std::to_string(end));
  }
  if (central.method == 0 && (central.flags & kIsEncrypted) == 0 && central.stored_bytes != central.bytes) {
    return fail("it is stored uncompressed, with " + std::to_string(central.stored_bytes) + " bytes instead of " +
                std::to_string(central.bytes));
  }
  taken.begin = central.offset;
  taken.end = data_at + central.stored_bytes;
  if ((central.flags & kHasDescriptor) != 0) {
    const Result<std::uint64_t> behind = descriptor_bytes(archive, taken.end, end, central);
    if (!behind) return tl::unexpected(behind.error());
    taken.end += *behind;
  }
  ZipMember member = {central.name, data_at, central.stored_bytes, central.bytes};
  member.checksum = static_cast<std::uint32_t>(central.checksum);
  member.method = static_cast<std::uint16_t>(central.method);
  member.encrypted = (central.flags & kIsEncrypted) != 0;
  return member;
}

Result<void> check_overlap(std::vector<TakenBytes>& taken, const std::vector<ZipMember>& members) {
  std::sort(taken.begin(), taken.end(), [](const TakenBytes& a, const TakenBytes& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < taken.size(); ++i) {
    if (taken[i].begin < taken[i - 1].end) {
      return fail(about_member(members[taken[i].member].name) + "it begins at " + std::to_string(taken[i].begin) +
                  ", within " + attnscope::quoted_text(printable(members[taken[i - 1].member].name)));
    }
  }
  return {};
}

}  // namespace

bool is_zip(std::string_view head) { return head.starts_with(kLocalMark) || head.starts_with(kEndMark); }

Result<std::vector<ZipMember>> read_zip_directory(const ByteSource& archive) {
  const Result<ZipDirectory> directory = find_directory(archive);
  if (!directory) return tl::unexpected(directory.error());
  const Result<std::string> text = read_bytes(archive, directory->offset, directory->size);
  if (!text) return tl::unexpected(text.error());
  std::string_view rest = *text;
  std::vector<ZipMember> members;
  std::vector<TakenBytes> taken;
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    const Result<MemberHeader> central = read_central(rest);
    if (!central) return tl::unexpected(central.error());
    if (!names.insert(central->name).second) return fail(about_member(central->name) + "the name appears twice");
    taken.push_back({0, 0, members.size()});
    Result<ZipMember> member = place_member(archive, *central, directory->offset, taken.back());
    if (!member) return fail(about_member(central->name) + member.error().message);
    members.push_back(std::move(*member));
  }
  if (!rest.empty()) return fail("zip archive: the directory holds more than the members it claims");
  if (const Result<void> apart = check_overlap(taken, members); !apart) return tl::unexpected(apart.error());
  return members;
}

}  // namespace attnscope
