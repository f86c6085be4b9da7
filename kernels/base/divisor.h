// Division by a number that is known before it is needed: a product and a shift. A GPU has no
// instruction that divides integers; what the compiler makes of one waits for thirty others.
#pragma once

#include <cstdint>

namespace oddtile {

class Divisor {
 public:
  constexpr Divisor() = default;  // of 1
  // From 1 on.
  constexpr explicit Divisor(int32_t value) : value_(value) {
    int32_t log = 0;
    while (int64_t(1) << log < value) ++log;
    shift_ = 31 + log;
    // 2^shift / value, rounded up by less than 1. A number below 2^31 times that, divided by
    // 2^shift, is too much by less than 2^-log <= 1 / value: the next quotient is not reached.
    factor_ = uint32_t(((uint64_t(1) << shift_) + uint64_t(value) - 1) / uint64_t(value));
  }

  constexpr int32_t value() const { return value_; }
  // floor(number / value); number from 0 on.
  constexpr int32_t quotient(int32_t number) const {
    return int32_t(uint64_t(uint32_t(number)) * factor_ >> shift_);
  }

 private:
  int32_t value_ = 1;
  uint32_t factor_ = uint32_t(1) << 31;
  int32_t shift_ = 31;
};

}  // namespace oddtile
