// The baseline of softmax: five passes over global memory, as five operators of a framework would
// run: row maximum, subtraction, exponential, row sum, division. What lies between two passes is
// kept in fp32 in the workspace, so that the baseline is a correct softmax and not only a slow one.
//
// A mask is applied where a framework would fill hidden elements with -inf, and again at the end,
// where hidden columns of the result are set to +0.
#include <algorithm>
#include <cstdio>

#include "kernels/api/arguments.h"
#include "kernels/softmax/parameters.h"
#include "kernels/softmax/softmax.cuh"
#include "kernels/tile/row_reduction.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

constexpr int32_t kThreads = 256;

template <class T>
struct EagerParameters {
  Global<const T> x;
  Global<T> y;
  Global<const uint8_t> mask;
  Global<float> values;     // rows x columns, dense
  Global<float> statistic;  // of each row: the maximum, then the sum
  int64_t x_row_stride;
  int64_t y_row_stride;
  int64_t mask_row_stride;
  int64_t rows;
  int64_t columns;
  int32_t lanes;  // that reduce a row
};

template <class T>
ODDTILE_DEVICE bool is_visible(const EagerParameters<T>& p, int64_t row, int64_t column) {
  return !p.mask || load(p.mask, row * p.mask_row_stride + column) != 0;
}

// Reduces value(row, column) over each row into the statistic.
template <class Operation, class T, class Value>
ODDTILE_DEVICE void reduce_rows(const EagerParameters<T>& p, Value value) {
  const int64_t row = (block() * threads() + thread()) / p.lanes;
  const int64_t columns = row < p.rows ? p.columns : 0;  // lanes without a row stay to reduce
  float result = Operation::kIdentity;
  for (int64_t column = thread() % p.lanes; column < columns; column += p.lanes) {
    result = Operation::combine(result, value(row, column));
  }
  result = reduce_row<Operation>(result, p.lanes, reinterpret_cast<float*>(shared_memory()));
  if (row < p.rows && thread() % p.lanes == 0) store(p.statistic, row, result);
}

struct Position {
  bool exists;
  int64_t row;
  int64_t column;
};

template <class T>
ODDTILE_DEVICE Position element_of_thread(const EagerParameters<T>& p) {
  const int64_t element = block() * threads() + thread();
  const int64_t elements = p.rows * p.columns;
  if (element >= elements) return {false, 0, 0};
  const int64_t row = elements <= 0xFFFFFFFF
                          ? int64_t(uint32_t(element) / uint32_t(p.columns))  // much cheaper
                          : element / p.columns;
  return {true, row, element - row * p.columns};
}

template <class T>
ODDTILE_KERNEL(kThreads, 4)
row_maximum_pass(EagerParameters<T> p) {
  reduce_rows<Maximum>(p, [&](int64_t row, int64_t column) {
    if (!is_visible(p, row, column)) return kNegativeInfinity;
    return to_float(load(p.x, row * p.x_row_stride + column));
  });
}

template <class T>
ODDTILE_KERNEL(kThreads, 4)
subtract_pass(EagerParameters<T> p) {
  const Position at = element_of_thread(p);
  if (!at.exists) return;
  const float x = to_float(load(p.x, at.row * p.x_row_stride + at.column));
  const float maximum_of_row = load(Global<const float>(p.statistic), at.row);
  const bool visible = is_visible(p, at.row, at.column);
  store(p.values, at.row * p.columns + at.column, visible ? x - maximum_of_row : kNegativeInfinity);
}

template <class T>
ODDTILE_KERNEL(kThreads, 4)
exponential_pass(EagerParameters<T> p) {
  const int64_t element = block() * threads() + thread();
  if (element >= p.rows * p.columns) return;
  store(p.values, element, exp2_approx(load(Global<const float>(p.values), element) * kLog2E));
}

template <class T>
ODDTILE_KERNEL(kThreads, 4)
row_sum_pass(EagerParameters<T> p) {
  reduce_rows<Sum>(p, [&](int64_t row, int64_t column) {
    return load(Global<const float>(p.values), row * p.columns + column);
  });
}

template <class T>
ODDTILE_KERNEL(kThreads, 4)
divide_pass(EagerParameters<T> p) {
  const Position at = element_of_thread(p);
  if (!at.exists) return;
  const float weight = load(Global<const float>(p.values), at.row * p.columns + at.column);
  const float sum = load(Global<const float>(p.statistic), at.row);
  const bool visible = is_visible(p, at.row, at.column);
  store(p.y, at.row * p.y_row_stride + at.column,
        from_float<T>(visible ? divide(weight, sum) : 0.0f));
}

