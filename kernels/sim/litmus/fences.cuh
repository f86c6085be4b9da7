// What litmus kernels of fences share: the same exchange with a fence here or there, or none.
#pragma once

#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

struct NoFence {
  ODDTILE_DEVICE void operator()() const {}
};
struct DeviceFence {
  ODDTILE_DEVICE void operator()() const { fence_device(); }
};

// Each lane stores to `out`, one lane of each of 4 blocks draws a ticket; the lanes of the block
// that draws the last one look at what all have stored. Fences: of each lane after its store, of
// the one lane before and after its ticket.
template <class OfEach, class Before, class After>
ODDTILE_DEVICE void last_block_reads(const Litmus& p, OfEach of_each, Before before, After after) {
  int32_t* last = reinterpret_cast<int32_t*>(shared_memory());
  store(p.out, 256 + 32 * block() + lane(), float(block() + lane()));
  of_each();
  sync_block();
  if (lane() == 0) {
    before();
    *last = atomic_add(p.counter, 0, 1);
    after();
  }
  sync_block();
  bool right = true;
  for (int i = 0; i < 4 && *last == 3; ++i) {
    right = right && load(Global<const float>(p.out), 256 + 32 * i + lane()) == float(i + lane());
  }
  store(p.out, 32 * block() + lane(), right ? 1.0f : 0.0f);
}

// 64 lanes store to global memory, `fence`, and a copy brings it to shared memory.
template <class Fence>
ODDTILE_DEVICE void copy_of_stored(const Litmus& p, Fence fence) {
  Mbarrier* full = ready_barriers(shared_memory() + 512, 1, 1);
  store(p.stored, thread(), from_float<Bfloat16>(float(thread())));
  fence();
  sync_block();
  if (thread() == 0) {
    mbarrier_arrive_expect(full, 128);
    load_bulk(shared_memory(), Global<const Bfloat16>(p.stored), 128, full);
  }
  mbarrier_wait(full, 0);
  const Bfloat16 got = reinterpret_cast<const Bfloat16*>(shared_memory())[thread()];
  store(p.out, thread(), to_float(got) == float(thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
