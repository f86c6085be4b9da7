// The addition under a mask: what is hidden is neither read nor written, so far as memory has
// sectors that small.
//
// A warp owns one or two spans of 1024 elements, and each lane first reads its mask bytes of all
// of them, 16 at a time. A warp that sees nothing is done after that. A chunk (1 KiB of out) of
// which every vector is seen wholly or not at all goes by vectors. Any other goes by words, lane
// beside lane, so that a sector of out is written at once, however much of it is seen. A hidden
// element is never written, not even with the bits that it has: somebody else may be writing it.
#pragma once

#include "kernels/vector_add/sectors.cuh"

namespace oddtile::ODDTILE_MACHINE {

template <class T>
ODDTILE_DEVICE bool exist(const Addition<T>& p, int64_t first, int64_t count) {
  return first >= p.begin && first + count <= p.end;
}

// Bit i: whether element first + i is visible. One by one; elements that do not exist are not.
template <class T>
ODDTILE_DEVICE uint32_t visible_at_edge(const Addition<T>& p, int64_t first) {
  uint32_t visible = 0;
  ODDTILE_UNROLL
  for (int i = 0; i < kMasks; ++i) {
    if (exist(p, first + i, 1) && load(p.mask, first + i) != 0) visible |= 1u << i;
  }
  return visible;
}

// Of the 512 elements of each row from `first` on, this lane's 16, a bit each; row r from bit 16 r
// on. False, after the cheapest test, where the warp sees nothing. All loads are under way before
// the first is needed.
template <class T, int rows>
ODDTILE_DEVICE bool read_visibility(const Addition<T>& p, int64_t first, uint64_t* visible) {
  const int64_t first_vector = first / kMasks + lane();
  *visible = 0;
  if (!exist(p, first, rows * kRow)) {
    ODDTILE_NO_UNROLL
    for (int r = 0; r < rows; ++r) {
      *visible |= uint64_t(visible_at_edge(p, (first_vector + 32 * r) * kMasks)) << (16 * r);
    }
    return vote_any(*visible != 0);
  }
  const CoveringReader<uint8_t> mask(p.mask);
  Vector<uint32_t, 4> bytes[rows];
  if (mask.is_aligned()) {
    ODDTILE_UNROLL
    for (int r = 0; r < rows; ++r) bytes[r] = mask.aligned_vector(first_vector + 32 * r);
  } else {
    ODDTILE_UNROLL
    for (int r = 0; r < rows; ++r) bytes[r] = mask.vector(first_vector + 32 * r);
  }
  uint32_t any = 0;
  ODDTILE_UNROLL
  for (int r = 0; r < rows; ++r) {
    ODDTILE_UNROLL
    for (uint32_t word : bytes[r].element) any |= word;
  }
  if (!vote_any(any != 0)) return false;
  ODDTILE_UNROLL
  for (int r = 0; r < rows; ++r) {
    ODDTILE_UNROLL
    for (int i = 0; i < 4; ++i) {
      *visible |= uint64_t(nonzero_bytes(bytes[r].element[i])) << (16 * r + 4 * i);
    }
  }
  return true;
}

// A chunk whose vectors are visible wholly or not at all, by vectors 32 apart.
template <class T>
ODDTILE_DEVICE void add_by_vectors(const Addition<T>& p, const WarpChunk<T>& chunk) {
  constexpr int kVectors = kWords / 4;
  const int64_t first = chunk.first / kWidth<T> + lane();
  bool visible[kVectors];
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    visible[v] = (chunk.bits((32 * v + lane()) * kWidth<T>) & 1u) != 0;
  }
  const CoveringReader<T> x(p.x), y(p.y);
  Vector<uint32_t, 4> a[kVectors] = {}, b[kVectors] = {};
  if (x.is_aligned() && y.is_aligned()) {
    ODDTILE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (visible[v]) a[v] = x.aligned_vector(first + 32 * v);
      if (visible[v]) b[v] = y.aligned_vector(first + 32 * v);
    }
  } else {
    ODDTILE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (visible[v]) a[v] = x.vector(first + 32 * v);
      if (visible[v]) b[v] = y.vector(first + 32 * v);
    }
  }
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    if (visible[v]) store_as(p.out, first + 32 * v, add_vectors<T>(a[v], b[v]));
  }
}

// Which elements of this lane's words of a chunk, 32 apart, are visible.
template <class T>
ODDTILE_DEVICE uint32_t visible_in_words(const WarpChunk<T>& chunk) {
  constexpr int kOfWord = 4 / int(sizeof(T));  // elements
  uint32_t visible = 0;
  ODDTILE_UNROLL
  for (int i = 0; i < kWords; ++i) {
    const uint32_t bits = chunk.bits((32 * i + lane()) * kOfWord);
    visible |= (bits & ((1u << kOfWord) - 1u)) << (i * kOfWord);
  }
  return visible;
}

