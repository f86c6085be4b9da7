// fail global_race: a lane reads from memory what its neighbour has just stored.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape global_exchange_without_barrier_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) global_exchange_without_barrier(Litmus p) {
  store(p.out, 512 + thread(), float(thread()));
  const float other = load(Global<const float>(p.out), 512 + 63 - thread());
  store(p.out, thread(), other == float(63 - thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
