#include "core/kernels/isa/instruction_set.h"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/kernels/isa/compiled.h"

namespace attnscope {
namespace {

constexpr const char* kVariable = "ATTNSCOPE_KERNELS";

/// The value of ATTNSCOPE_KERNELS; empty if unset.
std::string_view wanted_kernels() {
  const char* wanted = std::getenv(kVariable);
  return wanted != nullptr ? wanted : "";
}

const Kernels& chosen() {
  const std::string_view wanted = wanted_kernels();
  const Kernels* best = compiled_kernels().front();
  for (const Kernels* each : compiled_kernels()) {
    if (!runs_here(*each)) continue;
    if (each->name == wanted) return *each;
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

Result<void> check_wanted_kernels() {
  const std::string wanted(wanted_kernels());
  if (wanted.empty()) return {};
  std::vector<std::string> allowed;
  bool is_one = false;
  for (const Kernels* each : compiled_kernels()) {
    is_one = is_one || each->name == wanted;
    if (!runs_here(*each)) continue;
    if (each->name == wanted) return {};
    allowed.emplace_back(each->name);
  }
  return fail(std::string(kVariable) + ": " + quoted_text(wanted) +
                  (is_one ? " is not supported by this processor" : " is not allowed") +
                  "; allowed: " + join(allowed, ", "),
              Error::Kind::usage);
}

const Kernels& kernels() {
  static const Kernels& found = chosen();
  return found;
}

}  // namespace attnscope
