// The tables behind colormap.h.
#pragma once

#include <array>
#include <cstdint>

namespace attnscope::colormap_data {

using Table = std::array<std::uint32_t, 256>;

extern const Table viridis;
extern const Table magma;
extern const Table red_blue;
extern const Table greys;

}  // namespace attnscope::colormap_data
