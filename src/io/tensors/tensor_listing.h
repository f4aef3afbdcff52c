// The contents of a file of tensors in any format. See tensor_format.h for the formats.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "io/base/byte_source.h"
#include "io/tensors/element_type.h"
#include "io/tensors/zip_archive.h"

namespace attnscope {

/// The most axes that a tensor may have, as in numpy.
inline constexpr std::size_t kMaxAxesOfEntry = 64;

/// A tensor in a file.
struct TensorEntry {
  std::string name;          ///< as in the file; `printable` makes it fit to be shown
  std::string type;          ///< "F32", "BF16", …; the file's word for what cannot be viewed: "F8_E4M3", "<U12"
  std::vector<Index> shape;  ///< empty: one number
  std::string trouble;       ///< why it cannot be viewed; empty: it can
};

/// The place of an entry's numbers.
struct StoredNumbers {
  ElementType type = ElementType::f32;
  bool big_endian = false;
  bool fortran_order = false;         ///< the first axis is the fastest
  std::uint64_t offset = 0;           ///< of the first number, in the file or in its member
  std::optional<std::size_t> member;  ///< of the archive
};

/// An array of texts.
struct TextArray {
  std::string name;                ///< as in the file
  std::vector<Index> shape;        ///< [token] or [batch item, token]
  std::vector<std::string> texts;  ///< in C order; UTF-8
};

struct TensorListing {
  std::vector<TensorEntry> entries;
  std::vector<StoredNumbers> stored;  ///< of each entry
  std::map<std::string, std::string> metadata;
  std::vector<TextArray> texts;
  std::vector<std::string> warnings;
  std::vector<ZipMember> members;  ///< of an archive
};

/// A name from outside, for messages.
std::string shown_name(std::string_view name);

/// Bits of a tensor of such a shape. Fails if they cannot be counted in 63 bits, even with the zeros in the shape left
/// out, and if there are too many axes.
Result<Index> count_bits(const std::vector<Index>& shape, Index bits_of_element);

}  // namespace attnscope
