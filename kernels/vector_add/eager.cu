// The baseline of vector add, as a composition of element-wise operators: the sum, one element per
// thread; with a mask the sum of all elements goes to the workspace and a second pass selects.
#include <cstdio>

#include "kernels/api/arguments.h"
#include "kernels/vector_add/parameters.h"
#include "kernels/vector_add/vector_add.cuh"

namespace oddtile::ODDTILE_MACHINE {
namespace {

template <class T>
struct Pass {
  Global<const T> a;
  Global<const T> b;
  Global<const uint8_t> mask;
  Global<T> to;
  int64_t n;
};

template <class T>
ODDTILE_KERNEL(256, 4)
sum_pass(Pass<T> p) {
  const int64_t i = block() * threads() + thread();
  if (i >= p.n) return;
  store(p.to, i, from_float<T>(to_float(load(p.a, i)) + to_float(load(p.b, i))));
}

template <class T>
ODDTILE_KERNEL(256, 4)
select_pass(Pass<T> p) {
  const int64_t i = block() * threads() + thread();
  if (i < p.n && load(p.mask, i) != 0) store(p.to, i, load(p.a, i));
}

template <class T>
oddtile_status launch_passes(const oddtile_vector_add_problem& problem, void* workspace,
                             void* stream) {
  const int32_t threads = kEagerVectorAdd.threads;
  const LaunchShape shape = {.blocks = ceil_div(problem.n, int64_t(threads)), .threads = threads};
  const Global<T> out(static_cast<T*>(problem.out));
  const Global<T> sums(static_cast<T*>(workspace));
  const bool masked = problem.mask != nullptr;
  Pass<T> pass = {.a = Global<const T>(static_cast<const T*>(problem.x)),
                  .b = Global<const T>(static_cast<const T*>(problem.y)),
                  .mask = Global<const uint8_t>(problem.mask),
                  .to = masked ? sums : out,
                  .n = problem.n};
  bool launched = launch(sum_pass<T>, "sum_pass", shape, stream, pass);
  if (masked) {
    pass.a = sums;
    pass.to = out;
    launched = launched && launch(select_pass<T>, "select_pass", shape, stream, pass);
  }
  return launched ? oddtile_ok : oddtile_launch_failed;
}

bool admits(const oddtile_vector_add_problem& problem, int32_t id) {
  return id == 0 && problem.n / kEagerVectorAdd.threads < 0x7FFFFFFE;
}

}  // namespace

int32_t eager_vector_add_configurations(const oddtile_vector_add_problem& problem, int32_t* ids,
                                        int32_t capacity) {
  if (check_vector_add(problem) != oddtile_ok || !admits(problem, 0) || capacity < 1) return 0;
  ids[0] = 0;
  return 1;
}

oddtile_status eager_vector_add_describe(const oddtile_vector_add_problem& problem, int32_t id,
                                         oddtile_profile* profile) {
  if (!admits(problem, id)) return oddtile_bad_configuration;
  *profile = {};
  std::snprintf(profile->name, sizeof(profile->name), "%s", kEagerVectorAdd.name);
  return oddtile_ok;
}

int64_t eager_vector_add_workspace_bytes(const oddtile_vector_add_problem& problem, int32_t) {
  if (problem.mask == nullptr || check_vector_add(problem) != oddtile_ok) return 0;
  return round_up(problem.n * element_bytes(problem.dtype), kWorkspaceAlignment);
}

oddtile_status eager_vector_add_launch(const oddtile_vector_add_problem* problem, int32_t id,
                                       void* workspace, void* stream) {
  if (problem == nullptr) return oddtile_null_pointer;
  const oddtile_status status = check_vector_add(*problem);
  if (status != oddtile_ok) return status;
  if (!admits(*problem, id)) return oddtile_bad_configuration;
  if (problem->n == 0) return oddtile_ok;
  if (problem->mask != nullptr && !is_workspace(workspace)) return oddtile_bad_workspace;
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
