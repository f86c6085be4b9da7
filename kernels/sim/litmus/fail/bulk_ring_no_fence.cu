// fail proxy_race: what plain code has read is overwritten by a copy, with a
// barrier but no fence in between.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_ring_no_fence_shape{.blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) bulk_ring_no_fence(ODDTILE_GRID_CONSTANT Litmus p) {
  float* stages = reinterpret_cast<float*>(shared_memory());
  Mbarrier* full = ready_barriers(shared_memory() + 512, 2, 1);
  Mbarrier* empty = reinterpret_cast<Mbarrier*>(shared_memory() + 528);
  if (thread() == 0) {
    mbarrier_init(empty, 32);
    mbarrier_init(empty + 1, 32);
  }
  sync_block();
  bool right = true;
  if (warp() == 0) {
    if (elect_one()) {
      for (int step = 0; step < 8; ++step) {
        const int stage = step % 2;
        mbarrier_wait(empty + stage, uint32_t(step / 2 + 1) % 2);
        mbarrier_arrive_expect(full + stage, 256);
        load_bulk(stages + 64 * stage, p.in + 64 * step, 256, full + stage);
      }
    }
  } else {
    for (int step = 0; step < 8; ++step) {
      const int stage = step % 2;
      mbarrier_wait(full + stage, uint32_t(step / 2) % 2);
      right = right && stages[64 * stage + lane()] == float(64 * step + lane());
      // no fence_async_proxy_shared()
      mbarrier_arrive(empty + stage);
    }
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
