// pass: sync_warp makes what one lane wrote visible to its warp.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape warp_exchange_shape{.blocks = 1, .threads = 64, .shared_bytes = 256};

ODDTILE_KERNEL(64, 1) warp_exchange(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory()) + 32 * warp();
  values[lane()] = load(p.in, thread());
  sync_warp();
  const float other = values[lane() ^ 1];
  store(p.out, thread(), other == float(thread() ^ 1) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
