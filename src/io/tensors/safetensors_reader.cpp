// Safetensors: eight bytes with the length of the header, the header (JSON), and the tensors one after the other,
// without gaps (github.com/huggingface/safetensors, "Format").
#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "io/base/json_value.h"
#include "io/tensors/tensor_format.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;  // bytes, as in the reference implementation
constexpr std::size_t kMaxHeaderValues = 5'000'000;           // about ten for each tensor
constexpr std::uint64_t kMaxCount = std::numeric_limits<std::int64_t>::max() / 2;

/// Types beyond ElementType: their sizes can be checked, but their numbers cannot be shown.
struct OtherKind {
  std::string_view name;
  Index bits;
};
constexpr std::array<OtherKind, 9> kOtherKinds = {{{"F8_E5M2", 8},
                                                   {"F8_E4M3", 8},
                                                   {"F8_E8M0", 8},
                                                   {"F8_E4M3FNUZ", 8},
                                                   {"F8_E5M2FNUZ", 8},
                                                   {"F4", 4},
                                                   {"F6_E2M3", 6},
                                                   {"F6_E3M2", 6},
                                                   {"C64", 64}}};

/// A tensor and the place of its bytes in the data, which begins after the header.
struct PlacedTensor {
  TensorEntry entry;
  StoredNumbers stored;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Finds the type of `tensor`; returns the bits of one number, 0 if they are unknown.
Index set_type(PlacedTensor& tensor, const std::string& name) {
  tensor.entry.type = name;
  for (int kind = 0; kind <= static_cast<int>(ElementType::f64); ++kind) {
    tensor.stored.type = static_cast<ElementType>(kind);
    if (element_name(tensor.stored.type) == name) return 8 * element_bytes(tensor.stored.type);
  }
  for (const OtherKind& other : kOtherKinds) {
    if (other.name != name) continue;
    tensor.entry.trouble = "numbers of type " + name + " cannot be shown";
    return other.bits;
  }
  tensor.entry.trouble = "dtype: " + shown_name(name) + " is unknown";
  return 0;
}

Result<std::vector<Index>> counts_of(const json& list, const std::string& field) {
  if (!list.is_array()) return fail(field + ": " + json_excerpt(list) + " is not allowed; allowed: a list");
  if (list.size() > kMaxAxesOfEntry) {
    return fail(field + ": " + std::to_string(list.size()) +
                (field == "shape" ? " axes are not allowed; allowed: " + std::to_string(kMaxAxesOfEntry)
                                  : " numbers are not allowed; allowed: begin and end"));
  }
  std::vector<Index> counts;
  for (const json& each : list) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() > most)
      return fail(field + ": " + json_excerpt(each) + " is not allowed; allowed: whole numbers from 0 on");
    counts.push_back(static_cast<Index>(each.get<std::uint64_t>()));
  }
  return counts;
}

Result<void> set_place(PlacedTensor& tensor, const json& offsets) {
  const Result<std::vector<Index>> counts = counts_of(offsets, "data_offsets");
  if (!counts) return tl::unexpected(counts.error());
  if (counts->size() != 2)
    return fail("data_offsets: " + std::to_string(counts->size()) + " numbers are not allowed; allowed: begin and end");
  tensor.begin = static_cast<std::uint64_t>(counts->front());
  tensor.end = static_cast<std::uint64_t>(counts->back());
  if (tensor.begin > tensor.end) return fail("data_offsets: " + index_text(*counts) + " ends before it begins");
  return {};
}

Result<PlacedTensor> read_entry(const std::string& name, const json& value, std::vector<std::string>& warnings) {
  if (!value.is_object()) return fail(json_excerpt(value) + " is not allowed; allowed: an object");
  for (const char* key : {"dtype", "shape", "data_offsets"})
    if (!value.contains(key)) return fail(std::string(key) + " is missing");
  for (const auto& [key, unused] : value.items()) {
    if (key == "dtype" || key == "shape" || key == "data_offsets" || !warnings.empty()) continue;
    warnings.push_back("tensor " + shown_name(name) + ": the key " + shown_name(key) + " is unknown and ignored");
  }
  if (!value["dtype"].is_string())
    return fail("dtype: " + json_excerpt(value["dtype"]) + " is not allowed; allowed: a string");
  PlacedTensor tensor;
  tensor.entry.name = name;
  const Index bits_of_element = set_type(tensor, value["dtype"].get_ref<const std::string&>());
  Result<std::vector<Index>> shape = counts_of(value["shape"], "shape");
  if (!shape) return tl::unexpected(shape.error());
  tensor.entry.shape = std::move(*shape);
  // A number of unknown size has at least one bit.
  const Result<Index> bits = count_bits(tensor.entry.shape, std::max<Index>(bits_of_element, 1));
  if (!bits) return tl::unexpected(bits.error());
  if (const Result<void> placed = set_place(tensor, value["data_offsets"]); !placed)
    return tl::unexpected(placed.error());
  const auto bytes = static_cast<std::uint64_t>(*bits / 8);
  if (bits_of_element > 0 && (*bits % 8 != 0 || tensor.end - tensor.begin != bytes)) {
    return fail("data_offsets: " + std::to_string(tensor.end - tensor.begin) + " bytes for the shape " +
                index_text(tensor.entry.shape) + " of " + tensor.entry.type + ", which takes " + std::to_string(bytes));
  }
  return tensor;
}

