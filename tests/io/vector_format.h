// A format of files for tensors that only tests know: "VEC1", a number of four bytes, and so many of float32.
#pragma once

#include <string>
#include <string_view>

#include "io/tensors/tensor_format.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {

inline Result<TensorListing> list_vector(const ByteSource& file, std::uint64_t /*memory_budget*/) {
  constexpr std::uint64_t kPreamble = 8;
  const Result<std::string> preamble = read_bytes(file, 0, std::min(kPreamble, file.size()));
  if (!preamble) return tl::unexpected(preamble.error());
  if (preamble->size() < kPreamble) return fail("the file is cut off in its first 8 bytes");
  const auto count = static_cast<Index>(little_endian(*preamble, 4, 4));
  TensorListing listing;
  listing.entries.push_back({"values", std::string(element_name(ElementType::f32)), {count}, ""});
  listing.stored.push_back({ElementType::f32, false, false, kPreamble, {}});
  return listing;
}

inline TensorFormat vector_format() {
  return {".vec",
          [](std::string_view head) { return head.starts_with("VEC1"); },
          list_vector,
          {[](const std::string& path, std::span<const std::string> /*names*/) {
             return "given = {\"values\": torch.from_numpy(np.fromfile(" + path + ", \"<f4\", offset=8))}\n";
           },
           R"(data.startswith(b"VEC1"))", "return {\"values\": np.frombuffer(data, \"<f4\", offset=8)}\n"}};
}

}  // namespace attnscope::test
