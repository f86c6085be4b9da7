// Where a tile lies in shared memory: the swizzles of sm_90, and the 64-bit descriptor by which its
// matrix unit finds an operand. The PTX ISA, "Matrix Descriptor Format", is the source.
#pragma once

#include <cstdint>

namespace oddtile {

// Named by the span within which 16-byte chunks change places: the bytes of a row of the tile.
enum class Swizzle : uint8_t { none, span_32, span_64, span_128 };

// Which index of an operand runs along memory: k, or m (of the left operand) and n (of the right).
enum class Major : uint8_t { k, mn };

constexpr uint32_t swizzle_span(Swizzle swizzle) {
  return 16u << int(swizzle);
}
// A tile of this swizzle starts at a multiple of this many bytes: there its pattern repeats.
constexpr uint32_t swizzle_period(Swizzle swizzle) {
  return swizzle == Swizzle::none ? 16u : 8u * swizzle_span(swizzle);
}
// Address bits 4, 4-5 or 4-6 are combined with as many bits from bit 7 on. It is its own inverse,
// and it acts on the address within shared memory, not within the tile.
constexpr uint32_t swizzled(uint32_t shared_address, Swizzle swizzle) {
  const uint32_t chunk_bits = swizzle_span(swizzle) - 16u;
  return shared_address ^ (shared_address >> 3 & chunk_bits);
}

// bits 0-13 start, 16-29 leading offset, 32-45 stride offset (each in units of 16 bytes), 49-51
// base offset, 62-63 swizzle: 0 none, 1 128, 2 64, 3 32 bytes.
struct MatrixDescriptor {
  uint64_t bits = 0;

  // The same operand `bytes` further on; what is carried out of the start address is lost.
  constexpr MatrixDescriptor operator+(uint32_t bytes) const {
    return {(bits & ~uint64_t(0xFFFFFFFF)) | uint32_t(uint32_t(bits) + (bytes >> 4))};
  }
  constexpr uint32_t start() const { return uint32_t(bits & 0x3FFF) << 4; }
  constexpr uint32_t leading() const { return uint32_t(bits >> 16 & 0x3FFF) << 4; }
  constexpr uint32_t stride() const { return uint32_t(bits >> 32 & 0x3FFF) << 4; }
  constexpr uint32_t base_offset() const { return uint32_t(bits >> 49 & 7); }
  constexpr Swizzle swizzle() const { return Swizzle(-(bits >> 62) & 3); }
};

// Let W be the span and a tile a row of panels, each `rows` rows of W bytes (rows a multiple of 8):
//   K-major, swizzled:  leading is ignored (16); stride 8 W. Next 16 k: + 32 bytes within a panel.
//   MN-major, swizzled: leading = bytes of a panel (rows * W); stride 8 W. Next 16 k: + 16 W.
//   Without swizzle:    8 x 16-byte core matrices; stride along m or n, leading along k.
constexpr MatrixDescriptor matrix_descriptor(uint32_t shared_address, uint32_t leading_bytes,
                                             uint32_t stride_bytes, Swizzle swizzle) {
  return {uint64_t(shared_address >> 4 & 0x3FFF) | uint64_t(leading_bytes >> 4 & 0x3FFF) << 16 |
          uint64_t(stride_bytes >> 4 & 0x3FFF) << 32 | uint64_t(-int(swizzle) & 3) << 62};
}

}  // namespace oddtile
