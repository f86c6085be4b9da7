// fail uninitialised_shared_read: the copy brought 16 bytes, the lane reads 20.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_tail_unwritten_shape{.blocks = 1, .threads = 32, .shared_bytes = 640};

ODDTILE_KERNEL(32, 1) copy_tail_unwritten(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * lane(), p.in + 4 * lane(), 16);
  commit_copies();
  wait_copies<0>();
  sync_warp();
  const float next = values[4 * lane() + 4];  // of the last lane: nobody's
  store(p.out, thread(), next == float(4 * lane() + 4) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
