// pass: each half of a pair has a maximum of its own: a NaN is dropped, +0 is above -0, and what
// is not normal stays as it is.
#include <bit>

#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape larger_of_each_half_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

// Whether the half of `got` at `shift` is the maximum of those of `a` and `b`.
template <class T>
ODDTILE_DEVICE bool larger_of_half(uint32_t got, uint32_t a, uint32_t b, int shift) {
  const auto half = [&](uint32_t bits) { return to_float(T{uint16_t(bits >> shift)}); };
  const float is = half(got), should = maximum(half(a), half(b));
  return std::bit_cast<uint32_t>(is) == std::bit_cast<uint32_t>(should) ||
         (is != is && should != should);
}

ODDTILE_KERNEL(32, 1) larger_of_each_half(Litmus p) {
  // fp16: 1, -2, -0, +0, NaN, -inf, the smallest subnormal, inf; as bf16 they mean other numbers.
  const uint32_t bits[] = {0x3C00, 0xC000, 0x8000, 0x0000, 0x7E00, 0xFC00, 0x0001, 0x7C00};
  const uint32_t a = bits[thread() % 8] | bits[thread() / 4] << 16;
  bool right = true;
  for (int other = 0; other < 8; ++other) {
    const uint32_t b = bits[other] | bits[7 - other] << 16;
    const uint32_t fp16 = maximum_of_pairs<Half>(a, b), bf16 = maximum_of_pairs<Bfloat16>(a, b);
    for (int shift = 0; shift < 32; shift += 16) {
      right = right && larger_of_half<Half>(fp16, a, b, shift);
      right = right && larger_of_half<Bfloat16>(bf16, a, b, shift);
    }
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
