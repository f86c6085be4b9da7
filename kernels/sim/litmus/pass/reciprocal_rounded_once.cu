// pass: a reciprocal is the quotient of a division, but NaN for 0 and infinity.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape reciprocal_rounded_once_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) reciprocal_rounded_once(Litmus p) {
  bool right = true;
  for (int i = 0; i < 100; ++i) {
    const float a = 1.0f + float(1009 * (32 * i + lane())) * 0x1p-20f;
    right = right && reciprocal(a) == divide(1.0f, a) && reciprocal(-a) == divide(-1.0f, a);
  }
  for (const float edge : {0.0f, -0.0f, __builtin_inff(), __builtin_nanf("")}) {
    const float got = reciprocal(edge);
    right = right && got != got;
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
