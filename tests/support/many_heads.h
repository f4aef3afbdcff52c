// Files of very many heads, as another program may have written them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace attnscope::test {

/// An npy file of float32 numbers in which every query attends to one key; the last axis has `keys` of them.
inline std::filesystem::path weights_file(const TemporaryFolder& folder, const std::vector<int>& shape,
                                          const std::string& name = "attentions.npy") {
  std::string dimensions;
  std::size_t rows = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    dimensions += std::to_string(shape[i]) + ", ";
    if (i + 1 < shape.size()) rows *= static_cast<std::size_t>(shape[i]);
  }
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + dimensions + "), }";
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFFU);
  bytes += static_cast<char>(header.size() >> 8U);
  bytes += header;
  const auto keys = static_cast<std::size_t>(shape.back());
  std::vector<float> row(keys);
  for (std::size_t i = 0; i < rows; ++i) {
    row[i * 7 % keys] = 1;
    bytes.append(reinterpret_cast<const char*>(row.data()), keys * sizeof(float));
    row[i * 7 % keys] = 0;
  }
  return folder.file(name, bytes);
}

}  // namespace attnscope::test
