// pass: a selector names a byte of two words for each byte of the result, or that byte's highest
// bit throughout.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bytes_selected_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) bytes_selected(Litmus p) {
  const uint32_t low = opaque(0x83427F01u);
  const uint32_t high = opaque(0xFF80C405u);
  bool right = select_bytes(low, high, 0x3210) == low && select_bytes(low, high, 0x7654) == high;
  right = right && select_bytes(low, high, 0x0417) == 0x01057FFFu;
  right = right && select_bytes(low, high, 0xBA98) == 0xFF000000u;
  right = right && select_bytes(low, high, 0xBBFC) == 0xFFFFFF00u;
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
