// pass: lines and sectors are asked for up to both ends, and nothing is read.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape prefetches_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) prefetches(Litmus p) {
  prefetch(p.in, thread() * kLitmusElements / 32);
  prefetch(p.in, kLitmusElements - 1);
  prefetch_sector(p.out, thread());
  prefetch_sector(p.out, kLitmusElements - 1);
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
