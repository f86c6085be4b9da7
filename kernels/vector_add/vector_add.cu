// Masked vector add: out[i] = x[i] + y[i] where the mask allows, one rounding, every byte moved
// once.
//
// The 16-byte grid of `out` rules: a lane owns whole vectors of out, and reads x, y and the mask at
// whatever alignment they happen to have (two covering vectors and a funnel shift). Without a mask
// a lane owns one vector and there is no loop, which is what the memory likes best (README.md has
// the measurements); the elements before the first whole vector and behind the last have a lane
// each.
//
// With a mask a warp owns one or a few spans of 1024 elements, and each lane first reads its mask
// bytes of all of them, 16 at a time. A warp that sees nothing is done after that. A chunk (1 KiB
// of out) of which every vector is seen wholly or not at all goes by vectors. Any other goes by
// words, lane beside lane, so that a sector of out is written at once, however much of it is seen.
// A hidden element is never written, not even with the bits that it has: somebody else may be
// writing it.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "kernels/tile/packed.cuh"
#include "kernels/vector_add/parameters.h"
#include "kernels/vector_add/vector_add.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

// All pointers at the same vector of out's grid; elements [begin, end) exist.
template <class T>
struct Addition {
  Global<const T> x;
  Global<const T> y;
  Global<T> out;
  int64_t whole;  // vectors from there on; what is above is all that a short problem reads
  Global<const uint8_t> mask;
  int64_t begin;
  int64_t end;
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

// How the tensors lie, as far as code differs. Whole: x and y as out does against 16 bytes, whole
// vectors only: no instruction stands between a short problem and its end that it does not need.
enum class AdditionKind { whole, aligned, shifted };

// The pointers are at out's first whole vector: a lane each for the `whole` vectors, then for the
// elements before and behind them. Where `block_threads` is not 0 a block has so many: a short
// problem would wait for the constant that says how many.
template <class T, AdditionKind kind, int block_threads>
ODDTILE_KERNEL(1024, 1)
add_everywhere(Addition<T> p) {
  // Unsigned: the sign of what has none takes instructions.
  const uint32_t of_block = block_threads > 0 ? uint32_t(block_threads) : uint32_t(threads());
  const int64_t vector = block() * of_block + uint32_t(thread());
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

inline constexpr int kSpan = 1024;        // elements of a warp
inline constexpr int kMasks = 16;         // mask bytes that a lane reads at once
inline constexpr int kRow = 32 * kMasks;  // the elements of which a warp reads the mask at once
inline constexpr int kWords = 8;          // of a lane of each tensor that are under way at once

// What a warp adds at a time; one or two of them are a row.
template <class T>
inline constexpr int kChunk = 32 * kWords * 4 / int(sizeof(T));  // elements
template <class T>
inline constexpr int kChunks = kRow / kChunk<T>;  // of a row

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

// A chunk of a warp. `place`: its number in its row; `visible`: the bits of it that this lane has
// read, 0 where it has read those of another chunk.
template <class T>
struct WarpChunk {
  int64_t first;
  int32_t place;
  uint32_t visible;

  // The bits of element number `element` of the chunk and of some behind it, from the lane that has
  // read them.
  ODDTILE_DEVICE uint32_t bits(int32_t element) const {
    return shuffle(visible, (place * kChunk<T> + element) / kMasks) >> (element % kMasks);
  }
};

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
  if constexpr (sizeof(T) == 2) {
    if (visible & 1u) word = load(base, 2 * pair).bits;
    if (visible & 2u) word |= uint32_t(load(base, 2 * pair + 1).bits) << 16;
  }
  return word;
}

// Any chunk. A word is loaded if one of its elements is visible; of its halves only the visible one
// is stored.
template <class T>
ODDTILE_DEVICE void add_by_words(const Addition<T>& p, const WarpChunk<T>& chunk) {
  constexpr int kOfWord = 4 / int(sizeof(T));
  constexpr uint32_t kAll = (1u << kOfWord) - 1u;
  const int64_t first = chunk.first / kOfWord + lane();
  // Opaque, or the compiler keeps a predicate for each word; there are seven.
  uint32_t visible = opaque(visible_in_words(chunk));
  uint32_t x[kWords] = {}, y[kWords] = {};
  if (address_modulo(p.x, 4) == 0 && address_modulo(p.y, 4) == 0) {
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
  visible = opaque(visible);
  ODDTILE_UNROLL
  for (int i = 0; i < kWords; ++i) {
    const uint32_t elements = visible >> (i * kOfWord) & kAll;
    const uint32_t sum = add_words<T>(x[i], y[i]);
    if (elements == kAll) store_as(p.out, first + 32 * i, sum);
    if constexpr (sizeof(T) == 2) {
      const uint32_t high = elements >> 1;  // of the one that is visible
      if (elements == 1u || elements == 2u) {
        store(p.out, 2 * (first + 32 * i) + high, T{uint16_t(sum >> (16 * high))});
      }
    }
  }
}

// Whether of each vector all elements are visible or none.
template <class T>
ODDTILE_DEVICE bool is_by_vectors(uint32_t visible) {
  constexpr uint32_t kHasNext = kWidth<T> == 8 ? 0x7F7Fu : 0x7777u;  // in its vector
  return ((visible ^ visible >> 1) & kHasNext) == 0;
}

template <class T, int spans>
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
      add_by_words(p, chunk);
    }
  }
}

template <class T>
using Kernel = void (*)(Addition<T>);

