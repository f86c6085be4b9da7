// Copies of the matrices of a softmax: as many sectors move as it must move, in the best way that
// we know, and nothing is computed. Where such a copy does not reach the rate of a plain one,
// memory is the likely reason. It is a comparison, no bound: a softmax may know a better way.
//
// With gaps between the rows, the sectors that a gap cuts must be read before they can be written
// back, which is told to the L2 early. With a mask, the sectors of x without a visible element are
// not read; those that are lie scattered.
#include <cstdio>

#include "kernels/api/arguments.h"
#include "kernels/probe/copies.h"
#include "kernels/tile/packed.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

constexpr int32_t kThreads = 256;
constexpr int kVectorsOfLane = 2;  // with a mask; the best of 1, 2, 4, 8 on an H200
constexpr int32_t kId = 0;

using Words = Vector<uint32_t, 4>;
template <class T>
inline constexpr int kWidth = 16 / int(sizeof(T));  // elements of a vector

template <class T>
struct Copy {
  Global<const T> x;
  Global<T> y;
  Global<const uint8_t> mask;
  int64_t whole;    // vectors
  int64_t end;      // elements, gaps included
  uint32_t stride;  // of the rows
};

// All of vector number `vector` but its element `gap`: the half without it, of the other half the
// quarter without it, and of 16-bit elements the one beside it.
template <class T>
ODDTILE_DEVICE void store_around(Global<T> y, int64_t vector, const Words& v, uint32_t gap) {
  const uint32_t half = gap / (kWidth<T> / 2), word = gap / (kWidth<T> / 4);
  const auto& w = v.element;
  const Vector<uint32_t, 2> free_half = {half ? w[0] : w[2], half ? w[1] : w[3]};
  store_as(y, 2 * vector + 1 - half, free_half);
  const uint32_t low = half ? w[2] : w[0], high = half ? w[3] : w[1];
  store_as(y, 4 * vector + (word ^ 1u), word % 2 ? low : high);
  if constexpr (sizeof(T) == 2) {
    const uint32_t cut = word % 2 ? high : low;
    store(y, kWidth<T> * vector + (gap ^ 1u), T{uint16_t(gap % 2 ? cut : cut >> 16)});
  }
}

// Rows with a gap of one element behind each; a lane has a vector, or an element behind them all.
template <class T>
ODDTILE_KERNEL(kThreads, 8)
copy_with_gaps(Copy<T> p) {
  const int64_t vector = block() * kThreads + thread();
  if (vector >= p.whole) {
    const int64_t at = p.whole * kWidth<T> + (vector - p.whole);
    const bool exists = at < p.end && uint32_t(at) % p.stride != p.stride - 1;
    if (exists) store(p.y, at, load(p.x, at));
    return;
  }
  const uint32_t gap = p.stride - 1 - uint32_t(vector) * kWidth<T> % p.stride;
  if (gap < uint32_t(kWidth<T>)) prefetch_sector(p.y, vector * kWidth<T> + gap);
  const auto v = load_as<Words>(p.x, vector);
  if (gap < uint32_t(kWidth<T>)) {
    store_around(p.y, vector, v, gap);
  } else {
    store_as(p.y, vector, v);
  }
}

// The mask bytes of a vector.
template <class T>
using MaskWords = Vector<uint32_t, kWidth<T> / 4>;

// The elements whose byte is not 0; others are 0.
template <class T>
ODDTILE_DEVICE Words visible_of(const Words& v, const MaskWords<T>& mask) {
  Words result;
  ODDTILE_UNROLL
  for (int i = 0; i < 4; ++i) {
    constexpr int kWordsOfMask = int(sizeof(T));  // that four bytes of it decide about
    const uint32_t bytes = mask.element[i / kWordsOfMask];
    result.element[i] = v.element[i] & visible_bits<T>(bytes, i % kWordsOfMask);
  }
  return result;
}

template <class T, int vectors>
ODDTILE_KERNEL(kThreads, 4)
copy_visible_sectors(Copy<T> p) {
  const int64_t first = block() * (kThreads * vectors) + thread();
  if (block() * (kThreads * vectors) + kThreads * vectors > p.whole) {  // the last ones
    const int64_t begin = block() * (kThreads * vectors) * kWidth<T>;
    for (int64_t at = begin + thread(); at < p.end; at += kThreads) {
      const bool visible = load(p.mask, at) != 0;
      store(p.y, at, visible ? load(p.x, at) : T{});
    }
    return;
  }
  MaskWords<T> mask[vectors];
  ODDTILE_UNROLL
  for (int i = 0; i < vectors; ++i) mask[i] = load_as<MaskWords<T>>(p.mask, first + i * kThreads);
  Words v[vectors] = {};
  ODDTILE_UNROLL
  for (int i = 0; i < vectors; ++i) {
    uint32_t any = 0;
    ODDTILE_UNROLL
    for (uint32_t bytes : mask[i].element) any |= bytes;
    if (any != 0) v[i] = load_as<Words>(p.x, first + i * kThreads);
  }
  ODDTILE_UNROLL
  for (int i = 0; i < vectors; ++i) {
    store_as(p.y, first + i * kThreads, visible_of<T>(v[i], mask[i]));
  }
}

