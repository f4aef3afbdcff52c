// The number formats in files of tensors, and their conversion to float32.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/tensor.h"

namespace attnscope {

/// Formats that can be read.
enum class ElementType : std::uint8_t { boolean, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64 };

/// The name in safetensors: "BOOL", "U8", "BF16".
std::string_view element_name(ElementType type);

/// Bytes of one number.
Index element_bytes(ElementType type);

/// Converts the numbers in `bytes` to float32 at `out`, `out` + `out_stride`, …: each is rounded to the nearest (ties
/// to even, as numpy's astype), to ±∞ beyond the range; true is 1. `out` has room for them.
void to_floats(std::span<const char> bytes, ElementType type, bool big_endian, float* out, Index out_stride);

}  // namespace attnscope
