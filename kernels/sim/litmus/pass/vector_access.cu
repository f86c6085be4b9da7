// pass: two, four, eight and sixteen bytes move as one access where they are aligned.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape vector_access_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

ODDTILE_KERNEL(32, 1) vector_access(Litmus p) {
  const auto four = load_as<Vector<float, 4>>(p.in, lane());
  const auto two = load_as<Vector<float, 2>>(p.in + 2, lane());
  bool right = two.element[0] == float(2 * lane() + 2) && two.element[1] == float(2 * lane() + 3);
  for (int i = 0; i < 4; ++i) right = right && four.element[i] == float(4 * lane() + i);
  right = right && address_modulo(p.in + 1, 16) == 4 && address_modulo(p.in, 16) == 0;
  const Vector<float, 2> ones{{1.0f, right ? 1.0f : 0.0f}};
  if (lane() < 16) store_as<Vector<float, 2>>(p.out, lane(), ones);
}

}  // namespace oddtile::ODDTILE_MACHINE
