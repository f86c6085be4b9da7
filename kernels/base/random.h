// The one source of randomness: splitmix64 (Steele, Lea, Flood 2014). Integers only, no std::
// distributions, so that a seed means the same data on every platform.
#pragma once

#include <cstdint>

namespace oddtile {

class Random {
 public:
  explicit constexpr Random(uint64_t seed) : state_(seed) {}

  // A generator for a named part of a case: independent of how much other parts drew.
  constexpr Random split(uint64_t stream) const {
    Random child(state_ ^ (stream + 1) * 0xD1B54A32D192ED03u);
    child.next();
    return child;
  }

  constexpr uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), bound > 0; the bias of at most bound / 2^32 is accepted.
  constexpr uint32_t below(uint32_t bound) { return uint32_t(((next() >> 32) * bound) >> 32); }

  // Uniform in [low, high], both included.
  constexpr int64_t between(int64_t low, int64_t high) {
    const uint64_t span = uint64_t(high) - uint64_t(low) + 1;
    return int64_t(uint64_t(low) + (span == 0 ? next() : next() % span));
  }

  // Uniform in [0, 1) on a grid of 2^-53.
  constexpr double unit() { return double(next() >> 11) * 0x1p-53; }

  // Close to N(0, 1), in exact integer arithmetic up to one scaling: the sum of twelve 16-bit
  // uniforms (Irwin-Hall), symmetric, |value| <= 6.
  constexpr double normal() {
    int64_t sum = 0;
    for (int draw = 0; draw < 3; ++draw) {
      const uint64_t bits = next();
      for (int part = 0; part < 4; ++part) sum += int64_t((bits >> (16 * part)) & 0xFFFF);
    }
    return double(sum - 6 * 65535) * (1.0 / 65536.0);
  }

 private:
  uint64_t state_;
};

}  // namespace oddtile
