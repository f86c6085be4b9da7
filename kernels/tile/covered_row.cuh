// One row of a matrix that may start anywhere, read by aligned vectors that cover it and written
// exactly.
//
// The row is laid over a frame of aligned vectors: `lead` elements of the frame come before its
// first column. A vector that sticks out at either end, or holds hidden columns, is read whole, and
// what is not a visible column becomes -inf: nothing outside the row has an influence.
#pragma once

#include "kernels/tile/online_softmax.cuh"
#include "kernels/tile/packed.cuh"

namespace oddtile::ODDTILE_MACHINE {

// -inf in T, repeated through a word.
template <class T>
inline constexpr uint32_t kNegativeInfinityWord = 0xFF800000u;
template <>
inline constexpr uint32_t kNegativeInfinityWord<Half> = 0xFC00FC00u;
template <>
inline constexpr uint32_t kNegativeInfinityWord<Bfloat16> = 0xFF80FF80u;

// Bit i: element i. Index counts vectors and columns; 32 bits where the row is short.
template <class T, int width, class Index>
struct CoveredRow {
  using Vec = Packed<T, width>;
  static constexpr uint32_t kAll = (1u << width) - 1u;

  Global<const T> x;  // these three at the frame's first element
  Global<T> y;
  Global<const uint8_t> mask;  // null: every column is visible
  Index lead;
  Index columns;
  bool y_has_frame;  // y's vectors lie on their own grid too

  ODDTILE_DEVICE Index vectors() const { return (columns + lead + width - 1) / width; }

  // The elements of a vector that are columns.
  ODDTILE_DEVICE uint32_t inside(Index vector) const {
    const Index first = vector * width - lead;
    if (first >= 0 && first + width <= columns) return kAll;
    if (first <= -width || first >= columns) return 0;
    const uint32_t from_first = first < 0 ? kAll << int(-first) : kAll;
    const uint32_t to_last = first + width > columns ? kAll >> int(first + width - columns) : kAll;
    return from_first & to_last;
  }

  // The elements of a vector that are visible columns.
  ODDTILE_DEVICE uint32_t visible(Index vector) const {
    const uint32_t columns_here = inside(vector);
    if (!mask || columns_here == 0) return columns_here;
    const int64_t at = int64_t(vector) * width;
    if constexpr (width == 4 || width == 8) {
      if (columns_here == kAll) return mask_of_whole_vector(mask + at);
    }
    uint32_t result = 0;
    for (int i = 0; i < width; ++i) {
      if ((columns_here >> i & 1u) != 0 && load(mask, at + i) != 0) result |= 1u << i;
    }
    return result;
  }

  ODDTILE_DEVICE Vec read(Index vector) const { return load_as<Vec>(x, vector); }

  static ODDTILE_DEVICE Vec nothing() {
    Vec result;
    ODDTILE_UNROLL
    for (uint32_t& word : result.element) word = kNegativeInfinityWord<T>;
    return result;
  }

  // Puts -inf where `visible` has no bit.
  static ODDTILE_DEVICE void hide(Vec* vector, uint32_t visible) {
    ODDTILE_UNROLL
    for (int i = 0; i < width; ++i) {
      if (visible >> i & 1u) continue;
      uint32_t& word = vector->element[i * int(sizeof(T)) / 4];
      if constexpr (sizeof(T) == 4) {
        word = kNegativeInfinityWord<T>;
      } else {
        const uint32_t half = 0xFFFFu << (16 * (i % 2));
        word = (word & ~half) | (kNegativeInfinityWord<T> & half);
      }
    }
  }

  ODDTILE_DEVICE void write(Index vector, const float (&values)[width]) const {
    const uint32_t columns_here = inside(vector);
    if (columns_here == 0) return;
    const Vec packed = pack_all<T>(values);
    if (columns_here == kAll && y_has_frame) return store_as(y, vector, packed);
    const int64_t at = int64_t(vector) * width;
    ODDTILE_UNROLL
    for (int i = 0; i < width; ++i) {
      if (columns_here >> i & 1u) store(y, at + i, unpack<T>(packed, i));
    }
  }

 private:
  // `width` mask bytes at any address, as bits: two aligned reads cover them.
  static ODDTILE_DEVICE uint32_t mask_of_whole_vector(Global<const uint8_t> bytes) {
    const uint32_t shift = address_modulo(bytes, width);
    const Global<const uint8_t> aligned = bytes + -int64_t(shift);
    if constexpr (width == 4) {
      uint64_t pair = load_as<uint32_t>(aligned, 0);
      if (shift != 0) pair |= uint64_t(load_as<uint32_t>(aligned, 1)) << 32;
      return nonzero_bytes(uint32_t(pair >> (8 * shift)));
    } else {
      uint64_t word = load_as<uint64_t>(aligned, 0) >> (8 * shift);
      if (shift != 0) word |= load_as<uint64_t>(aligned, 1) << (64 - 8 * shift);
      return nonzero_bytes(uint32_t(word)) | nonzero_bytes(uint32_t(word >> 32)) << 4;
    }
  }
};

// Sums an array by a tree.
template <int count>
ODDTILE_DEVICE float tree_sum(float (&values)[count]) {
  ODDTILE_UNROLL
  for (int half = count / 2; half > 0; half /= 2) {
    ODDTILE_UNROLL
    for (int i = 0; i < half; ++i) values[i] += values[i + half];
  }
  return values[0];
}

}  // namespace oddtile::ODDTILE_MACHINE
