// pass: a source lane counts modulo 32, and types of 4 and 8 bytes travel whole.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape shuffle_wraps_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) shuffle_wraps(Litmus p) {
  const int32_t next = shuffle(thread(), thread() + 1);
  const int64_t wide = shuffle(int64_t(thread()) << 40, 33);
  store(p.out, thread(), next == (thread() + 1) % 32 && wide == int64_t(1) << 40 ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
