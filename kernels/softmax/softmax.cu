// Fused row softmax: from a problem and a configuration to a launch. rows.cuh has the kernels.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "kernels/softmax/parameters.h"
#include "kernels/softmax/rows.cuh"
#include "kernels/softmax/softmax.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

template <class T>
using Kernel = void (*)(SoftmaxParameters<T>);

template <class T, bool masked>
Kernel<T> kernel_of(const SoftmaxConfiguration& it) {
  constexpr int kWide = 16 / int(sizeof(T));
  if (it.form == SoftmaxForm::online) {
    return it.narrow ? softmax_online<T, 2, 1, masked> : softmax_online<T, kWide, 4, masked>;
  }
  if (it.narrow) return softmax_in_registers<T, 2, 2, masked>;
  switch (it.vectors) {
    case 1:
      return softmax_in_registers<T, kWide, 1, masked>;
    case 2:
      return softmax_in_registers<T, kWide, 2, masked>;
    case 3:
      return softmax_in_registers<T, kWide, 3, masked>;
    case 5:
      return softmax_in_registers<T, kWide, 5, masked>;
    default:
      return softmax_in_registers<T, kWide, 9, masked>;
  }
}

template <class T>
oddtile_status launch_rows(const oddtile_softmax_problem& problem, int32_t index, void* stream) {
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  const SoftmaxParameters<T> p = {.x = Global<const T>(static_cast<const T*>(problem.x)),
                                  .y = Global<T>(static_cast<T*>(problem.y)),
                                  .mask = Global<const uint8_t>(problem.mask),
                                  .x_row_stride = problem.x_row_stride,
                                  .y_row_stride = problem.y_row_stride,
                                  .mask_row_stride = problem.mask_row_stride,
                                  .rows = problem.rows,
                                  .columns = problem.columns,
                                  .lanes = it.lanes,
                                  .lane_bits = std::countr_zero(uint32_t(it.lanes)),
                                  .frame_bytes = softmax_frame(problem, it.narrow).bytes};
  const LaunchShape shape = {.blocks = ceil_div(p.rows, int64_t(it.threads / it.lanes)),
                             .threads = it.threads,
                             .shared_bytes = it.lanes > 32 ? 2 * kExchangeBytes : 0};
  const Kernel<T> kernel =
      problem.mask != nullptr ? kernel_of<T, true>(it) : kernel_of<T, false>(it);
  return launch(kernel, it.name, shape, stream, p) ? oddtile_ok : oddtile_launch_failed;
}

bool admits_id(const oddtile_softmax_problem& problem, int32_t id) {
  return id >= 0 && check_softmax(problem) == oddtile_ok &&
         softmax_admits(problem, softmax_index(id)) && id == softmax_id(problem, softmax_index(id));
}

}  // namespace

int32_t softmax_configurations(const oddtile_softmax_problem& problem, int32_t* ids,
                               int32_t capacity) {
  if (check_softmax(problem) != oddtile_ok) return 0;
  const int32_t preferred = choose_softmax(problem);
  int32_t count = 0;
  const auto add = [&](int32_t index) {
    if (count < capacity && softmax_admits(problem, index))
      ids[count++] = softmax_id(problem, index);
  };
  add(preferred);
  for (int32_t index = 0; index < kSoftmaxCount; ++index) {
    if (index != preferred) add(index);
  }
  return count;
}

oddtile_status softmax_describe(const oddtile_softmax_problem& problem, int32_t id,
                                oddtile_profile* profile) {
  if (!admits_id(problem, id)) return oddtile_bad_configuration;
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[softmax_index(id)];
  *profile = {};
  std::snprintf(profile->name, sizeof(profile->name), "%s", it.name);
  // One rescale fewer than there are steps is what a reader of the profile counts.
  const int64_t steps = softmax_rescales(problem, softmax_index(id)) + 1;
  profile->tile_columns =
      int32_t(std::clamp(problem.columns / steps, int64_t(1), int64_t(0x7FFFFFFF)));
  // A vector is summed by a tree, a lane's vectors one after the other, the lanes by a tree: as
  // deep as if every element of a lane's vector had a sum of its own.
  profile->sum_lanes = it.lanes * softmax_width(problem.dtype, it.narrow);
  profile->exp2_flushes = kMachineArithmetic.exp2_flushes;
  profile->exp2_error = kMachineArithmetic.exp2_error;
  profile->machine_arithmetic = 1;
  profile->division_error_u = 2.0;  // 1 / sum and the product, each rounded once
  return oddtile_ok;
}

int64_t softmax_workspace_bytes(const oddtile_softmax_problem&, int32_t) {
  return 0;
}

oddtile_status softmax_launch(const oddtile_softmax_problem* problem, int32_t id,
                              void* /*workspace*/, void* stream) {
  if (problem == nullptr) return oddtile_null_pointer;
  const oddtile_status status = check_softmax(*problem);
  if (status != oddtile_ok) return status;
  if (!admits_id(*problem, id)) return oddtile_bad_configuration;
  if (problem->rows == 0 || problem->columns == 0) return oddtile_ok;
  switch (problem->dtype) {
    case oddtile_fp32:
      return launch_rows<float>(*problem, softmax_index(id), stream);
    case oddtile_fp16:
      return launch_rows<Half>(*problem, softmax_index(id), stream);
    case oddtile_bf16:
      return launch_rows<Bfloat16>(*problem, softmax_index(id), stream);
  }
  return oddtile_bad_dtype;
}

}  // namespace oddtile::ODDTILE_MACHINE
