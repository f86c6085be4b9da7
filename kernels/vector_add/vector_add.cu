// Masked vector add: out[i] = x[i] + y[i] where the mask allows, one rounding, every byte moved
// once.
//
// The 16-byte grid of `out` rules: a lane owns whole vectors of out, and reads x, y and the mask at
// whatever alignment they happen to have (two covering vectors and a funnel shift). The first and
// the last vector of out may be partial; their lanes go element by element. One vector per lane and
// no loop is what the memory likes best (README.md has the measurements).
//
// With a mask a warp owns up to four chunks of 512 elements, and each lane first reads its 16 mask
// bytes of all of them. A chunk in which the warp sees nothing is done after that; otherwise its
// bits go round by shuffles, so that each lane again owns whole vectors, and vectors without a
// visible element cost no operand. A hidden element is never written, not even with the bits that
// it has: somebody else may be writing it.
#include <cstdio>

#include "kernels/tile/packed.cuh"
#include "kernels/vector_add/parameters.h"
#include "kernels/vector_add/vector_add.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

template <class T>
struct Addition {
  Global<const T> x;
  Global<const T> y;
  Global<const uint8_t> mask;
  Global<T> out;
  int64_t n;
  int32_t lead;    // elements of out's first vector that come before out[0]
  int32_t chunks;  // of a warp, with a mask
};

template <class T>
inline constexpr int kWidth = 16 / int(sizeof(T));  // elements of a vector

template <class T>
ODDTILE_DEVICE T add(T a, T b) {
  return from_float<T>(to_float(a) + to_float(b));
}

template <class T>
ODDTILE_DEVICE Vector<uint32_t, 4> add_vectors(const Vector<uint32_t, 4>& x,
                                               const Vector<uint32_t, 4>& y) {
  float sum[kWidth<T>];
  ODDTILE_UNROLL
  for (int i = 0; i < kWidth<T>; ++i) {
    sum[i] = to_float(unpack<T>(x, i)) + to_float(unpack<T>(y, i));
  }
  return pack_all<T>(sum);
}

// Element by element, for a partial vector: those of [first, first + kWidth) that `wanted` has.
template <class T>
ODDTILE_DEVICE void add_elements(const Addition<T>& p, int64_t first, uint32_t wanted) {
  for (int i = 0; i < kWidth<T>; ++i) {
    const int64_t at = first + i;
    if ((wanted >> i & 1u) == 0 || at < 0 || at >= p.n) continue;
    store(p.out, at, add(load(p.x, at), load(p.y, at)));
  }
}

template <class T>
ODDTILE_DEVICE bool is_whole(const Addition<T>& p, int64_t first) {
  return first >= 0 && first + kWidth<T> <= p.n;
}

template <class T>
ODDTILE_KERNEL(512, 2)
add_everywhere(Addition<T> p) {
  const int64_t vector = block() * threads() + thread();
  const int64_t first = vector * kWidth<T> - p.lead;
  if (!is_whole(p, first)) return add_elements(p, first, ~0u);
  const CoveringReader<T> x(p.x + -int64_t(p.lead)), y(p.y + -int64_t(p.lead));
  store_as(p.out + -int64_t(p.lead), vector, add_vectors<T>(x.vector(vector), y.vector(vector)));
}

inline constexpr int kMostChunks = 4;
inline constexpr int kChunk = 512;  // elements of a warp

// Which of the 16 elements from `first` on are visible, one by one; those outside [0, n) are not.
template <class T>
ODDTILE_DEVICE uint32_t visible_at_edge(const Addition<T>& p, int64_t first) {
  uint32_t visible = 0;
  for (int i = 0; i < 16; ++i) {
    const int64_t at = first + i;
    if (at >= 0 && at < p.n && load(p.mask, at) != 0) visible |= 1u << i;
  }
  return visible;
}

