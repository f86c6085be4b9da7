// pass: every lane of every block draws another number.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape atomic_tickets_shape{.blocks = 3, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) atomic_tickets(ODDTILE_GRID_CONSTANT Litmus p) {
  const int32_t ticket = atomic_add(p.counter, 0, 1);
  store(p.out, ticket, 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
