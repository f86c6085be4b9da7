// fail shared_race: lanes of one warp are not in step by themselves.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape sync_warp_missing_shape{.blocks = 1, .threads = 32, .shared_bytes = 128};

ODDTILE_KERNEL(32, 1) sync_warp_missing(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  values[lane()] = load(p.in, lane());
  const float other = values[lane() ^ 1];  // a warp barrier is missing above
  store(p.out, thread(), other == float(lane() ^ 1) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
