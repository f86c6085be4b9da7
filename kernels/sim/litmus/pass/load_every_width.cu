// pass: loads of 1, 2, 4, 8 and 16 bytes see the same memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape load_every_width_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) load_every_width(Litmus p) {
  const auto wide = load_as<Vector<float, 4>>(p.in, lane());
  const auto pair = load_as<Vector<float, 2>>(p.in, 2 * lane());
  const auto bits = load_as<uint16_t>(p.in, 8 * lane() + 1);
  const auto byte = load_as<uint8_t>(p.in, 16 * lane() + 3);
  const bool same = wide.element[0] == pair.element[0] && wide.element[1] == pair.element[1] &&
                    byte == bits >> 8 && wide.element[3] == load(p.in, 4 * lane() + 3);
  store(p.out, thread(), same && address_modulo(p.in + 4, 16) == 0u ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
