// Masked vector add: out[i] = x[i] + y[i] where the mask allows, one rounding, every byte moved
// once.
//
// The 16-byte grid of `out` rules: a lane owns whole vectors of out, and reads x, y and the mask at
// whatever alignment they happen to have (two covering vectors and a funnel shift). The first and
// the last vector of out may be partial; their lanes go element by element. One vector per lane and
// no loop is what the memory likes best (README.md has the measurements).
//
// With a mask a lane first reads 16 mask bytes, a warp 512. A warp that sees nothing is done after
// that one load; otherwise the bits go round by shuffles, so that each lane again owns whole
// vectors, and vectors without a visible element cost no operand. A hidden element is never
// written, not even with the bits that it has: somebody else may be writing it.
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
  int32_t lead;  // elements of out's first vector that come before out[0]
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

// Which of the 16 elements from `first` on are visible; elements outside [0, n) are not.
template <class T>
ODDTILE_DEVICE uint32_t visible_16(const Addition<T>& p, int64_t first) {
  uint32_t visible = 0;
  if (first >= 0 && first + 16 <= p.n) {
    const CoveringReader<uint8_t> mask(p.mask + -int64_t(p.lead));
    const Vector<uint32_t, 4> bytes = mask.vector((first + p.lead) / 16);
    ODDTILE_UNROLL
    for (int i = 0; i < 4; ++i) visible |= nonzero_bytes(bytes.element[i]) << (4 * i);
    return visible;
  }
  for (int i = 0; i < 16; ++i) {
    const int64_t at = first + i;
    if (at >= 0 && at < p.n && load(p.mask, at) != 0) visible |= 1u << i;
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

template <class T>
ODDTILE_KERNEL(512, 2)
add_where_visible(Addition<T> p) {
  constexpr int kVectors = 16 / kWidth<T>;  // of a lane, 32 vectors apart
  constexpr int kElements = kWidth<T>;
  constexpr uint32_t kAll = (1u << kElements) - 1u;
  const int64_t warp_vector = (block() * (threads() / 32) + warp()) * (32 * kVectors);
  const uint32_t seen = visible_16(p, (warp_vector + lane() * kVectors) * kWidth<T> - p.lead);
  if (!vote_any(seen != 0)) return;

  uint32_t visible[kVectors];
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int32_t element = (32 * v + lane()) * kWidth<T>;  // in the warp's 512
    visible[v] = shuffle(seen, element / 16) >> (element % 16) & kAll;
  }
  const CoveringReader<T> x(p.x + -int64_t(p.lead)), y(p.y + -int64_t(p.lead));
  Vector<uint32_t, 4> sum[kVectors] = {};
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int64_t vector = warp_vector + 32 * v + lane();
    if (visible[v] == 0 || !is_whole(p, vector * kWidth<T> - p.lead)) continue;
    sum[v] = add_vectors<T>(x.vector(vector), y.vector(vector));
  }
  ODDTILE_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int64_t vector = warp_vector + 32 * v + lane();
    const int64_t first = vector * kWidth<T> - p.lead;
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
oddtile_status launch_addition(const oddtile_vector_add_problem& problem, int32_t threads,
                               void* stream) {
  const auto address = reinterpret_cast<uintptr_t>(problem.out);
  const Addition<T> p = {.x = Global<const T>(static_cast<const T*>(problem.x)),
                         .y = Global<const T>(static_cast<const T*>(problem.y)),
                         .mask = Global<const uint8_t>(problem.mask),
                         .out = Global<T>(static_cast<T*>(problem.out)),
                         .n = problem.n,
                         .lead = int32_t(address % 16 / sizeof(T))};
  const bool masked = problem.mask != nullptr;
  const int64_t block_elements = int64_t(threads) * (masked ? 16 : kWidth<T>);
  const LaunchShape shape = {.blocks = ceil_div(p.n + p.lead, block_elements), .threads = threads};
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
  const int32_t preferred = preferred_vector_add(problem.n);
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
  const int32_t threads = kVectorAddConfigurations[id].threads;
  switch (problem->dtype) {
    case oddtile_fp32:
      return launch_addition<float>(*problem, threads, stream);
    case oddtile_fp16:
      return launch_addition<Half>(*problem, threads, stream);
    case oddtile_bf16:
      return launch_addition<Bfloat16>(*problem, threads, stream);
  }
  return oddtile_bad_dtype;
}

}  // namespace oddtile::ODDTILE_MACHINE
