#include "io/tensors/tensor_listing.h"

#include <limits>

#include "core/base/text.h"
#include "io/base/printable.h"

namespace attnscope {

std::string shown_name(std::string_view name) { return attnscope::quoted_text(printable(name)); }

Result<Index> count_bits(const std::vector<Index>& shape, Index bits_of_element) {
  if (shape.size() > kMaxAxesOfEntry) {
    return fail("shape: " + std::to_string(shape.size()) +
                " axes are not allowed; allowed: " + std::to_string(kMaxAxesOfEntry));
  }
  Index bits = bits_of_element;
  bool none = false;
  for (const Index size : shape) {
    none = none || size == 0;
    if (size != 0) bits = saturating_product(bits, size);
  }
  if (bits == std::numeric_limits<Index>::max())
    return fail("shape: " + index_text(shape) + " has more numbers than can be addressed");
  return none ? 0 : bits;
}

}  // namespace attnscope
