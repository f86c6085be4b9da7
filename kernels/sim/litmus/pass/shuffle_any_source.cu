// pass: every lane names its own source, in 4 and in 8 bytes.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape shuffle_any_source_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) shuffle_any_source(Litmus p) {
  const int source = (7 * lane() + 3) % 32;
  const int32_t narrow = shuffle(lane(), source);
  const int64_t wide = shuffle(int64_t(lane()) << 40, source);
  store(p.out, thread(), narrow == source && wide == int64_t(source) << 40 ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
