// Fused row softmax: from a problem and a configuration to a launch. rows.cuh, shared_rows.cuh,
// few_rows.cuh, word_rows.cuh and tiles.cuh have the kernels.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "kernels/softmax/few_rows.cuh"
#include "kernels/softmax/parameters.h"
#include "kernels/softmax/shared_rows.cuh"
#include "kernels/softmax/softmax.cuh"
#include "kernels/softmax/tiles.cuh"
#include "kernels/softmax/word_rows.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

// Bytes of mask between the row that a block takes and the one whose mask it brings to L2: what an
// H200 reads in about 2 us.
constexpr int64_t kMaskAhead = int64_t(1) << 20;

constexpr int64_t kBytesOfNs = 4000;  // that an H200 reads and writes

SoftmaxMachine machine_now() {
  // Clusters need code that was compiled for them, not the device alone.
  static const bool has_clusters =
      speaks_hopper(&softmax_in_shared_memory<float, 4, 8, RowKind::ragged, false>);
  return {.shared_bytes = shared_bytes_at_most(), .cluster_blocks = has_clusters ? 16 : 1};
}

template <class T>
using Kernel = void (*)(SoftmaxParameters<T>);

template <class T, RowKind kind>
Kernel<T> kernel_of_lanes(const SoftmaxConfiguration& it) {
  constexpr int kWide = 16 / int(sizeof(T));
  if (it.narrow) return softmax_in_registers<T, 2, 8, 2, kind>;
  switch (it.lanes) {
    case 4:
      return softmax_in_registers<T, kWide, 4, 2, kind>;
    case 8:
      return it.vectors == 2 ? softmax_in_registers<T, kWide, 8, 2, kind>
                             : softmax_in_registers<T, kWide, 8, 3, kind>;
    case 16:
      return it.vectors == 2 ? softmax_in_registers<T, kWide, 16, 2, kind>
                             : softmax_in_registers<T, kWide, 16, 3, kind>;
  }
  switch (it.vectors) {
    case 2:
      return softmax_in_registers<T, kWide, 32, 2, kind>;
    case 3:
      return softmax_in_registers<T, kWide, 32, 3, kind>;
    case 4:
      return softmax_in_registers<T, kWide, 32, 4, kind>;
    default:
      return softmax_in_registers<T, kWide, 32, 5, kind>;
  }
}

template <class T, RowKind kind, bool stays>
Kernel<T> kernel_of_shared(const SoftmaxConfiguration& it) {
  constexpr int kWide = 16 / int(sizeof(T));
  if (it.vectors == 2) return softmax_in_shared_memory<T, kWide, 2, kind, stays>;
  if constexpr (stays) {
    if (it.vectors == 4) return softmax_in_shared_memory<T, kWide, 4, kind, stays>;
  }
  return softmax_in_shared_memory<T, kWide, 8, kind, stays>;
}

// Where all rows of x lie as those of y do, the kernel knows no other way to read them.
template <class T, RowKind kind, bool stays>
Kernel<T> kernel_of_long(const SoftmaxConfiguration& it, bool moves) {
  if constexpr (kind == RowKind::masked) {
    return kernel_of_shared<T, kind, stays>(it);
  } else {
    if constexpr (kind == RowKind::ragged && !stays) {
      if (moves) return kernel_of_shared<T, kind, stays>(it);
    }
    return kernel_of_shared<T, RowKind::alike, stays>(it);
  }
}

template <class T, RowKind kind>
Kernel<T> kernel_of(const SoftmaxConfiguration& it, bool moves) {
  constexpr int kWide = 16 / int(sizeof(T));
  // Long rows ask at run time whether they are whole: it costs them nothing.
  constexpr RowKind kLong = kind == RowKind::whole ? RowKind::ragged : kind;
  switch (it.form) {
    case SoftmaxForm::lanes:
      return kernel_of_lanes<T, kind>(it);
    case SoftmaxForm::block:
      if (it.narrow) return softmax_in_registers<T, 2, 0, 2, kLong>;
      if constexpr (sizeof(T) == 4 && kind != RowKind::masked) {
        if (it.vectors == 2) return softmax_in_registers<T, kWide, 0, 2, kind>;
      }
      if (it.vectors == 4) return softmax_in_registers<T, kWide, 0, 4, kind>;
      if (it.vectors == 5) return softmax_in_registers<T, kWide, 0, 5, kind>;
      if (it.vectors == 8) return softmax_in_registers<T, kWide, 0, 8, kind>;
      return softmax_in_registers<T, kWide, 0, 9, kind>;
    case SoftmaxForm::shared:
      return kernel_of_long<T, kind, false>(it, moves);
    case SoftmaxForm::staying:
      if constexpr (kind != RowKind::masked) return kernel_of_long<T, kind, true>(it, moves);
      return nullptr;  // not admitted
    default:
      return it.narrow ? softmax_online<T, 2, 1, kLong> : softmax_online<T, kWide, 4, kLong>;
  }
}

