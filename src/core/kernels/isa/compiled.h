// One function per instruction set, each compiled in its own file.
#pragma once

#include "core/kernels/isa/instruction_set.h"

namespace attnscope {

const Kernels& baseline_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

}  // namespace attnscope
