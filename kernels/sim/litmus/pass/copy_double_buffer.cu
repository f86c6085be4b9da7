// pass: with one group in flight, the group awaited is there and the buffer is free again.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_double_buffer_shape{.blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) copy_double_buffer(Litmus p) {
  float* buffer = reinterpret_cast<float*>(shared_memory());
  copy_async_16(buffer + 4 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  bool right = true;
  for (int step = 0; step < 6; ++step) {
    float* next = buffer + 128 * ((step + 1) % 2);
    if (step < 5) copy_async_16(next + 4 * lane(), p.in + (128 * (step + 1) + 4 * lane()), 16);
    commit_copies();
    wait_copies<1>();
    sync_block();
    const float got = buffer[128 * (step % 2) + 127 - lane()];
    right = right && got == float(128 * step + 127 - lane());
    sync_block();
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
