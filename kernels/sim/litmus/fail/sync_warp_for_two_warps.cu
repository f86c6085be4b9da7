// fail shared_race: a warp barrier orders its own warp only.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape sync_warp_for_two_warps_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 256};

ODDTILE_KERNEL(64, 1) sync_warp_for_two_warps(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[thread()] = float(thread());
  sync_warp();
  const float other = values[thread() ^ 32];
  store(p.out, thread(), other == float(thread() ^ 32) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
