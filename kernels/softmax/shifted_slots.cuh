// Vectors that were read as x has them, moved to where y's begin, by all lanes of a warp.
//
// x is read by its own 32-byte sectors. A lane's vector of y's grid begins in its own vector of x's
// grid or in that of the next lane, and ends in the one behind: the warp needs two more than it has
// lanes.
#pragma once

#include <utility>

#include "kernels/tile/packed.cuh"

namespace oddtile::ODDTILE_MACHINE {

inline constexpr int32_t kVectorsBehind = 2;

// The vector that starts `words` words and `bits` bits, 0 or 16, into the first of two.
template <class T, int words>
ODDTILE_DEVICE Vector<uint32_t, 4> window(const Vector<uint32_t, 4>* from, uint32_t bits) {
  const Vector<uint32_t, 4> low = from[0], high = from[1];
  const auto word = [&](int i) { return i < 4 ? low.element[i] : high.element[i - 4]; };
  Vector<uint32_t, 4> result;
  ODDTILE_UNROLL
  for (int i = 0; i < 4; ++i) {
    const uint64_t pair = uint64_t(word(words + i + 1)) << 32 | word(words + i);
    result.element[i] = sizeof(T) == 4 ? word(words + i) : uint32_t(pair >> bits);
  }
  return result;
}

// Calls body(words): the words beyond whole vectors of `shift` bytes, as a constant. Chosen where
// the vectors are used, they would meet in the same registers: four moves a vector.
template <class Body>
ODDTILE_DEVICE void with_words_of(uint32_t shift, const Body& body) {
  const uint32_t words = shift / 4 % 4;
  if (words == 0) return body(std::integral_constant<int, 0>{});
  if (words == 1) return body(std::integral_constant<int, 1>{});
  if (words == 2) return body(std::integral_constant<int, 2>{});
  body(std::integral_constant<int, 3>{});
}

// Gives this lane's vectors of some slots, `stride` vectors apart, and puts them where they belong:
// `shift` bytes, below 32, before. What the warp's lanes have copied there has arrived.
template <class T, int words, int count>
ODDTILE_DEVICE void shift_slots(Vector<uint32_t, 4>* own, int32_t stride, uint32_t shift,
                                Vector<uint32_t, 4> (&result)[count]) {
  ODDTILE_UNROLL
  for (int i = 0; i < count; ++i) {
    result[i] = window<T, words>(own + i * stride + shift / 16, 8 * (shift % 4));
  }
  sync_warp();  // the lanes before have read
  ODDTILE_UNROLL
  for (int i = 0; i < count; ++i) own[i * stride] = result[i];
}

// The same of vectors in registers, by way of places for those of a warp: each time as much further
// as vectors lie behind them, which are there.
template <class T, int words, int count>
ODDTILE_DEVICE void shift_held(Vector<uint32_t, 4>* places, uint32_t shift,
                               Vector<uint32_t, 4> (&own)[count]) {
  places += lane();
  ODDTILE_UNROLL
  for (int v = 0; v < count; ++v, places += kVectorsBehind) {
    sync_warp();
    places[0] = own[v];
    sync_warp();
    own[v] = window<T, words>(places + shift / 16, 8 * (shift % 4));
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
