// pass: a plain run of bytes goes out.
#include "kernels/sim/litmus/tiles.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bulk_store_run_shape{.blocks = 1, .threads = 32, .shared_bytes = 1024};

ODDTILE_KERNEL(32, 1) bulk_store_run(ODDTILE_GRID_CONSTANT Litmus p) {
  float* shared = reinterpret_cast<float*>(shared_memory());
  shared[thread()] = 1.0f;
  fence_async_proxy_shared();
  sync_warp();
  if (elect_one()) {
    store_bulk(p.out, shared, 128);
    commit_bulk();
    wait_bulk<0>();
  }
}

}  // namespace oddtile::ODDTILE_MACHINE
