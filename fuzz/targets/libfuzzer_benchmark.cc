// Runs the benchmarks inside a libFuzzer process, so that kernels call libFuzzer's own hooks, and
// ends it before it would fuzz.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  benchmark::Initialize(count, *arguments);
  benchmark::RunSpecifiedBenchmarks();
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  return 0;
}
