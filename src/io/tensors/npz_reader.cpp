// A zip archive with an npy file for each tensor.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/experiment/imported_tensors.h"
#include "io/base/json_value.h"
#include "io/tensors/npy_header.h"
#include "io/tensors/npy_texts.h"
#include "io/tensors/tensor_format.h"

namespace attnscope {
namespace {

constexpr std::string_view kNpyEnding = ".npy";
constexpr std::string_view kMetadataMember = "__metadata__.npy";    // of traces, see trace_file.h
constexpr Index kMaxMetadata = 25'000'000;                          // characters
constexpr std::uint64_t kMaxTextArrayBytes = 32'000'000;            // of all arrays of texts
constexpr auto kMaxTexts = static_cast<Index>(kMaxImportedLabels);  // in all of them

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
    } else if (const auto type = npy_text_type(header); type && (entry.shape.size() == 1 || entry.shape.size() == 2)) {
      const Result<void> read = read_texts(member, header, *type);
      if (!read) listing_.warnings.push_back("member " + shown_name(member.name) + ": " + read.error().message);
    }
    add(member, std::move(entry), stored);
  }

  /// Reads an array of texts with one or two axes.
  Result<void> read_texts(const ZipMember& member, const NpyHeader& header, const NpyTextType& type) {
    Index count = 1;
    for (const Index size : header.shape) count = saturating_product(count, size);
    if (count > kMaxTexts - texts_)
      return fail(grouped_text(count) + " texts are not read; allowed: " + grouped_text(kMaxTexts) + " in a file");
    const std::uint64_t bytes = static_cast<std::uint64_t>(count) * type.bytes;
    if (bytes > kMaxTextArrayBytes - text_bytes_)
      return fail("its texts take " + size_text(bytes) + "; allowed: " + size_text(kMaxTextArrayBytes) + " in a file");
    const std::uint64_t all = header.header_bytes + bytes;
    if (member.bytes != all)
      return fail("the texts take " + std::to_string(bytes) + " bytes, but the member has " +
                  std::to_string(member.bytes - std::min(member.bytes, header.header_bytes)) + " for them");
    // The archive outlives what is read of it here.
    const std::shared_ptr<const ByteSource> archive(std::shared_ptr<const ByteSource>(), &archive_);
    const Result<std::shared_ptr<const ByteSource>> source = open_zip_member(archive, member, all, {});
    if (!source) return tl::unexpected(source.error());
    const Result<std::string> stored = read_bytes(**source, header.header_bytes, bytes);
    if (!stored) return tl::unexpected(stored.error());
    texts_ += count;
    text_bytes_ += bytes;
    TextArray array = {name_without_ending(member), header.shape, npy_texts(*stored, type)};
    if (header.fortran_order) array.texts = in_c_order(array);
    listing_.texts.push_back(std::move(array));
    return {};
  }

  /// The texts of an array [row, column] that is stored column by column.
  static std::vector<std::string> in_c_order(const TextArray& array) {
    if (array.shape.size() < 2) return array.texts;
    std::vector<std::string> texts;
    texts.reserve(array.texts.size());
    const auto rows = static_cast<std::size_t>(array.shape[0]);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t at = row; at < array.texts.size(); at += rows) texts.push_back(array.texts[at]);
    }
    return texts;
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

  static std::string name_without_ending(const ZipMember& member) {
    const std::string_view name = member.name;
    return std::string(name.substr(0, name.size() - (name.ends_with(kNpyEnding) ? kNpyEnding.size() : 0)));
  }

  void add(const ZipMember& member, TensorEntry entry, const StoredNumbers& stored) {
    entry.name = name_without_ending(member);
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
  Index texts_ = 0;  ///< read so far, and their bytes
  std::uint64_t text_bytes_ = 0;
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
