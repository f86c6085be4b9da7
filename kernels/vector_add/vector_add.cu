// Masked vector add: out[i] = x[i] + y[i] where the mask allows, one rounding. Which kernel a
// problem gets, and its launch.
//
// The 16-byte grid of `out` rules (with a mask its lines of 128 bytes, so that a sector is written
// by one warp): a lane owns whole vectors of out, and reads x, y and the mask at whatever alignment
// they happen to have. everywhere.cuh is the kernel without a mask,
// where_visible.cuh the one with a mask.
#include <algorithm>
#include <cstdio>

#include "kernels/vector_add/everywhere.cuh"
#include "kernels/vector_add/parameters.h"
#include "kernels/vector_add/vector_add.cuh"
#include "kernels/vector_add/where_visible.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

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
    case kThreadsBackwards:
      return add_everywhere<T, kind, kThreadsBackwards>;
    default:
      return add_everywhere<T, kind, 0>;
  }
}

// With a mask: whether x and y lie as out does against words of 4 bytes.
bool are_in_words(const oddtile_vector_add_problem& problem) {
  const auto out = reinterpret_cast<uintptr_t>(problem.out);
  return (reinterpret_cast<uintptr_t>(problem.x) - out) % 4 == 0 &&
         (reinterpret_cast<uintptr_t>(problem.y) - out) % 4 == 0;
}

template <class T, bool in_words>
Kernel<T> masked_kernel(const VectorAddConfiguration& it) {
  // fp32 always: check_vector_add has refused what is not aligned to its elements.
  constexpr bool kInWords = in_words || sizeof(T) == 4;
  return it.spans == 1 ? add_where_visible<T, 1, kInWords> : add_where_visible<T, 2, kInWords>;
}

template <class T>
Kernel<T> kernel_for(const oddtile_vector_add_problem& problem, const VectorAddConfiguration& it) {
  if (problem.mask != nullptr) {
    return are_in_words(problem) ? masked_kernel<T, true>(it) : masked_kernel<T, false>(it);
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
  const int64_t lead = int64_t(address % (masked ? 128 : 16) / sizeof(T));
  // Elements between out[0] and the vector at which the pointers are.
  const int64_t ahead = masked || lead == 0 ? -lead : kWidth<T> - lead;
  const Addition<T> p = {.x = Global<const T>(static_cast<const T*>(problem.x)) + ahead,
                         .y = Global<const T>(static_cast<const T*>(problem.y)) + ahead,
                         .out = Global<T>(static_cast<T*>(problem.out)) + ahead,
                         .whole = std::max<int64_t>(problem.n - ahead, 0) / kWidth<T>,
                         .mask = Global<const uint8_t>(problem.mask) + (masked ? ahead : 0),
                         .begin = -ahead,
                         .end = problem.n - ahead,
                         .asks = problem.n * int64_t(sizeof(T)) >= it.asks_from};
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
