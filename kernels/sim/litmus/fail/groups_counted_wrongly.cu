// fail shared_race: three groups, and a wait that leaves the last two in flight.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape groups_counted_wrongly_shape{
    .blocks = 1, .threads = 32, .shared_bytes = 1536};

ODDTILE_KERNEL(32, 1) groups_counted_wrongly(Litmus p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  for (int group = 0; group < 3; ++group) {
    copy_async_16(values + (128 * group + 4 * lane()), p.in + (128 * group + 4 * lane()), 16);
    commit_copies();
  }
  wait_copies<2>();  // should be 1
  const float got = values[128 + 4 * lane()];
  wait_copies<0>();
  store(p.out, thread(), got == float(128 + 4 * lane()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
