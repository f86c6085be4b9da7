// What the hardware profile measures: the approximate functions and the matrix unit, one word at a
// time, on given operands. Pointers are device pointers of the machine; every call enqueues on
// `stream` and returns false where the machine does not offer it.
#pragma once

#include <cstdint>

namespace oddtile {

enum class ProbeFunction { exp2, log2, reciprocal, divide };  // divide: 1 / x

enum class ProbeProduct { mma, wgmma };

// 16x8x16 products in the order of the lanes: a[fragment][lane][4] and b[fragment][lane][2] hold
// two 16-bit numbers a word, addend and sum[fragment][lane][4] floats, as mma.sync takes them.
struct ProbeFragments {
  const uint32_t* a;
  const uint32_t* b;
  const float* addend;
  float* sum;
  int64_t fragments;
};

// A function against double over all 2^32 arguments. Largest errors come as keys, the error as a
// float, rounded up, above the argument's bits. Zero before the call.
struct ProbeSweep {
  uint64_t relative;                  // of normal results; log2: where |log2| >= 1
  uint64_t absolute;                  // log2: where |log2| < 1
  uint64_t ulp;                       // of the results that `relative` is of
  uint64_t arguments;                 // normal ones with normal results
  uint64_t not_nearest;               // of these, results that are not the nearest float
  uint64_t not_monotone;              // neighbouring arguments whose results are out of order
  uint64_t not_monotone_at;           // one of them
  uint64_t subnormal_results;         // exact result below 2^-126
  uint64_t subnormal_results_zero;    // of these, got 0
  uint64_t subnormal_arguments;       // where it shows whether the argument counts as 0
  uint64_t subnormal_arguments_zero;  // of these, it does
  uint64_t wrong_class;               // of zeros, infinities, NaN, overflow
  uint64_t wrong_class_at;            // one of them
};

struct ArithmeticProbes {
  bool (*evaluate)(ProbeFunction function, const uint32_t* arguments, uint32_t* results,
                   int64_t count, void* stream);
  bool (*multiply)(ProbeProduct product, bool bfloat16, const ProbeFragments& fragments,
                   void* stream);
  bool (*sweep)(ProbeFunction function, ProbeSweep* result, void* stream);
  // The double that the sweep compares with.
  bool (*reference)(ProbeFunction function, const uint32_t* arguments, double* results,
                    int64_t count, void* stream);
};

namespace sim {
const ArithmeticProbes& arithmetic_probes();
}  // namespace sim
namespace cuda {
const ArithmeticProbes& arithmetic_probes();
}  // namespace cuda

}  // namespace oddtile
