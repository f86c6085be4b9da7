// A run of memory of any alignment brought to shared memory by the block, and taken back out.
//
// In shared memory it lies as it does in global memory modulo 16 bytes, so that its inner part
// moves by aligned vectors; the elements before and after them move one by one. Nothing outside
// the run is read or written.
#pragma once

#include "kernels/tile/packed.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Shared bytes that a run of `bytes` bytes may take, a multiple of 16.
constexpr int32_t staged_bytes(int32_t bytes) {
  return (bytes + 15 + 15) / 16 * 16;
}

// Where the first element of a run lies in `memory`, 16-byte aligned, if it lies there as it does
// in global memory modulo 16 bytes.
template <class T>
ODDTILE_DEVICE T* staged_place(std::byte* memory, Global<T> run) {
  return reinterpret_cast<T*>(memory + address_modulo(run, 16));
}

// Starts the copies of `count` elements (at least one) to `to`, 16-byte aligned, and returns where
// the first will be. Commit, wait and synchronise before reading. What shares a vector with the run
// there becomes 0.
template <class T>
ODDTILE_DEVICE T* stage_in(std::byte* to, Global<const T> from, int32_t count) {
  constexpr int32_t kWidth = 16 / int32_t(sizeof(T));
  const auto lead = int32_t(address_modulo(from, 16) / sizeof(T));
  T* const first = reinterpret_cast<T*>(to) + lead;
  const int32_t before = lead == 0 ? 0 : kWidth - lead;
  const int32_t head = before < count ? before : count;
  const int32_t vectors = (count - head) / kWidth;
  for (int32_t v = thread(); v < vectors; v += threads()) {
    const int32_t at = head + v * kWidth;
    copy_async_16(first + at, from + at, 16);
  }
  // The vectors of the two ends, element by element.
  const int32_t tail = head + vectors * kWidth;
  if (thread() < kWidth) {
    const auto place = [&](int32_t at) {
      first[at] = at >= 0 && at < count ? load(from, at) : T{};
    };
    if (lead != 0) place(thread() - lead);
    if (tail < count) place(tail + thread());
  }
  return first;
}

// Stores `count` elements from `first`, where stage_in put them, to `to`. Synchronise before.
template <class T>
ODDTILE_DEVICE void stage_out(Global<T> to, const T* first, int32_t count) {
  constexpr int32_t kWidth = 16 / int32_t(sizeof(T));
  using Vec = Packed<T, kWidth>;
  const auto lead = int32_t(address_modulo(to, 16) / sizeof(T));
  const Global<T> grid = to + -int64_t(lead);
  const auto shift = shared_address(first - lead) & 15u;  // of the grid's vectors there
  for (int32_t v = thread(); v * kWidth < lead + count; v += threads()) {
    const int32_t at = v * kWidth - lead;
    if (at >= 0 && at + kWidth <= count) {
      const auto* low =
          reinterpret_cast<const Vec*>(reinterpret_cast<const std::byte*>(first + at) - shift);
      store_as(grid, v, shift == 0 ? low[0] : funnel(low[0], low[1], shift));
      continue;
    }
    for (int32_t i = at < 0 ? 0 : at; i < at + kWidth && i < count; ++i) store(to, i, first[i]);
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
