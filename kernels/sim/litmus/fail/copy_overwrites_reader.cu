// fail shared_race: a buffer is refilled while another warp may still read it.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_overwrites_reader_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) copy_overwrites_reader(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * thread(), p.in + 4 * thread(), 16);
  commit_copies();
  wait_copies<0>();
  sync_block();
  const float got = values[255 - 4 * thread()];
  copy_async_16(values + 4 * thread(), p.in + (256 + 4 * thread()), 16);  // a barrier is missing
  commit_copies();
  wait_copies<0>();
  store(p.out, thread(), got == float(255 - 4 * thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
