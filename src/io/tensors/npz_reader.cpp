// A zip archive with an npy file for each tensor.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "io/base/json_value.h"
#include "io/tensors/npy_header.h"
#include "io/tensors/tensor_format.h"

namespace attnscope {
namespace {

constexpr std::string_view kNpyEnding = ".npy";
constexpr std::string_view kMetadataMember = "__metadata__.npy";  // of traces, see trace_file.h
constexpr Index kMaxMetadata = 25'000'000;                        // characters

/// Lists the contents of an archive.
class NpzLister {
 public:
  NpzLister(const ByteSource& archive, std::uint64_t memory_budget)
      : archive_(archive), memory_budget_(memory_budget) {}

  Result<TensorListing> list() {
    Result<std::vector<ZipMember>> members = read_zip_directory(archive_);
    if (!members) return tl::unexpected(members.error());
    listing_.members = std::move(*members);
    for (const ZipMember& member : listing_.members) {
      if (member.name != "data.pkl" && !member.name.ends_with("/data.pkl")) continue;
      return fail(
          "a PyTorch checkpoint, which only Python can load, and which can run any code; "
          "safetensors.torch.save_file writes tensors only");
    }
    for (const ZipMember& member : listing_.members) names_.insert(member.name);
    for (std::size_t i = 0; i < listing_.members.size(); ++i) add_member(i);
    if (skipped_.empty()) return std::move(listing_);
    const std::size_t shown = std::min<std::size_t>(skipped_.size(), 3);
    listing_.warnings.push_back(
        "omitted, not .npy files: " + join(std::span(skipped_).first(shown), ", ") +
        (skipped_.size() > shown ? " and " + std::to_string(skipped_.size() - shown) + " more" : ""));
    return std::move(listing_);
  }

 private:
  void add_member(std::size_t number) {
    const ZipMember& member = listing_.members[number];
    if (member.folder()) return;
    const std::string trouble = zip_trouble(member);
    if (!trouble.empty()) return add_unreadable(member, trouble);
    const FirstBytes first = [&](std::size_t bytes) { return zip_head(archive_, member, bytes); };
    const Result<std::string> preamble = first(kNpyPreamble);
    if (!preamble) return add_unreadable(member, preamble.error().message);
    if (!is_npy(*preamble)) {
      skipped_.push_back(shown_name(member.name));
      return;
    }
    const Result<NpyHeader> header = read_npy_header(first);
    if (!header) return add(member, {"", "unknown", {}, header.error().message}, {});
    if (member.name == kMetadataMember && read_metadata(*header, first)) return;
    add_array(number, *header);
  }

  /// Lists a member that is an npy file by its name; skips any other.
  void add_unreadable(const ZipMember& member, const std::string& trouble) {
    if (member.name.ends_with(kNpyEnding)) {
      add(member, {"", "unknown", {}, trouble}, {});
    } else {
      skipped_.push_back(shown_name(member.name));
    }
  }

  void add_array(std::size_t number, const NpyHeader& header) {
    const ZipMember& member = listing_.members[number];
    TensorEntry entry = {"", header.descr, header.shape, header.trouble};
    StoredNumbers stored;
    if (header.type) {
      entry.type = element_name(*header.type);
      entry.trouble = trouble_with_size(member, header);
      stored = {*header.type, header.big_endian, header.fortran_order, header.header_bytes, number};
    }
    add(member, std::move(entry), stored);
  }

  std::string trouble_with_size(const ZipMember& member, const NpyHeader& header) {
    const std::uint64_t there = member.bytes - std::min(member.bytes, header.header_bytes);
    if (there < header.data_bytes) {
      return "the numbers take " + std::to_string(header.data_bytes) + " bytes, but the member is cut off after " +
             std::to_string(there);
    }
    if (there > header.data_bytes) {
      listing_.warnings.push_back("member " + shown_name(member.name) + ": " +
                                  std::to_string(there - header.data_bytes) + " bytes follow its numbers");
    }
    const std::uint64_t needed = header.header_bytes + header.data_bytes;
    if (member.stored() || needed <= memory_budget_) return {};
    return "it takes " + size_text(needed) + " of memory when inflated; allowed: " + size_text(memory_budget_);
  }

  void add(const ZipMember& member, TensorEntry entry, const StoredNumbers& stored) {
    entry.name = member.name;
    if (entry.name.ends_with(kNpyEnding)) entry.name.resize(entry.name.size() - kNpyEnding.size());
    // Both "a" and "a.npy" may exist.
    if (entry.name != member.name && names_.contains(entry.name)) entry.name = member.name;
    listing_.entries.push_back(std::move(entry));
    listing_.stored.push_back(stored);
  }

  /// Reads the texts in a JSON object of ASCII characters, each stored in four bytes as numpy does; false if it is
  /// anything else.
  bool read_metadata(const NpyHeader& header, const FirstBytes& first) {
    const std::optional<Index> characters = header.text_length();
    if (!characters || *characters < 0 || *characters > kMaxMetadata) return false;
    const std::size_t bytes = header.header_bytes + 4 * static_cast<std::size_t>(*characters);
    const Result<std::string> read = first(bytes);
    if (!read || read->size() < bytes) return false;
    std::string text;
    for (std::size_t at = header.header_bytes; at < bytes; at += 4) {
      const std::uint64_t character = little_endian(*read, at, 4);
      if (character == 0 || character > 0x7f) return false;
      text += static_cast<char>(character);
    }
    const Result<nlohmann::json> parsed = parse_json(text);
    if (!parsed || !parsed->is_object()) return false;
    for (const auto& [key, value] : parsed->items()) {
      if (value.is_string()) listing_.metadata[key] = value.get<std::string>();
    }
    return true;
  }

  const ByteSource& archive_;
  std::uint64_t memory_budget_;
  TensorListing listing_;
  std::set<std::string> names_;
  std::vector<std::string> skipped_;
};

Result<TensorListing> list_npz(const ByteSource& file, std::uint64_t memory_budget) {
  return NpzLister(file, memory_budget).list();
}

bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string python_from_npz(const std::string& path, std::span<const std::string> names) {
  std::string code = "names = " + python_list(names) + "archive = np.load(" + path + ")\n";
  if (!std::ranges::all_of(names, is_ascii)) {
    code +=
        "# Unless an archive marks its names as UTF-8, Python decodes them as code page 437.\n"
        "stored = {name: name.encode(\"utf-8\", \"surrogateescape\").decode(\"cp437\") for name in names}\n"
        "archive = {name: archive[name if name in archive else stored[name]] for name in names}\n";
  }
  return code + "given = {name: torch.from_numpy(archive[name].astype(\"float32\")) for name in names}\n";
}

}  // namespace

TensorFormat npz_format() {
  return {".npz",
          is_zip,
          list_npz,
          {python_from_npz, R"(data.startswith(b"PK"))", "return np.load(io.BytesIO(data))\n",
           /*names_end_at_zero=*/true}};
}

}  // namespace attnscope
