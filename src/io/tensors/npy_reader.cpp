// A file with one array of numpy's.
#include <algorithm>

#include "io/tensors/npy_header.h"
#include "io/tensors/tensor_listing.h"

namespace attnscope {

Result<TensorListing> list_npy(const ByteSource& file) {
  const Result<NpyHeader> header = read_npy_header(
      [&](std::size_t bytes) { return read_bytes(file, 0, std::min<std::uint64_t>(bytes, file.size())); });
  if (!header) return tl::unexpected(header.error());
  // There is nothing else in the file that could be shown.
  if (!header->type) return fail(header->trouble);
  const std::uint64_t data_bytes = file.size() - header->header_bytes;
  if (data_bytes < header->data_bytes) {
    return fail("the numbers take " + std::to_string(header->data_bytes) + " bytes, but the file is cut off after " +
                std::to_string(data_bytes));
  }
  TensorListing listing;
  if (data_bytes > header->data_bytes) {
    listing.warnings.push_back("the file has " + std::to_string(data_bytes - header->data_bytes) +
                               " bytes behind its numbers");
  }
  // An array in a file of its own has no name.
  listing.entries.push_back({"", std::string(element_name(*header->type)), header->shape, ""});
  listing.stored.push_back({*header->type, header->big_endian, header->fortran_order, header->header_bytes, {}});
  return listing;
}

}  // namespace attnscope
