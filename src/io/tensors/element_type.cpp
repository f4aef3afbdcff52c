#include "io/tensors/element_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace attnscope {
namespace {

struct KindOfElement {
  std::string_view name;
  Index bytes;
};

/// In the order of ElementType.
constexpr std::array<KindOfElement, 13> kKinds = {{{"BOOL", 1},
                                                   {"U8", 1},
                                                   {"U16", 2},
                                                   {"U32", 4},
                                                   {"U64", 8},
                                                   {"I8", 1},
                                                   {"I16", 2},
                                                   {"I32", 4},
                                                   {"I64", 8},
                                                   {"F16", 2},
                                                   {"BF16", 2},
                                                   {"F32", 4},
                                                   {"F64", 8}}};

float from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16U;
  const std::uint32_t exponent = (half >> 10U) & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0) {  // zero, or a multiple of 2^−24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  // Infinities and NaN keep the largest exponent.
  const std::uint32_t wide = exponent == 0x1f ? 0xffU : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide << 23U) | (fraction << 13U));
}

float from_bfloat16(std::uint16_t upper) { return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16U); }

/// Calls `convert` for every number with its bits in the file.
template <typename Bits, typename Convert>
void convert_all(std::span<const char> bytes, bool big_endian, float* out, Index out_stride, const Convert& convert) {
  const bool turned = big_endian != (std::endian::native == std::endian::big);
  for (std::size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits), out += out_stride) {
    std::array<char, sizeof(Bits)> raw;
    std::memcpy(raw.data(), bytes.data() + at, sizeof(Bits));
    if (turned) std::reverse(raw.begin(), raw.end());
    *out = convert(std::bit_cast<Bits>(raw));
  }
}

}  // namespace

std::string_view element_name(ElementType type) { return kKinds[static_cast<std::size_t>(type)].name; }

Index element_bytes(ElementType type) { return kKinds[static_cast<std::size_t>(type)].bytes; }

void to_floats(std::span<const char> bytes, ElementType type, bool big_endian, float* out, Index out_stride) {
  const auto convert = [&]<typename Bits>(Bits /*kind*/, const auto& each) {
    convert_all<Bits>(bytes, big_endian, out, out_stride, each);
  };
  const auto nearest = [](auto number) { return static_cast<float>(number); };
  switch (type) {
    case ElementType::boolean:
      return convert(std::uint8_t{}, [](std::uint8_t truth) { return truth != 0 ? 1.0F : 0.0F; });
    case ElementType::u8: return convert(std::uint8_t{}, nearest);
    case ElementType::u16: return convert(std::uint16_t{}, nearest);
    case ElementType::u32: return convert(std::uint32_t{}, nearest);
    case ElementType::u64: return convert(std::uint64_t{}, nearest);
    case ElementType::i8: return convert(std::int8_t{}, nearest);
    case ElementType::i16: return convert(std::int16_t{}, nearest);
    case ElementType::i32: return convert(std::int32_t{}, nearest);
    case ElementType::i64: return convert(std::int64_t{}, nearest);
    case ElementType::f16: return convert(std::uint16_t{}, from_half);
    case ElementType::bf16: return convert(std::uint16_t{}, from_bfloat16);
    case ElementType::f32: return convert(float{}, nearest);
    case ElementType::f64: return convert(double{}, nearest);
  }
}

}  // namespace attnscope
