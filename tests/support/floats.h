// Floats that are no ordinary numbers.
#pragma once

#include <limits>

namespace attnscope::test {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

}  // namespace attnscope::test
