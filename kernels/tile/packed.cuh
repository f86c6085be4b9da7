// Elements packed in 32-bit words, as they travel through registers, and reads that start anywhere.
//
// A vector of 16-bit elements stays in words: held as separate elements each would take a register
// of its own.
#pragma once

#include <bit>

#include "kernels/dialect/dialect.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T, int count>
using Packed = Vector<uint32_t, count* int(sizeof(T)) / 4>;

template <class T, int words>
ODDTILE_DEVICE T unpack(const Vector<uint32_t, words>& packed, int index) {
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(packed.element[index]);
  } else {
    return T{uint16_t(packed.element[index / 2] >> (16 * (index % 2)))};
  }
}

// Bits of the elements of a vector that belong to a run of `count`, if its element 0 is number
// `first` of the run. Without branches: they would keep loads apart.
template <int width, class Index>
ODDTILE_DEVICE uint32_t elements_inside(Index first, Index count) {
  constexpr uint32_t kAll = (1u << width) - 1u;
  const Index left = count - first;
  const int from = int(first < -width ? Index(width) : (first < 0 ? -first : Index(0)));
  const int to = int(left < 0 ? Index(0) : (left < width ? left : Index(width)));
  return (kAll << from) & (kAll >> (width - to)) & kAll;
}

// Rounds `values` to T. Constant trip counts: everything stays in registers.
template <class T, int count>
ODDTILE_DEVICE Packed<T, count> pack_all(const float (&values)[count]) {
  Packed<T, count> result;
  ODDTILE_UNROLL
  for (int i = 0; i < count; ++i) {
    if constexpr (sizeof(T) == 4) {
      result.element[i] = std::bit_cast<uint32_t>(values[i]);
    } else if (i % 2 == 0) {
      result.element[i / 2] = pack<T>(values[i], values[i + 1]);
    }
  }
  return result;
}

// The vector that starts `shift` bytes into low, high, which lie one behind the other.
template <int words>
ODDTILE_DEVICE Vector<uint32_t, words> funnel(const Vector<uint32_t, words>& low,
                                              const Vector<uint32_t, words>& high, uint32_t shift) {
  uint32_t word[2 * words];
  ODDTILE_UNROLL
  for (int i = 0; i < 2 * words; ++i) {
    word[i] = i < words ? low.element[i] : high.element[i - words];
  }
  ODDTILE_UNROLL
  for (int step = words / 2; step > 0; step /= 2) {
    ODDTILE_UNROLL
    for (int i = 0; i < words + step; ++i) {
      word[i] = shift & uint32_t(4 * step) ? word[i + step] : word[i];
    }
  }
  Vector<uint32_t, words> result;
  ODDTILE_UNROLL
  for (int i = 0; i < words; ++i) {
    const uint64_t pair = uint64_t(word[i + 1]) << 32 | word[i];
    result.element[i] = uint32_t(pair >> (8u * (shift & 3u)));
  }
  return result;
}

// Reads 16-byte vectors of a tensor that may start anywhere: vector v holds the bytes from
// start + 16 v on. Off the 16-byte grid they come from the two aligned vectors that cover them.
// Each aligned vector read holds at least one byte of the vector asked for.
template <class T>
class CoveringReader {
 public:
  ODDTILE_DEVICE explicit CoveringReader(Global<const T> start)
      : shift_(address_modulo(start, 16)), aligned_(start + -int64_t(shift_ / sizeof(T))) {}

  ODDTILE_DEVICE bool is_aligned() const { return shift_ == 0; }

  ODDTILE_DEVICE Vector<uint32_t, 4> aligned_vector(int64_t index) const {
    return load_as<Vector<uint32_t, 4>>(aligned_, index);
  }

  ODDTILE_DEVICE Vector<uint32_t, 4> vector(int64_t index) const {
    const auto low = aligned_vector(index);
    if (shift_ == 0) return low;
    return funnel(low, aligned_vector(index + 1), shift_);
  }

 private:
  uint32_t shift_;  // bytes, the same for all lanes
  Global<const T> aligned_;
};

// The highest bit of each byte says whether it is not zero; the others say nothing.
ODDTILE_DEVICE uint32_t nonzero_in_high_bits(uint32_t word) {
  return ((word & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | word;
}

// The elements of T of which four bytes say whether they are visible: all bits of those whose byte
// is not zero, in word number `word` of the sizeof(T) that they fill.
template <class T>
ODDTILE_DEVICE uint32_t visible_bits(uint32_t bytes, int word) {
  // Each element takes the highest bit of its byte: two bytes a word, or one.
  const uint32_t selector = sizeof(T) == 4 ? 0x8888u + 0x1111u * word : 0x9988u + 0x2222u * word;
  return select_bytes(nonzero_in_high_bits(bytes), 0, selector);
}

// 0x80 in each byte that is not zero.
ODDTILE_DEVICE uint32_t flag_bytes(uint32_t word) {
  return nonzero_in_high_bits(word) & 0x80808080u;
}

// Bit i says whether byte i is not zero. Products gather the flags: no two of them meet in a bit.
ODDTILE_DEVICE uint32_t nonzero_bytes(uint32_t word) {
  return flag_bytes(word) * 0x00204081u >> 28;
}
ODDTILE_DEVICE uint32_t nonzero_bytes(uint32_t low, uint32_t high) {
  return (flag_bytes(high) | flag_bytes(low) >> 4) * 0x00204081u >> 24;
}

}  // namespace oddtile::ODDTILE_MACHINE