// Where there is no mask.
template <class T>
AdditionKind addition_kind(const oddtile_vector_add_problem& problem) {
  const auto out = reinterpret_cast<uintptr_t>(problem.out);
  const auto is_as_out = [&](const void* data) {
    return (reinterpret_cast<uintptr_t>(data) - out) % 16 == 0;
  };
  if (!is_as_out(problem.x) || !is_as_out(problem.y)) return AdditionKind::shifted;
  return out % 16 == 0 && problem.n % kWidth<T> == 0 ? AdditionKind::whole : AdditionKind::aligned;
}

template <class T, AdditionKind kind>
Kernel<T> kernel_of_kind(int32_t threads) {
  switch (threads) {
    case 128:
      return add_everywhere<T, kind, 128>;
    case 256:
      return add_everywhere<T, kind, 256>;
    case 1024:
      return add_everywhere<T, kind, 1024>;
    default:
      return add_everywhere<T, kind, 0>;
  }
}

template <class T>
Kernel<T> kernel_for(const oddtile_vector_add_problem& problem, const VectorAddConfiguration& it) {
  if (problem.mask != nullptr) {
    return it.spans == 1 ? add_where_visible<T, 1> : add_where_visible<T, 2>;
  }
  switch (addition_kind<T>(problem)) {
    case AdditionKind::whole:
      return kernel_of_kind<T, AdditionKind::whole>(it.threads);
    case AdditionKind::aligned:
      return kernel_of_kind<T, AdditionKind::aligned>(it.threads);
    default:
      return kernel_of_kind<T, AdditionKind::shifted>(it.threads);
  }
}

template <class T>
oddtile_status launch_addition(const oddtile_vector_add_problem& problem,
                               const VectorAddConfiguration& it, void* stream) {
  const bool masked = problem.mask != nullptr;
  const auto address = reinterpret_cast<uintptr_t>(problem.out);
  const int64_t lead = int64_t(address % 16 / sizeof(T));
  // Elements between out[0] and the vector at which the pointers are.
  const int64_t ahead = masked || lead == 0 ? -lead : kWidth<T> - lead;
  const Addition<T> p = {.x = Global<const T>(static_cast<const T*>(problem.x)) + ahead,
                         .y = Global<const T>(static_cast<const T*>(problem.y)) + ahead,
                         .out = Global<T>(static_cast<T*>(problem.out)) + ahead,
                         .whole = std::max<int64_t>(problem.n - ahead, 0) / kWidth<T>,
                         .mask = Global<const uint8_t>(problem.mask) + (masked ? ahead : 0),
                         .begin = -ahead,
                         .end = problem.n - ahead};
  const int64_t edges = problem.n - p.whole * kWidth<T>;
  const int64_t lanes = masked ? ceil_div(p.end, int64_t(it.spans * kSpan / 32)) : p.whole + edges;
  const LaunchShape shape = {.blocks = ceil_div(lanes, int64_t(it.threads)), .threads = it.threads};
  return launch(kernel_for<T>(problem, it), it.name, shape, stream, p) ? oddtile_ok
                                                                       : oddtile_launch_failed;
}

// The grid of 2^31 - 1 blocks ends the range of a configuration.
bool admits(const oddtile_vector_add_problem& problem, int32_t id) {
  if (id < 0 || id >= kVectorAddCount) return false;
  return problem.n / (int64_t(kVectorAddConfigurations[id].threads) * 4) < 0x7FFFFFFE;
}

}  // namespace

int32_t vector_add_configurations(const oddtile_vector_add_problem& problem, int32_t* ids,
                                  int32_t capacity) {
  if (check_vector_add(problem) != oddtile_ok) return 0;
  int32_t count = 0;
  const int32_t preferred = preferred_vector_add(problem);
  const auto add = [&](int32_t id) {
    if (admits(problem, id) && count < capacity) ids[count++] = id;
  };
  add(preferred);
  for (int32_t id = 0; id < kVectorAddCount; ++id) {
    if (id != preferred) add(id);
  }
  return count;
}

oddtile_status vector_add_describe(const oddtile_vector_add_problem& problem, int32_t id,
                                   oddtile_profile* profile) {
  if (!admits(problem, id)) return oddtile_bad_configuration;
  *profile = {};
  std::snprintf(profile->name, sizeof(profile->name), "%s", kVectorAddConfigurations[id].name);
  return oddtile_ok;
}

int64_t vector_add_workspace_bytes(const oddtile_vector_add_problem&, int32_t) {
  return 0;
}

oddtile_status vector_add_launch(const oddtile_vector_add_problem* problem, int32_t id,
                                 void* /*workspace*/, void* stream) {
  if (problem == nullptr) return oddtile_null_pointer;
  const oddtile_status status = check_vector_add(*problem);
  if (status != oddtile_ok) return status;
  if (!admits(*problem, id)) return oddtile_bad_configuration;
  if (problem->n == 0) return oddtile_ok;
  const VectorAddConfiguration& it = kVectorAddConfigurations[id];
  switch (problem->dtype) {
    case oddtile_fp32:
      return launch_addition<float>(*problem, it, stream);
    case oddtile_fp16:
      return launch_addition<Half>(*problem, it, stream);
    case oddtile_bf16:
      return launch_addition<Bfloat16>(*problem, it, stream);
  }
  return oddtile_bad_dtype;
}

}  // namespace oddtile::ODDTILE_MACHINE
