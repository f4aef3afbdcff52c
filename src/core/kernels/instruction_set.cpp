#include "core/kernels/instruction_set.h"

#include <array>
#include <cstdlib>

#include "core/kernels/compiled.h"

namespace attnscope {
namespace {

const Kernels& chosen() {
  const char* wanted = std::getenv("ATTNSCOPE_KERNELS");
  const Kernels* best = compiled_kernels().front();
  for (const Kernels* each : compiled_kernels()) {
    if (!runs_here(*each)) continue;
    if (wanted != nullptr && each->name == wanted) return *each;
    best = each;
  }
  return *best;
}

}  // namespace

std::span<const Kernels* const> compiled_kernels() {
#if defined(__x86_64__)
  static const std::array<const Kernels*, 3> list = {&baseline_kernels(), &avx2_kernels(), &avx512_kernels()};
#else
  static const std::array<const Kernels*, 1> list = {&baseline_kernels()};
#endif
  return list;
}

bool runs_here(const Kernels& which) {
#if defined(__x86_64__)
  if (which.name == "avx2") return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (which.name == "avx512") return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("fma") != 0;
#endif
  return which.name == "baseline";
}

const Kernels& kernels() {
  static const Kernels& found = chosen();
  return found;
}

}  // namespace attnscope
