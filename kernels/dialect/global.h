// Types of the dialect that are the same on both machines.
#pragma once

#include <cstdint>

namespace oddtile {

// A pointer to global memory that only the dialect's words can follow, so that every access is
// counted and checked on the simulator and is a plain instruction on the GPU.
template <class T>
class Global {
 public:
  constexpr Global() = default;
  constexpr explicit Global(T* pointer) : pointer_(pointer) {}
  template <class U>  // Global<T> to Global<const T>
  constexpr Global(Global<U> other) : pointer_(other.unchecked()) {}

  constexpr Global operator+(int64_t elements) const { return Global(pointer_ + elements); }
  constexpr explicit operator bool() const { return pointer_ != nullptr; }

  // For the dialect's own words (and address arithmetic in host code); kernels never call it.
  constexpr T* unchecked() const { return pointer_; }

 private:
  T* pointer_ = nullptr;
};

// `count` elements that move as one access: 2, 4, 8 or 16 bytes, naturally aligned.
template <class T, int count>
struct alignas(sizeof(T) * count) Vector {
  T element[count];
};

// One-dimensional launch: `blocks` blocks of `threads` lanes, a multiple of 32. Every
// `cluster_blocks` of them, 1 to 16, a divisor of `blocks`, run together (sm_90).
struct LaunchShape {
  int64_t blocks = 1;
  int32_t threads = 32;
  int64_t shared_bytes = 0;
  int32_t cluster_blocks = 1;
  // Starts while the clear_beside just before it still runs: see await_earlier_launches.
  bool early = false;
};

// What the machine's approximate instructions and matrix unit promise; kernels copy it into the
// profile that they declare, and the error bounds rest on it.
struct MachineArithmetic {
  int mma_products;       // products per accumulation group
  int mma_fraction_bits;  // fraction bits kept when a group is aligned
  double exp2_error;      // relative
  bool exp2_flushes;      // results below 2^-126 are 0
  double log2_error;      // relative, or absolute where |log2 x| < 1
};

}  // namespace oddtile
