// NumPy's file of one array.
#include <algorithm>

#include "io/tensors/npy_header.h"
#include "io/tensors/tensor_format.h"

namespace attnscope {
namespace {

Result<TensorListing> list_npy(const ByteSource& file, std::uint64_t /*memory_budget*/) {
  const Result<NpyHeader> header = read_npy_header(
      [&](std::size_t bytes) { return read_bytes(file, 0, std::min<std::uint64_t>(bytes, file.size())); });
  if (!header) return tl::unexpected(header.error());
  // The file has nothing else to show.
  if (!header->type) return fail(header->trouble);
  const std::uint64_t data_bytes = file.size() - header->header_bytes;
  if (data_bytes < header->data_bytes) {
    return fail("the numbers take " + std::to_string(header->data_bytes) + " bytes, but the file is cut off after " +
                std::to_string(data_bytes));
  }
  TensorListing listing;
  if (data_bytes > header->data_bytes) {
    listing.warnings.push_back("the file has " + std::to_string(data_bytes - header->data_bytes) +
                               " bytes after its numbers");
  }
  // The array has no name.
  listing.entries.push_back({"", std::string(element_name(*header->type)), header->shape, ""});
  listing.stored.push_back({*header->type, header->big_endian, header->fortran_order, header->header_bytes, {}});
  return listing;
}

std::string python_from_npy(const std::string& path, std::span<const std::string> /*names*/) {
  return "given = {\"\": torch.from_numpy(np.load(" + path + ").astype(\"float32\"))}\n";
}

}  // namespace

TensorFormat npy_format() {
  return {".npy",
          is_npy,
          list_npy,
          {python_from_npy, R"(data.startswith(b"\x93NUMPY"))", "return {\"\": np.load(io.BytesIO(data))}\n"}};
}

}  // namespace attnscope