// A warp reduces a short row, a block a long one.
int32_t reduction_lanes(const oddtile_softmax_problem& problem) {
  return problem.columns <= 1024 ? 32 : kThreads;
}

int64_t value_bytes(const oddtile_softmax_problem& problem) {
  return round_up(problem.rows * problem.columns * 4, kWorkspaceAlignment);
}

template <class T>
oddtile_status launch_passes(const oddtile_softmax_problem& problem, void* workspace,
                             void* stream) {
  auto* const bytes = static_cast<std::byte*>(workspace);
  const EagerParameters<T> p = {
      .x = Global<const T>(static_cast<const T*>(problem.x)),
      .y = Global<T>(static_cast<T*>(problem.y)),
      .mask = Global<const uint8_t>(problem.mask),
      .values = Global<float>(static_cast<float*>(workspace)),
      .statistic = Global<float>(reinterpret_cast<float*>(bytes + value_bytes(problem))),
      .x_row_stride = problem.x_row_stride,
      .y_row_stride = problem.y_row_stride,
      .mask_row_stride = problem.mask_row_stride,
      .rows = problem.rows,
      .columns = problem.columns,
      .lanes = reduction_lanes(problem)};
  const LaunchShape by_row = {.blocks = ceil_div(p.rows, int64_t(kThreads / p.lanes)),
                              .threads = kThreads,
                              .shared_bytes = kExchangeBytes};
  const LaunchShape by_element = {.blocks = ceil_div(p.rows * p.columns, int64_t(kThreads)),
                                  .threads = kThreads};
  const bool launched = launch(row_maximum_pass<T>, "row_maximum_pass", by_row, stream, p) &&
                        launch(subtract_pass<T>, "subtract_pass", by_element, stream, p) &&
                        launch(exponential_pass<T>, "exponential_pass", by_element, stream, p) &&
                        launch(row_sum_pass<T>, "row_sum_pass", by_row, stream, p) &&
                        launch(divide_pass<T>, "divide_pass", by_element, stream, p);
  return launched ? oddtile_ok : oddtile_launch_failed;
}

bool admits(const oddtile_softmax_problem& problem, int32_t id) {
  if (id != 0 || check_softmax(problem) != oddtile_ok) return false;
  int64_t elements = 0;
  return !__builtin_mul_overflow(problem.rows, problem.columns, &elements) &&
         elements / kThreads < 0x7FFFFFFE;
}

}  // namespace

int32_t eager_softmax_configurations(const oddtile_softmax_problem& problem, int32_t* ids,
                                     int32_t capacity) {
  if (!admits(problem, 0) || capacity < 1) return 0;
  ids[0] = 0;
  return 1;
}

oddtile_status eager_softmax_describe(const oddtile_softmax_problem& problem, int32_t id,
                                      oddtile_profile* profile) {
  if (!admits(problem, id)) return oddtile_bad_configuration;
  *profile = {};
  std::snprintf(profile->name, sizeof(profile->name), "five passes");
  profile->tile_columns = int32_t(std::clamp(problem.columns, int64_t(1), int64_t(0x7FFFFFFF)));
  profile->sum_lanes = reduction_lanes(problem);
  profile->exp2_flushes = kMachineArithmetic.exp2_flushes;
  profile->exp2_error = kMachineArithmetic.exp2_error;
  profile->machine_arithmetic = 1;
  profile->division_error_u = 1.0;
  return oddtile_ok;
}

int64_t eager_softmax_workspace_bytes(const oddtile_softmax_problem& problem, int32_t id) {
  if (!admits(problem, id)) return 0;
  return value_bytes(problem) + round_up(problem.rows * 4, kWorkspaceAlignment);
}

oddtile_status eager_softmax_launch(const oddtile_softmax_problem* problem, int32_t id,
                                    void* workspace, void* stream) {
  if (problem == nullptr) return oddtile_null_pointer;
  const oddtile_status status = check_softmax(*problem);
  if (status != oddtile_ok) return status;
  if (!admits(*problem, id)) return oddtile_bad_configuration;
  if (problem->rows == 0 || problem->columns == 0) return oddtile_ok;
  if (!is_workspace(workspace)) return oddtile_bad_workspace;
  switch (problem->dtype) {
    case oddtile_fp32:
      return launch_passes<float>(*problem, workspace, stream);
    case oddtile_fp16:
      return launch_passes<Half>(*problem, workspace, stream);
    case oddtile_bf16:
      return launch_passes<Bfloat16>(*problem, workspace, stream);
  }
  return oddtile_bad_dtype;
}

}  // namespace oddtile::ODDTILE_MACHINE
