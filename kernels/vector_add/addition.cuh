// What the kernels are told of an addition, and the sum of two vectors of its elements.
#pragma once

#include <bit>

#include "kernels/tile/packed.cuh"

namespace oddtile::ODDTILE_MACHINE {

// All pointers at the same vector of out's grid, with a mask line of 128 bytes; elements [begin,
// end) exist.
template <class T>
struct Addition {
  Global<const T> x;
  Global<const T> y;
  Global<T> out;
  int64_t whole;  // vectors from there on; what is above is all that a short problem reads
  Global<const uint8_t> mask;
  int64_t begin;
  int64_t end;
  bool asks;  // with a mask: for what the sectors that it cuts hold, before they are written
};

template <class T>
inline constexpr int kWidth = 16 / int(sizeof(T));  // elements of a vector

template <class T>
ODDTILE_DEVICE T add(T a, T b) {
  return from_float<T>(to_float(a) + to_float(b));
}

template <class T>
ODDTILE_DEVICE uint32_t add_words(uint32_t a, uint32_t b) {
  if constexpr (sizeof(T) == 2) return sum_of_pairs<T>(a, b);
  return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
}

template <class T>
ODDTILE_DEVICE Vector<uint32_t, 4> add_vectors(const Vector<uint32_t, 4>& x,
                                               const Vector<uint32_t, 4>& y) {
  Vector<uint32_t, 4> sum;
  ODDTILE_UNROLL
  for (int i = 0; i < 4; ++i) sum.element[i] = add_words<T>(x.element[i], y.element[i]);
  return sum;
}

}  // namespace oddtile::ODDTILE_MACHINE
