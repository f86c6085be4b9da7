#include "fuzz/targets/fuzz_body.h"

#include <cstdio>
#include <cstdlib>
#include <span>

#include "fuzz/codec/codec.h"
#include "properties/checks/checks.h"

// Read by AddressSanitizer when the process starts; what ASAN_OPTIONS says goes before it. What is
// freed is handed out again at once, and where it was allocated is not written down: kernels
// allocate nothing, and fresh pages and stack traces for every tensor are a third of the time.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0:malloc_context_size=0";
}

namespace oddtile::fuzz {
namespace {

Tally counted;

void print_tally() {
  std::fprintf(stderr, "oddtile: %lld cases checked (%lld vacuous), %lld elements judged\n",
               static_cast<long long>(counted.cases), static_cast<long long>(counted.vacuous),
               static_cast<long long>(counted.judged));
}

// Before any case: a target that ends without one must say 0, which fuzzer.cmake makes a failure.
const bool registered = std::atexit(print_tally) == 0;

}  // namespace

const Tally& tally() {
  return counted;
}

const oddtile_implementation& fused_on_sim() {
  return *properties::sim_machine().implementations()[0];
}

int check_bytes(oddtile_kernel kernel, const uint8_t* data, size_t size,
                const oddtile_implementation& which) {
  if (!registered) std::abort();
  const oracles::Case subject = decode(kernel, std::span(data, size));
  const properties::CheckResult result =
      properties::check_case(subject, which, properties::sim_machine());
  ++counted.cases;
  counted.vacuous += result.verdict == oracles::Verdict::vacuous;
  for (const oracles::Quantity& quantity : result.judgement.quantities) {
    counted.judged += quantity.judged;
  }
  if (result.offered && result.verdict != oracles::Verdict::fail) return 0;
  std::fprintf(stderr, "%s\n", result.offered ? result.report.c_str() : "a case is not offered");
  std::abort();
}

}  // namespace oddtile::fuzz
