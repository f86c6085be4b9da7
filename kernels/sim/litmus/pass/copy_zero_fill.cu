// pass: bytes beyond valid_bytes become 0 and are not read, so 0 needs no address at all.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape copy_zero_fill_shape{.blocks = 1, .threads = 32, .shared_bytes = 512};

ODDTILE_KERNEL(32, 1) copy_zero_fill(Litmus p) {
  float* rows = reinterpret_cast<float*>(shared_memory());
  const int32_t valid = 4 * (lane() % 5);
  const Global<const float> nowhere(nullptr);
  copy_async_16(rows + 4 * lane(), valid == 0 ? nowhere : p.in + 4, valid);
  commit_copies();
  wait_copies<0>();
  bool right = true;
  for (int i = 0; i < 4; ++i) {
    const float got = rows[4 * lane() + i];
    right = right && got == (4 * i < valid ? float(4 + i) : 0.0f);
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