Result<void> read_metadata(const json& value, TensorListing& listing) {
  if (!value.is_object()) return fail("__metadata__: " + json_excerpt(value) + " is not allowed; allowed: an object");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) {
      return fail("__metadata__: " + shown_name(key) + ": " + json_excerpt(text) +
                  " is not allowed; allowed: a string");
    }
    listing.metadata[key] = text.get<std::string>();
  }
  return {};
}

/// Whether the tensors, in the order of their data, fill 0 to `data_bytes` one after the other.
Result<void> check_places(const std::deque<PlacedTensor>& tensors, std::uint64_t data_bytes) {
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  std::uint64_t reached = 0;
  for (const PlacedTensor& tensor : tensors) {
    const std::string about = "tensor " + shown_name(tensor.entry.name) + ": data_offsets: ";
    if (tensor.end > data_bytes) {
      return fail(about + "its data ends at " + number(tensor.end) + ", but the file is cut off and has " +
                  number(data_bytes) + " bytes of data");
    }
    if (tensor.begin < reached) {
      return fail(about + "its data begins at " + number(tensor.begin) +
                  ", within that of another tensor, which ends at " + number(reached));
    }
    if (tensor.begin > reached) {
      return fail(about + "its data begins at " + number(tensor.begin) + ", but the data before it ends at " +
                  number(reached) + ": the bytes between belong to no tensor");
    }
    reached = tensor.end;
  }
  if (reached < data_bytes) {
    return fail("the data of the last tensor ends at " + number(reached) + ", but the file has " + number(data_bytes) +
                " bytes of data: the rest belongs to no tensor");
  }
  return {};
}

/// Receives the members of a header one by one: its JSON is never in memory as a whole.
class SafetensorsHeaderReader {
 public:
  explicit SafetensorsHeaderReader(ParseBudget& budget) : budget_(budget) {}

  /// Whether the member is valid; `trouble` says what is wrong with another one.
  bool take(const std::string& name, const json& value) {
    const Result<void> taken = name == "__metadata__" ? take_metadata(value) : take_tensor(name, value);
    if (!taken) trouble_ = taken.error();
    return taken.has_value();
  }

  [[nodiscard]] const Error& trouble() const { return trouble_; }
  /// Without entries.
  TensorListing& listing() { return listing_; }
  std::deque<PlacedTensor>& tensors() { return tensors_; }

 private:
  Result<void> charge(std::uint64_t bytes) {
    if (budget_.charge(bytes)) return {};
    return fail(budget_.refusal("the safetensors header"));
  }

  Result<void> take_metadata(const json& value) {
    constexpr std::uint64_t each = 128;  // of the map
    if (value.is_object()) {
      for (const auto& [key, text] : value.items()) {
        const std::size_t bytes = key.size() + (text.is_string() ? text.get_ref<const std::string&>().size() : 0);
        if (Result<void> fits = charge(each + bytes); !fits) return fits;
      }
    }
    return read_metadata(value, listing_);
  }

  Result<void> take_tensor(const std::string& name, const json& value) {
    Result<PlacedTensor> tensor = read_entry(name, value, listing_.warnings);
    if (!tensor) return fail("tensor " + shown_name(name) + ": " + tensor.error().message);
    const TensorEntry& entry = tensor->entry;
    Result<void> fits = charge(sizeof(PlacedTensor) + entry.name.size() + entry.type.size() + entry.trouble.size() +
                               entry.shape.capacity() * sizeof(Index));
    if (fits) tensors_.push_back(std::move(*tensor));
    return fits;
  }

  ParseBudget& budget_;
  TensorListing listing_;
  std::deque<PlacedTensor> tensors_;
  Error trouble_;
};

