// The simulator's probes: its words, and nothing beyond them.
#include "kernels/probe/probe.h"
#include "kernels/probe/words.cuh"

namespace oddtile::sim {

const ArithmeticProbes& arithmetic_probes() {
  static constexpr ArithmeticProbes kProbes = {
      .evaluate = probe_word,
      .multiply =
          [](ProbeProduct product, bool bfloat16, const ProbeFragments& fragments, void* stream) {
            return product == ProbeProduct::mma && probe_mma(bfloat16, fragments, stream);
          },
      .sweep = [](ProbeFunction, ProbeSweep*, void*) { return false; },
      .reference = [](ProbeFunction, const uint32_t*, double*, int64_t, void*) { return false; }};
  return kProbes;
}

}  // namespace oddtile::sim
