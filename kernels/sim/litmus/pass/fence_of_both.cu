// pass: one fence for what copies read in global and in shared memory.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape fence_of_both_shape{.blocks = 1, .threads = 64, .shared_bytes = 8192};

ODDTILE_KERNEL(64, 1) fence_of_both(Litmus p) {
  Mbarrier* full = ready_barriers(shared_memory() + 1024, 1, 1);
  float* row = reinterpret_cast<float*>(shared_memory());
  store(p.stored, thread(), from_float<Bfloat16>(float(thread())));
  row[thread()] = float(thread() + 1);
  fence_async_proxy();
  sync_block();
  if (thread() == 0) {
    mbarrier_arrive_expect(full, 128);
    load_bulk(row + 128, Global<const Bfloat16>(p.stored), 128, full);
    store_bulk(p.out + 512, row, 256);
    commit_bulk();
    wait_bulk<0>();
  }
  mbarrier_wait(full, 0);
  sync_block();
  const Bfloat16 got = reinterpret_cast<const Bfloat16*>(row + 128)[thread()];
  const bool right = load(Global<const float>(p.out), 512 + thread()) == float(thread() + 1);
  store(p.out, thread(), right && to_float(got) == float(thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
