// The addition without a mask: every byte moved once, by lanes that own one vector of `out` each.
//
// There is no loop, which is what the memory likes best (README.md has the measurements). The
// elements before the first whole vector of out's 16-byte grid and behind the last have a lane
// each; x and y are read at whatever alignment they happen to have (two covering vectors and a
// funnel shift).
#pragma once

#include "kernels/vector_add/addition.cuh"

namespace oddtile::ODDTILE_MACHINE {

// How the tensors lie, as far as code differs. Whole: x and y as out does against 16 bytes, whole
// vectors only: no instruction stands between a short problem and its end that it does not need.
enum class AdditionKind { whole, aligned, shifted };

// The threads of a block of very long vectors, by which it is known that they are added from their
// end: what ran before, mostly forwards, has left the ends of its tensors in the L2.
inline constexpr int kThreadsBackwards = 1024;

// The pointers are at out's first whole vector: a lane each for the `whole` vectors, then for the
// elements before and behind them. Where `block_threads` is not 0 a block has so many: a short
// problem would wait for the constant that says how many.
template <class T, AdditionKind kind, int block_threads>
ODDTILE_KERNEL(1024, 1)
add_everywhere(Addition<T> p) {
  // Unsigned: the sign of what has none takes instructions.
  const uint32_t of_block = block_threads > 0 ? uint32_t(block_threads) : uint32_t(threads());
  const int64_t place = block_threads == kThreadsBackwards ? blocks() - 1 - block() : block();
  const int64_t vector = place * of_block + uint32_t(thread());
  if (vector >= p.whole) {
    if (kind == AdditionKind::whole) return;
    const int64_t edge = vector - p.whole + p.begin;
    const int64_t at = edge < 0 ? edge : p.whole * kWidth<T> + edge;
    if (at < p.end) store(p.out, at, add(load(p.x, at), load(p.y, at)));
    return;
  }
  if constexpr (kind == AdditionKind::shifted) {
    const CoveringReader<T> x(p.x), y(p.y);
    store_as(p.out, vector, add_vectors<T>(x.vector(vector), y.vector(vector)));
  } else {
    const auto x = load_as<Vector<uint32_t, 4>>(p.x, vector);
    const auto y = load_as<Vector<uint32_t, 4>>(p.y, vector);
    store_as(p.out, vector, add_vectors<T>(x, y));
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
