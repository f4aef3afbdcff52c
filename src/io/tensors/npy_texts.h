// Arrays of texts in npy files. Private to io/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/tensors/npy_header.h"

namespace attnscope {

/// How an npy file stores each of its texts.
struct NpyTextType {
  bool unicode = false;  ///< four bytes for each character; otherwise bytes of UTF-8
  bool big_endian = false;
  std::uint64_t bytes = 0;  ///< of each text; shorter ones end with zeros
};

/// The type of an array of texts ("<U12", "|S8"); nothing for any other array.
std::optional<NpyTextType> npy_text_type(const NpyHeader& header);

/// The texts that follow the header, one after the other; `numbers` has whole ones only.
std::vector<std::string> npy_texts(std::string_view numbers, const NpyTextType& type);

}  // namespace attnscope
