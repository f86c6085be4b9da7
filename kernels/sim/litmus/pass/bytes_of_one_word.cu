// pass: neighbours own neighbouring bytes and do not disturb one another.
#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape bytes_of_one_word_shape{.blocks = 1, .threads = 64, .shared_bytes = 256};

ODDTILE_KERNEL(64, 1) bytes_of_one_word(Litmus p) {
  uint8_t* bytes = reinterpret_cast<uint8_t*>(shared_memory());
  bytes[thread()] = uint8_t(thread());
  bytes[64 + thread()] = uint8_t(2 * thread());
  const bool own = bytes[thread()] == uint8_t(thread());
  sync_block();
  store(p.out, thread(), own && bytes[127 - thread()] == uint8_t(126 - 2 * thread()) ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