// Visibility of this lane's 16 elements of each chunk, 16 bits a chunk. All loads are under way
// before the first is needed.
template <class T>
ODDTILE_DEVICE uint64_t visible_in_chunks(const Addition<T>& p, int64_t first_chunk) {
  const CoveringReader<uint8_t> mask(p.mask + -int64_t(p.lead));
  const int64_t first_16 = first_chunk * (kChunk / 16) + lane();
  const auto is_whole = [&](int c) {
    const int64_t first = (first_16 + c * (kChunk / 16)) * 16 - p.lead;
    return c < p.chunks && first >= 0 && first + 16 <= p.n;
  };
  Vector<uint32_t, 4> bytes[kMostChunks] = {};
  if (mask.is_aligned()) {
    ODDTILE_UNROLL
    for (int c = 0; c < kMostChunks; ++c) {
      if (is_whole(c)) bytes[c] = mask.aligned_vector(first_16 + c * (kChunk / 16));
    }
  } else {
    ODDTILE_UNROLL
    for (int c = 0; c < kMostChunks; ++c) {
      if (is_whole(c)) bytes[c] = mask.vector(first_16 + c * (kChunk / 16));
    }
  }
  uint64_t visible = 0;
  ODDTILE_UNROLL
  for (int c = 0; c < kMostChunks; ++c) {
    uint32_t bits = 0;
    ODDTILE_UNROLL
    for (int i = 0; i < 4; ++i) bits |= nonzero_bytes(bytes[c].element[i]) << (4 * i);
    if (c < p.chunks && !is_whole(c)) {
      bits = visible_at_edge(p, (first_16 + c * (kChunk / 16)) * 16 - p.lead);
    }
    visible |= uint64_t(bits) << (16 * c);
  }
  return visible;
}

template <class T>
ODDTILE_DEVICE void store_visible(const Addition<T>& p, int64_t first,
                                  const Vector<uint32_t, 4>& sum, uint32_t visible) {
  ODDTILE_UNROLL
  for (int i = 0; i < kWidth<T>; ++i) {
    if (visible >> i & 1u) store(p.out, first + i, unpack<T>(sum, i));
  }
}

// One chunk, of which this lane has read the mask of 16 neighbouring elements.
template <class T>
ODDTILE_DEVICE void add_chunk(const Addition<T>& p, int64_t chunk, uint32_t seen) {
  constexpr int kVectors = 16 / kWidth<T>;  // of a lane, 32 vectors apart
  constexpr int kElements = kWidth<T>;
  constexpr uint32_t kAll = (1u << kElements) - 1u;
  if (!vote_any(seen != 0)) return;

  const int64_t first_vector = chunk * (kChunk / kElements) + lane();
  uint32_t visible[kVectors];
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int32_t element = (32 * v + lane()) * kElements;  // in the chunk
    visible[v] = shuffle(seen, element / 16) >> (element % 16) & kAll;
  }
  const CoveringReader<T> x(p.x + -int64_t(p.lead)), y(p.y + -int64_t(p.lead));
  Vector<uint32_t, 4> sum[kVectors] = {};
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int64_t vector = first_vector + 32 * v;
    if (visible[v] == 0 || !is_whole(p, vector * kElements - p.lead)) continue;
    sum[v] = add_vectors<T>(x.vector(vector), y.vector(vector));
  }
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int64_t vector = first_vector + 32 * v;
    const int64_t first = vector * kElements - p.lead;
    if (visible[v] == 0) continue;
    if (!is_whole(p, first)) {
      add_elements(p, first, visible[v]);
    } else if (visible[v] == kAll) {
      store_as(p.out + -int64_t(p.lead), vector, sum[v]);
    } else {
      store_visible(p, first, sum[v], visible[v]);
    }
  }
}

template <class T>
ODDTILE_KERNEL(512, 2)
add_where_visible(Addition<T> p) {
  const int64_t first_chunk = (block() * (threads() / 32) + warp()) * p.chunks;
  const uint64_t seen = visible_in_chunks(p, first_chunk);
  for (int c = 0; c < p.chunks; ++c) {
    add_chunk(p, first_chunk + c, uint32_t(seen >> (16 * c)) & 0xFFFFu);
  }
}

template <class T>
oddtile_status launch_addition(const oddtile_vector_add_problem& problem,
                               const VectorAddConfiguration& it, void* stream) {
  const auto address = reinterpret_cast<uintptr_t>(problem.out);
  const Addition<T> p = {.x = Global<const T>(static_cast<const T*>(problem.x)),
                         .y = Global<const T>(static_cast<const T*>(problem.y)),
                         .mask = Global<const uint8_t>(problem.mask),
                         .out = Global<T>(static_cast<T*>(problem.out)),
                         .n = problem.n,
                         .lead = int32_t(address % 16 / sizeof(T)),
                         .chunks = it.chunks};
  const bool masked = problem.mask != nullptr;
  const int64_t block_elements = int64_t(it.threads) * (masked ? 16 * it.chunks : kWidth<T>);
  const LaunchShape shape = {.blocks = ceil_div(p.n + p.lead, block_elements),
                             .threads = it.threads};
  const bool launched = masked ? launch(add_where_visible<T>, "add_where_visible", shape, stream, p)
                               : launch(add_everywhere<T>, "add_everywhere", shape, stream, p);
  return launched ? oddtile_ok : oddtile_launch_failed;
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
