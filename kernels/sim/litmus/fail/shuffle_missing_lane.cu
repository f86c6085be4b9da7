// fail collective_divergence: one lane returns before the exchange.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape shuffle_missing_lane_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) shuffle_missing_lane(Litmus p) {
  if (thread() == 31) return;
  store(p.out, thread(), float(shuffle_xor(thread(), 1)));
}

}  // namespace oddtile::ODDTILE_MACHINE
