// fail shared_race: neighbours write two bytes each, one byte apart.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape shared_bytes_overlap_shape{.blocks = 1, .threads = 32, .shared_bytes = 64};

ODDTILE_KERNEL(32, 1) shared_bytes_overlap(Litmus p) {
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared_memory());
  bytes[lane()] = uint8_t(lane());
  bytes[lane() + 1] = uint8_t(lane());
  store(p.out, thread(), 1.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
