// fail global_race: a block reads what another block of the launch writes.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape blocks_exchange_shape{.blocks = 4, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) blocks_exchange(Litmus p) {
  store(p.out, 32 * block() + lane(), 1.0f);
  const float other = load(Global<const float>(p.out), 32 * ((block() + 1) % 4) + lane());
  store(p.out, 512 + 32 * block() + lane(), other);
}

}  // namespace oddtile::ODDTILE_MACHINE
