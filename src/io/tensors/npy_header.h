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
  std::string descr;                ///< the type as the file says it: "<f4"; of a structured one "structured"
  std::optional<ElementType> type;  ///< nothing: it cannot be read
  std::string trouble;              ///< then, why
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<Index> shape;
  std::uint64_t header_bytes = 0;  ///< before the numbers
  std::uint64_t data_bytes = 0;    ///< of a type that can be read

  /// Of a text of rank 0 ("<U12"): how many characters of four bytes it has.
  [[nodiscard]] std::optional<Index> text_length() const;
};

/// Bytes that are enough for `is_npy` and to know how long a header is.
inline constexpr std::size_t kNpyPreamble = 12;

/// Whether bytes are the beginning of an npy file, of whatever version.
bool is_npy(std::string_view bytes);

/// Gives the first bytes of a file: as many as asked for, or all there are.
using FirstBytes = std::function<Result<std::string>(std::size_t bytes)>;

/// Reads the header. The dictionary in it is never evaluated: it has the three keys descr, fortran_order and shape, and
/// no other, or it is refused; so is a version that is unknown, and a header longer than any that numpy writes.
Result<NpyHeader> read_npy_header(const FirstBytes& first);

}  // namespace attnscope
