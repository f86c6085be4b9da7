// pass: whole structures move through shared memory.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape structs_through_shared_shape{
    .blocks = 1, .threads = 64, .shared_bytes = 1024};

ODDTILE_KERNEL(64, 1) structs_through_shared(Litmus p) {
  using Quad = Vector<float, 4>;
  Quad* quads = reinterpret_cast<Quad*>(shared_memory());
  quads[thread()] = load_as<Quad>(p.in, thread());
  sync_block();
  const Quad other = quads[63 - thread()];
  store(p.out, thread(), other.element[2] == float(4 * (63 - thread()) + 2) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
