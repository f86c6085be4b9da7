// A run of memory of any alignment brought to shared memory by the block, and rows of it taken back
// out.
//
// In shared memory it lies as it does in global memory modulo 16 bytes, so that it moves by aligned
// vectors. Vectors that stick out at its ends are read whole; nothing outside the rows is written.
#pragma once

#include <cstddef>

#include "kernels/tile/packed.cuh"

namespace oddtile::ODDTILE_MACHINE {

// Shared bytes that a run of `bytes` bytes may take, a multiple of 16.
constexpr int32_t staged_bytes(int32_t bytes) {
  return (bytes + 15 + 15) / 16 * 16;
}

// Threads of the block, and vectors of 16 bytes that each of them moves at most.
inline constexpr int kStagingThreads = 128;
inline constexpr int kStagingRounds = 9;

// A run of `count` elements (at least one) over the vectors of its memory: vector v holds the
// elements from v * width - lead on.
template <class T>
struct VectorRun {
  static constexpr int kWidth = 16 / int(sizeof(T));
  using Vec = Packed<T, kWidth>;

  Global<T> grid;
  int32_t lead;  // elements of vector 0 before the run
  int32_t count;

  ODDTILE_DEVICE VectorRun(Global<T> first, int32_t elements)
      : lead(int32_t(address_modulo(first, 16) / sizeof(T))), count(elements) {
    grid = first + -int64_t(lead);
  }
  // This lane's vector number `round`, and how many come between it and the lane's first.
  static ODDTILE_DEVICE int32_t own(int round) { return thread() + own_step(round); }
  static ODDTILE_DEVICE int32_t own_step(int round) { return round * kStagingThreads; }
  ODDTILE_DEVICE Global<T> own_vectors() const { return grid + int64_t(thread()) * kWidth; }
  ODDTILE_DEVICE int32_t vectors() const { return (lead + count + kWidth - 1) / kWidth; }
  // Those that lie wholly inside: [inner_begin(), inner_end()), of which a short run has none.
  ODDTILE_DEVICE int32_t inner_begin() const { return lead == 0 ? 0 : 1; }
  ODDTILE_DEVICE int32_t inner_end() const { return (lead + count) / kWidth; }
  ODDTILE_DEVICE bool is_inner(int32_t v) const { return v >= inner_begin() && v < inner_end(); }
  // Calls body with the rounds of this lane's inner vectors.
  template <class Body>
  ODDTILE_DEVICE void for_inner(const Body& body) const {
    ODDTILE_UNROLL
    for (int i = 0; i < kStagingRounds; ++i) {
      if (own(i) >= inner_end()) break;
      if (i > 0 || own(i) >= inner_begin()) body(i);
    }
  }
  // Where it lies in shared memory, if its vectors lie from `memory` on.
  template <class Element>
  ODDTILE_DEVICE Element* place_in(std::byte* memory) const {
    return reinterpret_cast<Element*>(memory) + lead;
  }
  // Calls body with the vectors that stick out, on the lanes that own them.
  template <class Body>
  ODDTILE_DEVICE void at_ends(const Body& body) const {
    const int32_t last = vectors() - 1;
    if (thread() == 0 && !is_inner(0)) body(0);
    if (last > 0 && thread() == last % kStagingThreads && !is_inner(last)) body(last);
  }
  // A vector read whole, although only elements of the run have an influence.
  ODDTILE_DEVICE Vec read(int32_t v) const {
    return load_covering<Vec>(grid, v, elements_inside<kWidth>(v * kWidth - lead, count));
  }
};

// The vectors of a run that one lane brings to shared memory, where vector 0 lies at `to`.
template <class T>
class StagedVectors {
 public:
  using Vec = typename VectorRun<const T>::Vec;

  ODDTILE_DEVICE StagedVectors(std::byte* to, const VectorRun<const T>& run)
      : to_(to), from_(run.own_vectors()), run_(run) {}

