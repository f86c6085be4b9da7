// fail misaligned: sixteen bytes at a base that is a multiple of four only.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape misaligned_vector_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) misaligned_vector(Litmus p) {
  const auto four = load_as<Vector<float, 4>>(p.in + 1, lane());
  store(p.out, thread(), four.element[0]);
}

}  // namespace oddtile::ODDTILE_MACHINE
