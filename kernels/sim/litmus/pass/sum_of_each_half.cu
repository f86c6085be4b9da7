// pass: each half of a pair has a sum of its own, rounded once: to even, up to infinity, and down
// to subnormal numbers.
#include <bit>

#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::ODDTILE_MACHINE {

constexpr LaunchShape sum_of_each_half_shape{.blocks = 1, .threads = 32, .shared_bytes = 0};

// Whether the half of `got` at `shift` is the sum of those of `a` and `b`, its zero's sign
// included.
template <class T>
ODDTILE_DEVICE bool sum_of_half(uint32_t got, uint32_t a, uint32_t b, int shift) {
  const auto half = [&](uint32_t bits) { return to_float(T{uint16_t(bits >> shift)}); };
  const float is = half(got), should = to_float(from_float<T>(half(a) + half(b)));
  return std::bit_cast<uint32_t>(is) == std::bit_cast<uint32_t>(should) ||
         (is != is && should != should);
}

ODDTILE_KERNEL(32, 1) sum_of_each_half(Litmus p) {
  // fp16: 1, the number above it, half a unit of it, -0, +0, the smallest subnormal, the largest
  // number, -inf; as bf16 they mean other numbers.
  const uint32_t bits[] = {0x3C00, 0x3C01, 0x1000, 0x8000, 0x0000, 0x0001, 0x7BFF, 0xFC00};
  const uint32_t a = bits[thread() % 8] | bits[thread() / 4] << 16;
  bool right = true;
  for (int other = 0; other < 8; ++other) {
    const uint32_t b = bits[other] | bits[7 - other] << 16;
    const uint32_t fp16 = sum_of_pairs<Half>(a, b), bf16 = sum_of_pairs<Bfloat16>(a, b);
    for (int shift = 0; shift < 32; shift += 16) {
      right = right && sum_of_half<Half>(fp16, a, b, shift);
      right = right && sum_of_half<Bfloat16>(bf16, a, b, shift);
    }
  }
  store(p.out, thread(), right ? 1.0f : 0.0f);
}

}  // namespace oddtile::ODDTILE_MACHINE
