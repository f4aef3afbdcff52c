// Whether a sanitizer watches: each step takes many times as long then, and what tries thousands of cases tries fewer,
// which are enough to reach every line.
#pragma once

// GCC and Clang say it in different ways.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ATTNSCOPE_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define ATTNSCOPE_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ATTNSCOPE_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define ATTNSCOPE_THREAD_SANITIZER
#endif

namespace attnscope::test {

#if defined(ATTNSCOPE_ADDRESS_SANITIZER) || defined(ATTNSCOPE_THREAD_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace attnscope::test
