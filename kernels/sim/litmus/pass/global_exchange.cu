// pass: the block barrier orders global memory within the block, too.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape global_exchange_shape{.blocks = 2, .threads = 64, .shared_bytes = 0};

ODDTILE_KERNEL(64, 1) global_exchange(Litmus p) {
  const int64_t base = 512 + 64 * block();
  store(p.out, base + thread(), float(thread()));
  sync_block();
  const float other = load(Global<const float>(p.out), base + 63 - thread());
  store(p.out, 64 * block() + thread(), other == float(63 - thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
