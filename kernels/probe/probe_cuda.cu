// The GPU's probes beyond dialect words: wgmma, rcp.approx, and the sweeps, which need double.
#include <cmath>

#include "kernels/probe/sweep_cuda.cuh"
#include "kernels/probe/words.cuh"

namespace oddtile::cuda {
namespace {

// Four warps hold the same rows of a and of the addend, so that each computes the whole fragment.
// b is one 8x8 block behind the other, a row of 16 bytes per column of b: in the order of the
// lanes.
template <bool bfloat16>
__global__ void multiply_wgmma(ProbeFragments p) {
  const int64_t at = block() * 32 + lane();
  float sum[4];
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __shared__ __align__(128) uint32_t b[64];
  if (thread() < 32) {
    b[lane()] = p.b[2 * at];
    b[32 + lane()] = p.b[2 * at + 1];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  sync_block();
  const uint32_t* a = p.a + 4 * at;
  for (int i = 0; i < 4; ++i) sum[i] = p.addend[4 * at + i];
  // Blocks follow one another along k at 128 bytes; there is one along n. No swizzle.
  const uint64_t descriptor =
      uint64_t(shared_address(b) >> 4) | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if constexpr (bfloat16) {
    asm volatile(
        "{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, "
        "add, 1, 1, 0; }"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor));
  } else {
    asm volatile(
        "{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, "
        "add, 1, 1, 0; }"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor));
  }
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(sum[i])::"memory");
#else
  for (int i = 0; i < 4; ++i) sum[i] = NAN;  // not in this build: the caller's first product shows
#endif
  if (thread() < 32)
    for (int i = 0; i < 4; ++i) p.sum[4 * at + i] = sum[i];
}

template <ProbeFunction function>
__global__ void evaluate_function(const uint32_t* arguments, uint32_t* results, int64_t count) {
  const int64_t i = block() * threads() + thread();
  if (i < count)
    results[i] = __float_as_uint(Function<function>::get(__uint_as_float(arguments[i])));
}

template <ProbeFunction function>
__global__ void evaluate_exact(const uint32_t* arguments, double* results, int64_t count) {
  const int64_t i = block() * threads() + thread();
  if (i < count) results[i] = Function<function>::exact(double(__uint_as_float(arguments[i])));
}

constexpr int kThreads = 256;

bool enqueue(const void* kernel, int64_t blocks, int threads, void** arguments, void* stream) {
  return cudaLaunchKernel(kernel, dim3(uint32_t(blocks)), dim3(uint32_t(threads)), arguments, 0,
                          static_cast<cudaStream_t>(stream)) == cudaSuccess;
}

// Calls action(constant of `function`).
template <class Action>
bool with(ProbeFunction function, Action&& action) {
  switch (function) {
    case ProbeFunction::exp2:
      return action(Function<ProbeFunction::exp2>());
    case ProbeFunction::log2:
      return action(Function<ProbeFunction::log2>());
    case ProbeFunction::reciprocal:
      return action(Function<ProbeFunction::reciprocal>());
    case ProbeFunction::divide:
      return action(Function<ProbeFunction::divide>());
  }
  return false;
}

bool evaluate(ProbeFunction function, const uint32_t* arguments, uint32_t* results, int64_t count,
              void* stream) {
  if (function != ProbeFunction::reciprocal)
    return probe_word(function, arguments, results, count, stream);
  void* list[] = {&arguments, &results, &count};
  return enqueue(reinterpret_cast<const void*>(evaluate_function<ProbeFunction::reciprocal>),
                 ceil_div<int64_t>(count, kThreads), kThreads, list, stream);
}

bool multiply(ProbeProduct product, bool bfloat16, const ProbeFragments& fragments, void* stream) {
  if (product == ProbeProduct::mma) return probe_mma(bfloat16, fragments, stream);
  void* list[] = {const_cast<ProbeFragments*>(&fragments)};
  const void* kernel = bfloat16 ? reinterpret_cast<const void*>(multiply_wgmma<true>)
                                : reinterpret_cast<const void*>(multiply_wgmma<false>);
  return enqueue(kernel, fragments.fragments, 128, list, stream);
}

bool sweep(ProbeFunction function, ProbeSweep* result, void* stream) {
  return with(function, [&](auto which) {
    void* list[] = {&result};
    return enqueue(reinterpret_cast<const void*>(sweep_all<decltype(which)>), 132 * 16, kThreads,
                   list, stream);
  });
}

bool reference(ProbeFunction function, const uint32_t* arguments, double* results, int64_t count,
               void* stream) {
  return with(function, [&](auto which) {
    void* list[] = {&arguments, &results, &count};
    return enqueue(reinterpret_cast<const void*>(evaluate_exact<decltype(which)::kFunction>),
                   ceil_div<int64_t>(count, kThreads), kThreads, list, stream);
  });
}

}  // namespace

const ArithmeticProbes& arithmetic_probes() {
  static constexpr ArithmeticProbes kProbes = {
      .evaluate = evaluate, .multiply = multiply, .sweep = sweep, .reference = reference};
  return kProbes;
}

}  // namespace oddtile::cuda