// Calls body(index), which is a constant then, if that entry of the table is of this form.
template <SoftmaxForm form, class Body, int32_t... indices>
void with_entry(int32_t index, std::integer_sequence<int32_t, indices...>, const Body& body) {
  const auto choose = [&](auto one) {
    if constexpr (kSoftmaxConfigurations[decltype(one)::value].form == form) {
      if (index == one) body(one);
    }
  };
  (choose(std::integral_constant<int32_t, indices>{}), ...);
}
template <SoftmaxForm form, class Body>
void with_entry(int32_t index, const Body& body) {
  with_entry<form>(index, std::make_integer_sequence<int32_t, kSoftmaxCount>{}, body);
}

template <class T, bool masked>
auto kernel_of_tiles(int32_t index) {
  void (*kernel)(TileParameters<T>) = nullptr;
  with_entry<SoftmaxForm::tile>(index, [&](auto one) {
    constexpr const SoftmaxConfiguration& it = kSoftmaxConfigurations[decltype(one)::value];
    kernel = softmax_of_tiles<T, it.lanes, it.vectors, it.least, masked>;
  });
  return kernel;
}

auto kernel_of_words(int32_t index) {
  void (*kernel)(WordRows) = nullptr;
  with_entry<SoftmaxForm::words>(index, [&](auto one) {
    constexpr const SoftmaxConfiguration& it = kSoftmaxConfigurations[decltype(one)::value];
    kernel = softmax_of_words<it.threads, it.lanes, it.vectors, it.least, it.rows>;
  });
  return kernel;
}

template <class T>
void (*kernel_of_few_rows(const SoftmaxConfiguration& it))(FewRows<T>) {
  constexpr int kWide = 16 / int(sizeof(T));
  if (it.narrow) return softmax_of_few_rows<T, 2, 1, 2>;
  switch (it.threads / 32 * it.vectors) {
    case 1:
      return softmax_of_few_rows<T, kWide, 1, 1>;
    case 2:
      return softmax_of_few_rows<T, kWide, 1, 2>;
    case 4:
      return softmax_of_few_rows<T, kWide, 2, 2>;
    case 8:
      return softmax_of_few_rows<T, kWide, 4, 2>;
    case 16:
      return softmax_of_few_rows<T, kWide, 4, 4>;
    case 32:
      return softmax_of_few_rows<T, kWide, 8, 4>;
    default:
      return softmax_of_few_rows<T, kWide, 16, 4>;
  }
}

template <class T>
bool launch_few_rows(const oddtile_softmax_problem& problem, const SoftmaxConfiguration& it,
                     const LaunchShape& shape, void* stream) {
  const FewRows<T> p = {
      .x = Global<const T>(static_cast<const T*>(problem.x)),
      .y = Global<T>(static_cast<T*>(problem.y)),
      .x_row_stride = problem.x_row_stride,
      .y_row_stride = problem.y_row_stride,
      .vectors = int32_t(problem.columns / softmax_width(problem.dtype, it.narrow))};
  return launch(kernel_of_few_rows<T>(it), it.name, shape, stream, p);
}

template <class T>
bool launch_tiles(const oddtile_softmax_problem& problem, int32_t index, const SoftmaxPlan& plan,
                  const LaunchShape& shape, void* stream) {
  const auto stride = uint64_t(problem.y_row_stride);
  const TileParameters<T> p = {
      .x = Global<const T>(static_cast<const T*>(problem.x)),
      .y = Global<T>(static_cast<T*>(problem.y)),
      .mask = Global<const uint8_t>(problem.mask),
      .rows = problem.rows,
      .columns = int32_t(problem.columns),
      .stride = int32_t(stride),
      .inverse = uint32_t(((uint64_t(1) << 32) + stride - 1) / stride),
      .tile_rows = plan.tile_rows,
      .apart = plan.rows_apart,
      .mask_ahead = round_up(kMaskAhead, int64_t(plan.tile_rows) * problem.y_row_stride),
      .cuts_sectors = softmax_cuts_sectors(problem)};
  const char* const name = kSoftmaxConfigurations[index].name;
  if (problem.mask != nullptr) {
    return launch(kernel_of_tiles<T, true>(index), name, shape, stream, p);
  }
  if constexpr (sizeof(T) == 2) {
    return launch(kernel_of_tiles<T, false>(index), name, shape, stream, p);
  }
  return false;  // fp32 has no such form
}

bool launch_words(const oddtile_softmax_problem& problem, int32_t index, const LaunchShape& shape,
                  void* stream) {
  const WordRows p = {.x = Global<const float>(static_cast<const float*>(problem.x)),
                      .y = Global<float>(static_cast<float*>(problem.y)),
                      .x_row_stride = problem.x_row_stride,
                      .y_row_stride = problem.y_row_stride,
                      .rows = problem.rows,
                      .columns = int32_t(problem.columns),
                      .cuts_sectors = softmax_cuts_sectors(problem)};
  return launch(kernel_of_words(index), kSoftmaxConfigurations[index].name, shape, stream, p);
}