bool is_aligned(const void* data) {
  return data != nullptr && reinterpret_cast<uintptr_t>(data) % 16 == 0;
}

bool offers(const oddtile_softmax_problem& p) {
  if (!is_dtype(p.dtype) || p.rows < 1 || p.columns < 16 || p.columns > kMostElements) return false;
  if (!is_aligned(p.x) || !is_aligned(p.y)) return false;
  if (p.mask != nullptr) {
    return is_aligned(p.mask) && p.x_row_stride == p.columns && p.y_row_stride == p.columns &&
           p.mask_row_stride == p.columns && p.rows <= kMostElements / p.columns;
  }
  return p.x_row_stride == p.columns + 1 && p.y_row_stride == p.columns + 1 &&
         p.rows < 0xFFFFFFFF / (p.columns + 1);  // its elements are counted in 32 bits
}

const char* name_of(const oddtile_softmax_problem& p) {
  return p.mask != nullptr ? "copy of visible sectors" : "copy with gaps";
}

template <class T>
oddtile_status launch_copy(const oddtile_softmax_problem& problem, void* stream) {
  const int64_t end = (problem.rows - 1) * problem.x_row_stride + problem.columns;
  const Copy<T> p = {.x = Global<const T>(static_cast<const T*>(problem.x)),
                     .y = Global<T>(static_cast<T*>(problem.y)),
                     .mask = Global<const uint8_t>(problem.mask),
                     .whole = end / kWidth<T>,
                     .end = end,
                     .stride = uint32_t(problem.x_row_stride)};
  const bool masked = problem.mask != nullptr;
  const int64_t lanes =
      masked ? ceil_div<int64_t>(end, kVectorsOfLane * kWidth<T>) : p.whole + end % kWidth<T>;
  const LaunchShape shape = {.blocks = ceil_div<int64_t>(lanes, kThreads), .threads = kThreads};
  const auto kernel = masked ? copy_visible_sectors<T, kVectorsOfLane> : copy_with_gaps<T>;
  return launch(kernel, name_of(problem), shape, stream, p) ? oddtile_ok : oddtile_launch_failed;
}

bool is_softmax(const oddtile_problem* problem) {
  return problem != nullptr && problem->kernel == oddtile_kernel_softmax;
}

int32_t configurations(const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
  if (!is_softmax(problem) || !offers(problem->softmax)) return 0;
  if (ids != nullptr && capacity > 0) ids[0] = kId;
  return 1;
}

// No arithmetic is declared: there is none.
oddtile_status describe(const oddtile_problem* problem, int32_t id, oddtile_profile* profile) {
  if (profile == nullptr) return oddtile_null_pointer;
  if (!is_softmax(problem) || !offers(problem->softmax)) return oddtile_unsupported;
  if (id != kId) return oddtile_bad_configuration;
  *profile = {};
  std::snprintf(profile->name, sizeof(profile->name), "%s", name_of(problem->softmax));
  return oddtile_ok;
}

oddtile_status copy(const oddtile_softmax_problem* problem, int32_t id, void* /*workspace*/,
                    void* stream) {
  if (problem == nullptr) return oddtile_null_pointer;
  if (!offers(*problem)) return oddtile_unsupported;
  if (id != kId) return oddtile_bad_configuration;
  switch (problem->dtype) {
    case oddtile_fp32:
      return launch_copy<float>(*problem, stream);
    case oddtile_fp16:
      return launch_copy<Half>(*problem, stream);
    case oddtile_bf16:
      return launch_copy<Bfloat16>(*problem, stream);
  }
  return oddtile_bad_dtype;
}

}  // namespace

const oddtile_implementation& copies() {
  static constexpr oddtile_implementation kTable = {
      .abi_version = ODDTILE_ABI_VERSION,
      .struct_size = sizeof(oddtile_implementation),
      .name = "copies",
      .capabilities = oddtile_graph_capture,
      .configurations = configurations,
      .describe = describe,
      .workspace_bytes = [](const oddtile_problem*, int32_t) { return int64_t(0); },
      .vector_add = [](const oddtile_vector_add_problem*, int32_t, void*,
                       void*) { return oddtile_unsupported; },
      .softmax = copy,
      .attention = [](const oddtile_attention_problem*, int32_t, void*,
                      void*) { return oddtile_unsupported; },
      .status_text =
          [](oddtile_status status) {
            return status == oddtile_unsupported ? "no copy of such a problem" : "the copy failed";
          }};
  return kTable;
}

}  // namespace oddtile::ODDTILE_MACHINE
