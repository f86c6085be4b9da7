// pass: a vector is read whole while other blocks write the elements that do not count.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape covering_load_shape{.blocks = 8, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) covering_load(Litmus p) {
  using Quad = Vector<float, 4>;
  const Global<const float> shared_line = p.out + 512;
  if (lane() == 0) {
    const int own = int(block() % 4);
    const Quad line = load_covering<Quad>(shared_line, block() / 4, 1u << own);
    store(p.out, 512 + block(), line.element[own] + 1.0f);
  }
  store(p.out, 32 * block() + lane(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
