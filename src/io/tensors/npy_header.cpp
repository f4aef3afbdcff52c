#include "io/tensors/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/base/text.h"
#include "io/tensors/tensor_listing.h"

namespace attnscope {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;
// numpy itself refuses over 10,000 bytes unless told to trust the file; a structured type may have long names.
constexpr std::uint64_t kMaxNpyHeader = 100'000;

/// Parses the text of the header: a Python dictionary, of which only what numpy writes is understood.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  /// Skips blanks and `symbol`; false if something else comes next.
  bool take(char symbol) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != symbol) return false;
    ++at_;
    return true;
  }

  /// The same for a word.
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  /// The text between quotes; there are no escapes.
  std::optional<std::string> take_string() {
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    if (inner.find_first_of("\\\n") != std::string_view::npos) return std::nullopt;
    at_ = end + 1;
    return std::string(inner);
  }

  /// A whole number, 0 or more.
  std::optional<Index> take_count() {
    skip_blanks();
    Index count = 0;
    const std::string_view rest = text_.substr(at_);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (error != std::errc() || rest.starts_with('-')) return std::nullopt;
    at_ += static_cast<std::size_t>(end - rest.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // numpy under Python 2
    return count;
  }

  /// A list with its contents: the description of a structured type.
  bool take_list() {
    std::size_t depth = 0;
    do {
      skip_blanks();
      if (at_ >= text_.size()) return false;
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        if (!take_string()) return false;
        continue;
      }
      if (c == '[' || c == '(') ++depth;
      if (c == ']' || c == ')') --depth;
      ++at_;
    } while (depth > 0);
    return true;
  }

  [[nodiscard]] bool next_is(char symbol) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == symbol;
  }

  [[nodiscard]] bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  /// A message with the position in the header.
  [[nodiscard]] tl::unexpected<Error> stop(const std::string& trouble) const {
    return fail("npy header: at character " + std::to_string(at_) + ": " + trouble);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct NumpyKind {
  std::string_view code;
  ElementType type;
};
constexpr std::array<NumpyKind, 13> kNumpyKinds = {{{"b1", ElementType::boolean},
                                                    {"?", ElementType::boolean},
                                                    {"u1", ElementType::u8},
                                                    {"u2", ElementType::u16},
                                                    {"u4", ElementType::u32},
                                                    {"u8", ElementType::u64},
                                                    {"i1", ElementType::i8},
                                                    {"i2", ElementType::i16},
                                                    {"i4", ElementType::i32},
                                                    {"i8", ElementType::i64},
                                                    {"f2", ElementType::f16},
                                                    {"f4", ElementType::f32},
                                                    {"f8", ElementType::f64}}};

/// The name of a type that cannot be read; `code` omits the byte order.
std::string kind_of_code(std::string_view code) {
  switch (code.empty() ? '\0' : code.front()) {
    case 'O': return "Python objects, which only Python can load, and which can run any code";
    case 'U':
    case 'S':
    case 'a': return "text";
    case 'c': return "complex numbers";
    case 'M':
    case 'm': return "dates or durations";
    case 'V': return "raw bytes: numpy has no name for bfloat16 and float8, .safetensors does";
    case 'f': return "numbers of more than double precision";
    default: return "unknown";
  }
}

void set_type(NpyHeader& header, std::string descr) {
  header.descr = std::move(descr);
  std::string_view code = header.descr;
  const bool has_order = !code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos;
  header.big_endian = code.starts_with('>');
  if (has_order) code.remove_prefix(1);
  for (const NumpyKind& kind : kNumpyKinds)
    if (kind.code == code) header.type = kind.type;
  if (!header.type) header.trouble = "descr: the type " + shown_name(header.descr) + " is " + kind_of_code(code);
}

Result<void> read_descr(HeaderReader& reader, NpyHeader& header) {
  if (reader.next_is('[')) {
    if (!reader.take_list()) return reader.stop("descr: the list has no end");
    header.descr = "structured";
    header.trouble = "descr: the type is structured: several numbers in each place";
    return {};
  }
  std::optional<std::string> descr = reader.take_string();
  if (!descr) return reader.stop("descr: allowed: a string or a list");
  set_type(header, std::move(*descr));
  return {};
}

Result<void> read_shape(HeaderReader& reader, NpyHeader& header) {
  if (!reader.take('(')) return reader.stop("shape: allowed: a tuple");
  while (!reader.take(')')) {
    const std::optional<Index> size = reader.take_count();
    if (!size) return reader.stop("shape: allowed: whole numbers from 0 to 9223372036854775807");
    header.shape.push_back(*size);
    if (header.shape.size() > kMaxAxesOfEntry)
      return reader.stop("shape: more than " + std::to_string(kMaxAxesOfEntry) + " axes");
    if (reader.take(',')) continue;
    // Without a comma, one number in parentheses is no tuple in Python.
    if (header.shape.size() < 2 || !reader.next_is(')')) return reader.stop("shape: allowed: a tuple");
  }
  return {};
}

Result<void> read_order(HeaderReader& reader, NpyHeader& header) {
  header.fortran_order = reader.take_word("True");
  if (!header.fortran_order && !reader.take_word("False")) return reader.stop("fortran_order: allowed: True or False");
  return {};
}

Result<void> read_value(const std::string& key, HeaderReader& reader, NpyHeader& header) {
  if (key == "descr") return read_descr(reader, header);
  if (key == "fortran_order") return read_order(reader, header);
  return read_shape(reader, header);
}

Result<NpyHeader> read_dictionary(HeaderReader& reader) {
  const std::array<std::string, 3> keys = {"descr", "fortran_order", "shape"};
  std::vector<std::string> seen;
  NpyHeader header;
  if (!reader.take('{')) return reader.stop("allowed: a dictionary");
  while (!reader.take('}')) {
    const std::optional<std::string> key = reader.take_string();
    if (!key) return reader.stop("allowed: a key in quotes, or }");
    if (std::find(keys.begin(), keys.end(), *key) == keys.end())
      return reader.stop("the key " + shown_name(*key) + " is unknown; allowed: " + join(keys, ", "));
    if (std::find(seen.begin(), seen.end(), *key) != seen.end())
      return reader.stop("the key " + shown_name(*key) + " appears twice");
    seen.push_back(*key);
    if (!reader.take(':')) return reader.stop("allowed: a colon");
    if (const Result<void> read = read_value(*key, reader, header); !read) return tl::unexpected(read.error());
    if (!reader.take(',') && !reader.next_is('}')) return reader.stop("allowed: a comma, or }");
  }
  if (!reader.at_end()) return reader.stop("unexpected data after the dictionary");
  for (const std::string& key : keys) {
    if (std::find(seen.begin(), seen.end(), key) == seen.end()) return fail("npy header: " + key + " is missing");
  }
  return header;
}

/// Bytes before the text of the header, from the first ones of the file, and before its numbers.
Result<std::pair<std::size_t, std::size_t>> measure_header(std::string_view preamble) {
  if (!is_npy(preamble)) return fail(R"(an npy file begins with "\x93NUMPY"; this one does not)");
  const std::size_t before_length = kNpyMagic.size() + kVersionBytes;
  if (preamble.size() < before_length) return fail("the npy file is cut off after " + size_text(preamble.size()));
  const int major = static_cast<unsigned char>(preamble[kNpyMagic.size()]);
  const int minor = static_cast<unsigned char>(preamble[kNpyMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    return fail("the npy version " + std::to_string(major) + "." + std::to_string(minor) +
                " is unknown; allowed: 1.0, 2.0 and 3.0");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (preamble.size() < before_length + length_bytes)
    return fail("the npy file is cut off after " + size_text(preamble.size()));
  const std::uint64_t length = little_endian(preamble, before_length, length_bytes);
  if (length > kMaxNpyHeader) {
    return fail("the npy header claims to have " + size_text(length) + "; allowed: " + size_text(kMaxNpyHeader));
  }
  const std::size_t before = before_length + length_bytes;
  return std::pair(before, before + static_cast<std::size_t>(length));
}

}  // namespace

std::optional<Index> NpyHeader::text_length() const {
  if (!shape.empty() || descr.size() < 3 || !descr.starts_with("<U")) return std::nullopt;
  return parse_integer(std::string_view(descr).substr(2));
}

bool is_npy(std::string_view bytes) { return bytes.starts_with(kNpyMagic); }

Result<NpyHeader> read_npy_header(const FirstBytes& first) {
  const Result<std::string> preamble = first(kNpyPreamble);
  if (!preamble) return tl::unexpected(preamble.error());
  const auto measured = measure_header(*preamble);
  if (!measured) return tl::unexpected(measured.error());
  const auto [text_at, all] = *measured;
  const Result<std::string> header = first(all);
  if (!header) return tl::unexpected(header.error());
  if (header->size() < all) {
    return fail("the npy header claims to have " + std::to_string(all) + " bytes, but is cut off after " +
                std::to_string(header->size()));
  }
  HeaderReader reader(std::string_view(*header).substr(text_at));
  Result<NpyHeader> parsed = read_dictionary(reader);
  if (!parsed) return parsed;
  const Result<Index> bits = count_bits(parsed->shape, parsed->type ? 8 * element_bytes(*parsed->type) : 1);
  if (!bits) return fail("npy header: " + bits.error().message);
  parsed->header_bytes = all;
  parsed->data_bytes = static_cast<std::uint64_t>(*bits / 8);
  return parsed;
}

}  // namespace attnscope
