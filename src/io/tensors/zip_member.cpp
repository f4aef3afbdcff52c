// The bytes of one member of a zip archive.
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "core/base/memory_size.h"
#include "core/base/stop.h"
#include "io/tensors/zip_archive.h"

namespace attnscope {
namespace {

constexpr std::uint16_t kDeflated = 8;
constexpr std::uint64_t kMaxAtATime = std::uint64_t{1} << 18U;
constexpr std::uint64_t kMaxDeflated = std::uint64_t{1} << 14U;  // bytes at a time
// A byte of deflated data makes 1032 at most (zlib's technical details); some for the first block's header.
constexpr std::uint64_t kMaxInflation = 1032;

std::uint32_t add_to_checksum(std::uint32_t checksum, std::span<const char> bytes) {
  // zlib takes a null pointer, which an empty range may have, for a request to start anew.
  if (bytes.empty()) return checksum;
  return static_cast<std::uint32_t>(crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Inflates a member piece by piece.
class Inflater {
 public:
  Inflater(const ByteSource& archive, const ZipMember& member)
      : archive_(archive), at_(member.offset), left_(member.stored_bytes) {
    // Negative: without a header of zlib's.
    ready_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
    input_.resize(static_cast<std::size_t>(std::min(left_, kMaxDeflated)));
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  /// Fills `out` and returns the number of bytes; fewer than fit only at the end.
  Result<std::size_t> next(std::span<char> out) {
    if (!ready_) return fail("not enough memory to inflate it");
    std::size_t made = 0;
    while (made < out.size() && !ended_) {
      if (stream_.avail_in == 0) {
        if (const Result<void> read = refill(); !read) return tl::unexpected(read.error());
      }
      const auto piece = static_cast<uInt>(std::min<std::uint64_t>(out.size() - made, kMaxAtATime));
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + made);
      stream_.avail_out = piece;
      const bool had_input = stream_.avail_in > 0;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      made += piece - stream_.avail_out;
      ended_ = status == Z_STREAM_END;
      if (status == Z_BUF_ERROR && !had_input) return fail("its deflated data is cut off");
      if (status == Z_MEM_ERROR) return fail("not enough memory to inflate it");
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return fail("its deflated data is damaged");
    }
    return made;
  }

 private:
  Result<void> refill() {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input_.size()));
    if (Result<void> read = archive_.read(at_, std::span(input_).first(piece)); !read) return read;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(piece);
    at_ += piece;
    left_ -= piece;
    return {};
  }

  const ByteSource& archive_;
  std::uint64_t at_;
  std::uint64_t left_;
  z_stream stream_ = {};
  std::vector<char> input_;
  bool ready_ = false;
  bool ended_ = false;
};

tl::unexpected<Error> fail_stopped() { return fail("reading was stopped"); }

Result<void> compare_checksum(std::uint32_t checksum, const ZipMember& member) {
  if (checksum == member.checksum) return {};
  return fail("its checksum (CRC-32) is wrong: the archive is damaged");
}

Result<void> check_stored(const ByteSource& archive, const ZipMember& member, const StopToken& stop) {
  std::vector<char> piece(static_cast<std::size_t>(std::min(member.bytes, kMaxAtATime)));
  std::uint32_t checksum = 0;
  for (std::uint64_t done = 0; done < member.bytes;) {
    if (stop.stop_requested()) return fail_stopped();
    const std::span<char> part =
        std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), member.bytes - done)));
    if (Result<void> read = archive.read(member.offset + done, part); !read) return read;
    checksum = add_to_checksum(checksum, part);
    done += part.size();
  }
  return compare_checksum(checksum, member);
}

/// Fills `out` with the first bytes of a member and reads the others without keeping them, however many come: more than
/// it claims is an error.
Result<void> inflate_all(const ByteSource& archive, const ZipMember& member, std::span<char> out,
                         const StopToken& stop) {
  Inflater inflater(archive, member);
  std::vector<char> dropped;
  std::uint32_t checksum = 0;
  for (std::uint64_t done = 0;;) {
    if (stop.stop_requested()) return fail_stopped();
    std::span<char> room = out.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(done, out.size())));
    room = room.first(static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), kMaxAtATime)));
    if (room.empty()) {
      dropped.resize(kMaxAtATime);
      room = dropped;
    }
    const Result<std::size_t> made = inflater.next(room);
    if (!made) return tl::unexpected(made.error());
    checksum = add_to_checksum(checksum, room.first(*made));
    done += *made;
    if (done > member.bytes)
      return fail("it inflates to more than the " + std::to_string(member.bytes) + " bytes it claims");
    if (*made < room.size()) {
      if (done < member.bytes) {
        return fail("it inflates to " + std::to_string(done) + " bytes instead of the " + std::to_string(member.bytes) +
                    " it claims");
      }
      return compare_checksum(checksum, member);
    }
  }
}

}  // namespace

std::string zip_trouble(const ZipMember& member) {
  if (member.encrypted) return "it is encrypted";
  if (!member.stored() && member.method != kDeflated) {
    return "its compression method " + std::to_string(member.method) +
           " is unknown; allowed: 0 (stored) and 8 (deflated)";
  }
  if (!member.stored() && member.bytes / kMaxInflation > member.stored_bytes) {
    return "it claims to inflate from " + std::to_string(member.stored_bytes) + " bytes to " +
           std::to_string(member.bytes) + ", which no deflated data can";
  }
  return {};
}

Result<std::string> zip_head(const ByteSource& archive, const ZipMember& member, std::size_t bytes) {
  const std::uint64_t wanted = std::min<std::uint64_t>(bytes, member.bytes);
  if (member.stored()) return read_bytes(archive, member.offset, wanted);
  std::string head(static_cast<std::size_t>(wanted), '\0');
  Inflater inflater(archive, member);
  const Result<std::size_t> made = inflater.next(head);
  if (!made) return tl::unexpected(made.error());
  head.resize(*made);
  return head;
}

Result<std::shared_ptr<const ByteSource>> open_zip_member(const std::shared_ptr<const ByteSource>& archive,
                                                          const ZipMember& member, std::uint64_t keep,
                                                          const StopToken& stop) {
  assert(keep <= member.bytes && zip_trouble(member).empty());
  if (member.stored()) {
    if (const Result<void> right = check_stored(*archive, member, stop); !right) return tl::unexpected(right.error());
    return part_of_bytes(archive, member.offset, keep);
  }
  try {
    const std::size_t kept = memory_size(keep);
    auto bytes = std::make_unique_for_overwrite<char[]>(kept);
    const Result<void> inflated = inflate_all(*archive, member, {bytes.get(), kept}, stop);
    if (!inflated) return tl::unexpected(inflated.error());
    return bytes_in_memory(std::move(bytes), keep);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for the " + size_text(keep) + " to which it inflates");
  }
}

}  // namespace attnscope
