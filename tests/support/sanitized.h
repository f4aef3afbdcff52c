// Whether a sanitizer watches: each step takes many times as long then, and what tries thousands of cases tries fewer,
// which are enough to reach every line.
#pragma once

namespace attnscope::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace attnscope::test
