// The tables of colormap.h.
#pragma once

#include <array>
#include <cstdint>

namespace attnscope::colormap_data {

using Table = std::array<std::uint32_t, 256>;

extern const Table kViridis;
extern const Table kMagma;
extern const Table kRedBlue;
extern const Table kGreys;
extern const Table kBlueBrown;

}  // namespace attnscope::colormap_data