  ODDTILE_DEVICE void start() const {
    run_.for_inner([&](int round) { copy_async_16(place(round), from(round), 16); });
  }
  // Zeros in place of those that are not wanted; nothing else of a wanted one's line is brought.
  template <class Wanted>
  ODDTILE_DEVICE void start_some(const Wanted& wanted) const {
    constexpr bool kAlone = true;
    run_.for_inner([&](int round) {
      copy_async_16<kAlone>(place(round), from(round), wanted(round) ? 16 : 0);
    });
  }
  // Brings what sticks out, and waits for all that was started.
  ODDTILE_DEVICE void finish() const {
    run_.at_ends([&](int32_t v) { *reinterpret_cast<Vec*>(to_ + 16 * v) = run_.read(v); });
    commit_copies();
    wait_copies<0>();
  }
  ODDTILE_DEVICE Vec* place(int round) const {
    return reinterpret_cast<Vec*>(to_ + 16 * thread() + 16 * run_.own_step(round));
  }

 private:
  ODDTILE_DEVICE Global<const T> from(int round) const {
    return from_ + run_.own_step(round) * VectorRun<T>::kWidth;
  }

  std::byte* to_;
  Global<const T> from_;
  VectorRun<const T> run_;
};

// Brings a run to `to`, 16-byte aligned; synchronise before reading.
template <class T>
ODDTILE_DEVICE void stage_in(std::byte* to, const VectorRun<const T>& run) {
  const StagedVectors<T> mine(to, run);
  mine.start();
  mine.finish();
}

// Rows of a run, `stride` elements from one to the next.
struct StagedRows {
  int32_t rows;
  int32_t columns;
  int32_t stride;
  uint32_t inverse;  // 2^32 / stride rounded up; 0 for one row
};

// Stores the vectors that a gap between rows cuts, or an end of the run, an element a lane, so that
// the lanes of a vector write to its sector at once. Gaps are shorter than a vector, rows at least
// two. `grid` is where vector 0 of `run` lies in shared memory.
template <class T>
ODDTILE_DEVICE void store_cut_vectors(const VectorRun<T>& run, const T* grid,
                                      const StagedRows& staged) {
  constexpr int32_t kWidth = VectorRun<T>::kWidth;
  constexpr int32_t kTogether = kStagingThreads / kWidth;  // gaps
  // One gap is before the first row and one behind the last. This lane's gaps lie whole vectors
  // apart: where it has an element in one of them, it has one in all, but for the run's ends.
  const int32_t step = kTogether * staged.stride;
  const int32_t row_begin = run.lead + thread() / kWidth * staged.stride;
  const int32_t row_end = row_begin - (staged.stride - staged.columns);
  const auto store_all = [&](int32_t vector) {
    int32_t i = vector + thread() % kWidth;
    if (i >= row_end && i < row_begin) return;
    if (i < run.lead) i += step;
    ODDTILE_NO_UNROLL
    for (; i < run.lead + run.count; i += step) store(run.grid, i, grid[i]);
  };
  const int32_t first = row_end & ~(kWidth - 1);
  const int32_t last = (row_begin - 1) & ~(kWidth - 1);
  if (first <= last) store_all(first);
  if (first < last) store_all(last);
}

// Stores the rows that lie at `first`, as `to` does modulo 16 bytes, to `to`; what lies between
// them stays as it is. Synchronise before.
template <class T>
ODDTILE_DEVICE void stage_out(Global<T> to, const T* first, const StagedRows& staged) {
  constexpr int kWidth = VectorRun<T>::kWidth;
  using Vec = typename VectorRun<T>::Vec;
  const VectorRun<T> run(to, (staged.rows - 1) * staged.stride + staged.columns);
  if (staged.columns < 2 * kWidth) {  // a vector may have parts of several rows
    for (int32_t i = thread(); i < run.count; i += threads()) {
      if (i % staged.stride < staged.columns) store(to, i, first[i]);
    }
    return;
  }
  const T* const grid = first - run.lead;
  const T* const mine = grid + thread() * kWidth;
  const Global<T> place = run.own_vectors();
  run.for_inner([&](int round) {
    const int32_t at = run.own(round) * kWidth - run.lead;
    const auto row = int32_t(uint64_t(uint32_t(at)) * staged.inverse >> 32);
    if (at - row * staged.stride + kWidth > staged.columns) return;
    const int32_t step = run.own_step(round);
    store_as<Vec>(place, step, *reinterpret_cast<const Vec*>(mine + step * kWidth));
  });
  store_cut_vectors(run, grid, staged);
}

}  // namespace oddtile::ODDTILE_MACHINE