// Two elements that do not lie in one word of their tensor.
template <class T>
ODDTILE_DEVICE uint32_t load_pair(Global<const T> base, int64_t pair, uint32_t visible) {
  uint32_t word = 0;
  if (visible & 1u) word = load(base, 2 * pair).bits;
  if (visible & 2u) word |= uint32_t(load(base, 2 * pair + 1).bits) << 16;
  return word;
}

// Stores sums of words 32 apart; of a word's halves only the visible one.
template <class T>
ODDTILE_DEVICE void store_words(const Addition<T>& p, int64_t first, uint32_t visible,
                                const uint32_t (&sums)[kWords]) {
  constexpr int kOfWord = 4 / int(sizeof(T));
  constexpr uint32_t kAll = (1u << kOfWord) - 1u;
  ODDTILE_UNROLL
  for (int i = 0; i < kWords; ++i) {
    const uint32_t elements = visible >> (i * kOfWord) & kAll;
    const uint32_t sum = sums[i];
    if (elements == kAll) store_as(p.out, first + 32 * i, sum);
    if constexpr (sizeof(T) == 2) {
      const uint32_t high = elements >> 1;  // of the one that is visible
      if (elements == 1u || elements == 2u) {
        store(p.out, 2 * (first + 32 * i) + high, T{uint16_t(sum >> (16 * high))});
      }
    }
  }
}

// The same by elements of 16 bits, lane beside lane: no sector is written twice.
template <class T>
ODDTILE_DEVICE void store_halves(const Addition<T>& p, int64_t first, uint32_t visible,
                                 const uint32_t (&sums)[kWords]) {
  sync_warp();  // in place: a lane writes where another one has read
  ODDTILE_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int32_t source = 16 * half + lane() / 2;  // has element 32 * half + lane() of 64
    const uint32_t seen = shuffle(visible, source) >> (lane() % 2);
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const uint32_t sum = shuffle(sums[i], source) >> (16 * (lane() % 2));
      if ((seen >> (2 * i) & 1u) != 0) {
        store(p.out, first + lane() + 64 * i + 32 * half, T{uint16_t(sum)});
      }
    }
  }
}

// Any chunk. A word is loaded if one of its elements is visible. `in_words`: the words of out are
// words of x and y, too.
template <class T, bool in_words>
ODDTILE_DEVICE void add_by_words(const Addition<T>& p, const WarpChunk<T>& chunk) {
  constexpr int kOfWord = 4 / int(sizeof(T));
  constexpr uint32_t kAll = (1u << kOfWord) - 1u;
  const int64_t first = chunk.first / kOfWord + lane();
  // Opaque, or the compiler keeps a predicate for each word; there are seven.
  uint32_t visible = opaque(visible_in_words(chunk));
  uint32_t x[kWords] = {}, y[kWords] = {};
  if constexpr (in_words) {
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const uint32_t elements = visible >> (i * kOfWord) & kAll;
      if (elements != 0) {
        x[i] = load_covering<uint32_t>(p.x, first + 32 * i, elements);
        y[i] = load_covering<uint32_t>(p.y, first + 32 * i, elements);
      }
    }
  } else {
    ODDTILE_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const uint32_t elements = visible >> (i * kOfWord) & kAll;
      x[i] = load_pair(p.x, first + 32 * i, elements);
      y[i] = load_pair(p.y, first + 32 * i, elements);
    }
  }
  const bool asked = ask_for_cut_sectors(p, chunk);  // behind the loads, which take longer
  visible = opaque(visible);
  ODDTILE_UNROLL
  for (int i = 0; i < kWords; ++i) x[i] = add_words<T>(x[i], y[i]);
  if constexpr (sizeof(T) == 2) {
    if (asked) return store_halves(p, chunk.first, visible, x);
  }
  store_words(p, first, visible, x);
}

// Whether of each vector all elements are visible or none.
template <class T>
ODDTILE_DEVICE bool is_by_vectors(uint32_t visible) {
  constexpr uint32_t kHasNext = kWidth<T> == 8 ? 0x7F7Fu : 0x7777u;  // in its vector
  return ((visible ^ visible >> 1) & kHasNext) == 0;
}

template <class T, int spans, bool in_words>
ODDTILE_KERNEL(1024, 1)
add_where_visible(Addition<T> p) {
  constexpr int kElements = spans * kSpan;
  const int64_t first = (block() * (threads() / 32) + warp()) * kElements;
  uint64_t visible;
  if (!read_visibility<T, kElements / kRow>(p, first, &visible)) return;
  ODDTILE_NO_UNROLL
  for (int c = 0; c < kElements / kChunk<T>; ++c) {
    WarpChunk<T> chunk = {.first = first + c * kChunk<T>, .place = c % kChunks<T>};
    const bool is_mine = lane() / (32 / kChunks<T>) == chunk.place;
    chunk.visible = is_mine ? uint32_t(visible >> (c / kChunks<T> * 16)) & 0xFFFFu : 0u;
    if (!vote_any(chunk.visible != 0)) continue;
    if (vote_all(is_by_vectors<T>(chunk.visible))) {
      add_by_vectors(p, chunk);
    } else {
      add_by_words<T, in_words>(p, chunk);
    }
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
