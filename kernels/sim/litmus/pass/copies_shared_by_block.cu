// pass: every lane awaits its own copies, the barrier makes them everybody's.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copies_shared_by_block_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) copies_shared_by_block(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * thread(), p.in + 4 * thread(), 16);
  commit_copies();
  wait_copies<0>();
  sync_block();
  store(p.out, thread(), values[255 - 4 * thread()] == float(255 - 4 * thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
