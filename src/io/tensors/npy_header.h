// The header of npy files: numpy's array format, versions 1.0, 2.0 and 3.0 (numpy.lib.format). Private to io/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "io/tensors/element_type.h"

namespace attnscope {

struct NpyHeader {
  std::string descr;                ///< the type in the file's words: "<f4"; "structured" for a structured one
  std::optional<ElementType> type;  ///< nothing: it cannot be read
  std::string trouble;              ///< why it cannot be read
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<Index> shape;
  std::uint64_t header_bytes = 0;  ///< before the numbers
  std::uint64_t data_bytes = 0;    ///< of the numbers, if the type can be read

  /// The number of four-byte characters in a text of rank 0 ("<U12").
  [[nodiscard]] std::optional<Index> text_length() const;
};

/// Enough bytes for `is_npy`, and for the length of the header.
inline constexpr std::size_t kNpyPreamble = 12;

/// Whether `bytes` begin an npy file of any version.
bool is_npy(std::string_view bytes);

/// Returns the first bytes of a file: as many as requested, or all if it has fewer.
using FirstBytes = std::function<Result<std::string>(std::size_t bytes)>;

/// Reads the header. The dictionary in it is never evaluated: it must have the keys descr, fortran_order and shape, and
/// no others. An unknown version, and a header longer than any that numpy writes, are refused.
Result<NpyHeader> read_npy_header(const FirstBytes& first);

}  // namespace attnscope
