// pass: a barrier between the last read of a buffer and its refill.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_refill_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) copy_refill(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  bool right = true;
  for (int round = 0; round < 4; ++round) {
    copy_async_16(values + 4 * thread(), p.in + (128 * round + 4 * thread()), 16);
    commit_copies();
    wait_copies<0>();
    sync_block();
    right = right && values[255 - 4 * thread()] == float(128 * round + 255 - 4 * thread());
    sync_block();
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
