#include "io/tensors/tensor_file.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "io/base/file.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/tensors/number_reader.h"

namespace attnscope {
namespace {

/// The name of a format that is often taken for one of ours; empty if it is unknown.
std::string other_format(std::string_view head) {
  struct Beginning {
    std::string_view bytes;
    const char* what;
  };
  constexpr std::array<Beginning, 5> beginnings = {
      {{"GGUF", "a GGUF model"},
       {"\x89HDF", "an HDF5 file"},
       {"\x80\x02", "a Python pickle, which only Python can load, and which can run any code"},
       {"\x80\x04", "a Python pickle, which only Python can load, and which can run any code"},
       {"\x1f\x8b", "compressed with gzip"}}};
  for (const Beginning& beginning : beginnings)
    if (head.starts_with(beginning.bytes)) return beginning.what;
  return {};
}

/// The format of a file that begins with `head`.
Result<const TensorFormat*> format_of(std::string_view head, const std::filesystem::path& path,
                                      std::span<const TensorFormat> formats) {
  for (const TensorFormat& format : formats) {
    if (format.sniff(head)) return &format;
  }
  if (std::string what = stand_in(head); !what.empty()) return fail("the file is " + what);
  const std::string allowed = "; allowed: " + extension_list(formats, " or ");
  if (std::string what = other_format(head); !what.empty()) return fail("the file is " + what + allowed);
  // The reader of what the file claims to be says best what is wrong with it.
  if (const TensorFormat* const format = find_format(formats, path)) return format;
  if (head.empty()) return fail("the file is empty" + allowed);
  return fail("the file has no known format for tensors" + allowed);
}

}  // namespace

Result<std::shared_ptr<const TensorFile>> TensorFile::open(const std::filesystem::path& path,
                                                           std::uint64_t memory_budget,
                                                           std::span<const TensorFormat> formats) {
  Result<std::shared_ptr<const ByteSource>> bytes = open_bytes(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return from_source(std::move(*bytes), path, memory_budget, formats);
}

Result<std::shared_ptr<const TensorFile>> TensorFile::from_bytes(std::string bytes, const std::string& name,
                                                                 std::uint64_t memory_budget,
                                                                 std::span<const TensorFormat> formats) {
  return from_source(bytes_in_memory(std::move(bytes)), name, memory_budget, formats);
}

Result<std::shared_ptr<const TensorFile>> TensorFile::from_source(std::shared_ptr<const ByteSource> bytes,
                                                                  const std::filesystem::path& path,
                                                                  std::uint64_t memory_budget,
                                                                  std::span<const TensorFormat> formats) {
  const std::shared_ptr<TensorFile> file(new TensorFile(std::move(bytes), path_text(path), memory_budget));
  try {
    if (const Result<void> listed = file->list(path, formats); !listed)
      return fail(file->name_ + ": " + listed.error().message);
  } catch (const std::exception& error) {
    return fail(file->name_ + ": " + error.what());
  }
  return file;
}

Result<void> TensorFile::list(const std::filesystem::path& path, std::span<const TensorFormat> formats) {
  const Result<std::string> head = read_bytes(*bytes_, 0, std::min(kSniffedBytes, bytes_->size()));
  if (!head) return tl::unexpected(head.error());
  const Result<const TensorFormat*> format = format_of(*head, path, formats);
  if (!format) return tl::unexpected(format.error());
  Result<TensorListing> listing = (*format)->list(*bytes_, memory_budget_);
  if (!listing) return tl::unexpected(listing.error());
  listing_ = std::move(*listing);
  return {};
}

std::optional<std::size_t> TensorFile::find(std::string_view name) const {
  for (std::size_t i = 0; i < listing_.entries.size(); ++i)
    if (listing_.entries[i].name == name) return i;
  return std::nullopt;
}

Result<void> TensorFile::read(std::size_t entry, std::span<const Index> begin, std::span<const Index> end,
                              std::span<float> out, const StopToken& stop) const {
  const auto stopped = [&](const std::string& trouble) {
    const std::string about = entry < listing_.entries.size() && !listing_.entries[entry].name.empty()
                                  ? ": tensor " + shown_name(listing_.entries[entry].name)
                                  : "";
    return fail(name_ + about + ": " + trouble);
  };
  if (entry >= listing_.entries.size()) return stopped("there is no tensor number " + std::to_string(entry));
  const TensorEntry& wanted = listing_.entries[entry];
  if (!wanted.trouble.empty()) return stopped(wanted.trouble);
  const Result<Index> count = count_in({begin, end}, wanted.shape);
  if (!count) return stopped(count.error().message);
  if (static_cast<std::uint64_t>(*count) != out.size())
    return stopped("room for " + std::to_string(out.size()) + " numbers instead of " + std::to_string(*count));
  try {
    const Result<std::shared_ptr<const ByteSource>> source = source_of(entry, stop);
    if (!source) return stopped(source.error().message);
    const Result<void> read = read_numbers(**source, listing_.stored[entry], wanted.shape, {begin, end}, out, stop);
    if (!read) return stopped(read.error().message);
  } catch (const std::exception& error) {
    return stopped(error.what());
  }
  return {};
}

Result<std::shared_ptr<const ByteSource>> TensorFile::source_of(std::size_t entry, const StopToken& stop) const {
  const StoredNumbers& stored = listing_.stored[entry];
  if (!stored.member) return bytes_;
  // One member at a time: each inflation needs memory.
  const std::lock_guard lock(opening_);
  for (const Opened& opened : opened_) {
    if (opened.member != *stored.member) continue;
    if (!opened.trouble.empty()) return fail(opened.trouble);
    return opened.bytes;
  }
  const ZipMember& member = listing_.members[*stored.member];
  Index numbers = 1;
  for (const Index size : listing_.entries[entry].shape) numbers *= size;  // checked when it was listed
  const std::uint64_t keep = stored.offset + static_cast<std::uint64_t>(numbers * element_bytes(stored.type));
  const std::uint64_t taken = member.stored() ? 0 : keep;
  make_room(taken);
  Result<std::shared_ptr<const ByteSource>> bytes = open_zip_member(bytes_, member, keep, stop);
  if (bytes) {
    opened_.push_back({*stored.member, *bytes, taken, ""});
  } else if (!stop.stop_requested()) {
    // Finding out again would take as long every time.
    opened_.push_back({*stored.member, nullptr, 0, bytes.error().message});
  }
  return bytes;
}

/// Drops the members that were inflated first, until `bytes` more fit into the budget.
void TensorFile::make_room(std::uint64_t bytes) const {
  std::uint64_t taken = bytes;
  for (const Opened& opened : opened_) taken += opened.taken;
  for (auto opened = opened_.begin(); opened != opened_.end() && taken > memory_budget_;) {
    taken -= opened->taken;
    opened = opened->taken > 0 ? opened_.erase(opened) : opened + 1;
  }
}

}  // namespace attnscope