// The blocks of a launch whose clusters stay, and when they start: in turns of `start_delay`.
template <class T>
LaunchShape staying(Kernel<T> kernel, LaunchShape shape, SoftmaxParameters<T>* p) {
  const int64_t at_once = blocks_at_once(kernel, shape);
  if (at_once <= 0 || at_once >= shape.blocks) return shape;  // a row each
  shape.blocks = at_once;
  const int64_t held_bytes = shape.blocks / shape.cluster_blocks * p->columns * int64_t(sizeof(T));
  p->start_delay = int32_t(2 * held_bytes / kBytesOfNs / kStartPhases);
  return shape;
}

template <class T>
bool launch_rows(const oddtile_softmax_problem& problem, const SoftmaxConfiguration& it,
                 const SoftmaxPlan& plan, const LaunchShape& shape, void* stream) {
  SoftmaxParameters<T> p = {.x = Global<const T>(static_cast<const T*>(problem.x)),
                            .y = Global<T>(static_cast<T*>(problem.y)),
                            .mask = Global<const uint8_t>(problem.mask),
                            .x_row_stride = problem.x_row_stride,
                            .y_row_stride = problem.y_row_stride,
                            .mask_row_stride = problem.mask_row_stride,
                            .rows = problem.rows,
                            .columns = problem.columns,
                            .frame_bytes = softmax_frame(problem, it).bytes,
                            .shared_slots = plan.shared_slots,
                            .cluster_blocks = plan.cluster_blocks,
                            .lanes = plan.threads * plan.cluster_blocks,
                            .rows_ahead = ceil_div(kMaskAhead, problem.columns),
                            .cuts_sectors = softmax_cuts_sectors(problem),
                            .start_delay = 0};
  const bool whole = softmax_rows_are_whole(problem, it.narrow);
  const bool moves = softmax_moves(problem);
  const Kernel<T> kernel = problem.mask != nullptr ? kernel_of<T, RowKind::masked>(it, moves)
                           : whole                 ? kernel_of<T, RowKind::whole>(it, moves)
                                                   : kernel_of<T, RowKind::ragged>(it, moves);
  const LaunchShape launched = it.form == SoftmaxForm::staying ? staying(kernel, shape, &p) : shape;
  return launch(kernel, it.name, launched, stream, p);
}

template <class T>
bool launch_any(const oddtile_softmax_problem& problem, int32_t index, void* stream) {
  const SoftmaxConfiguration& it = kSoftmaxConfigurations[index];
  const SoftmaxPlan plan = softmax_plan(problem, index);
  const LaunchShape shape = {.blocks = plan.blocks,
                             .threads = plan.threads,
                             .shared_bytes = plan.shared_bytes,
                             .cluster_blocks = plan.cluster_blocks};
  if (it.form == SoftmaxForm::few) return launch_few_rows<T>(problem, it, shape, stream);
  if (it.form == SoftmaxForm::words) return launch_words(problem, index, shape, stream);
  if (it.form != SoftmaxForm::tile) return launch_rows<T>(problem, it, plan, shape, stream);
  return launch_tiles<T>(problem, index, plan, shape, stream);
}

bool admits_id(const oddtile_softmax_problem& problem, int32_t id) {
  return id >= 0 && check_softmax(problem) == oddtile_ok &&
         softmax_admits(problem, softmax_index(id), machine_now()) &&
         id == softmax_id(problem, softmax_index(id));
}

}  // namespace

int32_t softmax_configurations(const oddtile_softmax_problem& problem, int32_t* ids,
                               int32_t capacity) {
  if (check_softmax(problem) != oddtile_ok) return 0;
  const SoftmaxMachine machine = machine_now();
  const int32_t preferred = choose_softmax(problem, machine);
  int32_t count = 0;
  const auto add = [&](int32_t index) {
    if (count < capacity && softmax_admits(problem, index, machine))
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
  int64_t of_a_step = std::max(ceil_div(problem.columns, steps), int64_t(1));
  if (ceil_div(problem.columns, of_a_step) < steps) of_a_step = problem.columns / steps;
  profile->tile_columns = int32_t(std::clamp(of_a_step, int64_t(1), int64_t(0x7FFFFFFF)));
  // A vector is summed by a tree, a lane's vectors one after the other, the lanes by a tree: as
  // deep as if every element of a lane's vector had a sum of its own.
  const SoftmaxPlan plan = softmax_plan(problem, softmax_index(id));
  const int32_t width = softmax_sums_by_columns(it) ? 1 : softmax_width(problem.dtype, it.narrow);
  profile->sum_lanes = (it.lanes > 0 ? it.lanes : plan.threads * plan.cluster_blocks) * width;
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
  bool launched = false;
  switch (problem->dtype) {
    case oddtile_fp32:
      launched = launch_any<float>(*problem, softmax_index(id), stream);
      break;
    case oddtile_fp16:
      launched = launch_any<Half>(*problem, softmax_index(id), stream);
      break;
    case oddtile_bf16:
      launched = launch_any<Bfloat16>(*problem, softmax_index(id), stream);
      break;
  }
  return launched ? oddtile_ok : oddtile_launch_failed;
}

}  // namespace oddtile::ODDTILE_MACHINE
