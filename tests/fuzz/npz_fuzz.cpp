// Files that end in .npz, whatever they are.
#include "read_everything.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return attnscope::fuzz::read_everything(data, size, "fuzz.npz");
}