/// The header's bytes. Their number is checked against the file before memory is taken.
Result<std::string> header_text(const ByteSource& file) {
  if (file.size() < kLengthBytes) {
    return fail("a safetensors file begins with 8 bytes, the length of its header; the file has " +
                std::to_string(file.size()));
  }
  Result<std::string> length_bytes = read_bytes(file, 0, kLengthBytes);
  if (!length_bytes) return length_bytes;
  const std::uint64_t length = little_endian(*length_bytes, 0, kLengthBytes);
  if (length > kMaxSafetensorsHeader) {
    return fail("the safetensors header claims to have " +
                bytes_against_limit(static_cast<double>(std::min(length, kMaxCount)), kMaxSafetensorsHeader));
  }
  if (length > file.size() - kLengthBytes) {
    return fail("the safetensors header has " + std::to_string(length) + " bytes, but is cut off after " +
                std::to_string(file.size() - kLengthBytes));
  }
  return read_bytes(file, kLengthBytes, length);
}

Result<TensorListing> list_safetensors(const ByteSource& file, std::uint64_t /*memory_budget*/) {
  const Result<std::string> text = header_text(file);
  if (!text) return tl::unexpected(text.error());
  // The header counts as the file: the rest stays on disk.
  ParseBudget budget(text->size());
  SafetensorsHeaderReader reader(budget);
  const Result<bool> read =
      parse_json_members(*text, {64, kMaxHeaderValues}, budget,
                         [&](const std::string& name, const json& value) { return reader.take(name, value); });
  if (!read) return fail("safetensors header: " + read.error().message);
  if (!*read) return tl::unexpected(reader.trouble());
  TensorListing listing = std::move(reader.listing());
  std::deque<PlacedTensor>& tensors = reader.tensors();
  // Empty tensors come before the one that begins at the same place.
  std::sort(tensors.begin(), tensors.end(), [](const PlacedTensor& a, const PlacedTensor& b) {
    return std::tie(a.begin, a.end, a.entry.name) < std::tie(b.begin, b.end, b.entry.name);
  });
  const std::uint64_t data = kLengthBytes + text->size();
  if (const Result<void> right = check_places(tensors, file.size() - data); !right)
    return tl::unexpected(right.error());
  if (!budget.charge(tensors.size() * (sizeof(TensorEntry) + sizeof(StoredNumbers))))
    return fail(budget.refusal("the safetensors header"));
  listing.entries.reserve(tensors.size());
  listing.stored.reserve(tensors.size());
  for (; !tensors.empty(); tensors.pop_front()) {
    PlacedTensor& tensor = tensors.front();
    tensor.stored.offset = data + tensor.begin;
    listing.entries.push_back(std::move(tensor.entry));
    listing.stored.push_back(tensor.stored);
  }
  return listing;
}

/// Whether a header of safetensors may begin the file: its length fits into four bytes, and an object follows. A zip
/// archive never has four zero bytes there.
bool begins_like_safetensors(std::string_view head) {
  if (head.size() < 9 || head.substr(4, 4) != std::string_view("\0\0\0\0", 4)) return false;
  const std::size_t at = head.find_first_not_of(" \t\r\n", 8);
  return at == std::string_view::npos || head[at] == '{';
}

// Without the package safetensors, which not every system has.
constexpr const char* kPythonReader = R"(import json

def stored_tensors(file, names=None):
    """Reads a safetensors file: the header's length, the header, the numbers of these tensors or of all it can read."""
    kinds = {"BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4",
             "U64": "<u8", "I64": "<i8", "BF16": "<u2", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
    length = int.from_bytes(file.read(8), "little")
    header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    tensors = {}
    for name in [name for name in header if header[name]["dtype"] in kinds] if names is None else names:
        begin, end = header[name]["data_offsets"]
        file.seek(8 + length + begin)
        numbers = np.frombuffer(file.read(end - begin), kinds[header[name]["dtype"]])
        if header[name]["dtype"] == "BF16":
            numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
        tensors[name] = numbers.astype(np.float32).reshape(header[name]["shape"])
    return tensors

)";

std::string python_from_safetensors(const std::string& path, std::span<const std::string> names) {
  return "names = " + python_list(names) + "with open(" + path +
         ", \"rb\") as file:\n    archive = stored_tensors(file, names)\n"
         "given = {name: torch.from_numpy(archive[name]) for name in names}\n";
}

}  // namespace

TensorFormat safetensors_format() {
  return {".safetensors",
          begins_like_safetensors,
          list_safetensors,
          {python_from_safetensors, "", "return stored_tensors(io.BytesIO(data))\n", false, kPythonReader}};
}

std::string_view python_safetensors_reader() { return kPythonReader; }

}  // namespace attnscope
