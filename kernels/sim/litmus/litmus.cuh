// The frame of a litmus kernel. `litmus/{pass,fail}/<name>.cu` defines a kernel `<name>(Litmus)`
// and its `<name>_shape` in namespace oddtile::ODDTILE_MACHINE. Its first line is the verdict:
//
//   // pass: <sentence>                          out[t] is 1 for every thread t, no hazard
//   // fail <hazard>: <sentence>                 that hazard under every schedule
//   // fail <hazard> under some schedule: ...    under at least one of those tried, not all
//   // fail result: ...                          out[t] is not 1 for some t (also "under some
//                                                schedule")
//   // fail shared_race, result: ...             both; races only where kernels are instrumented
//
// in[i] is i for i < kLitmusElements. README.md says how to add one.
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile {

inline constexpr int kLitmusElements = 1024;  // of `in` and of `out`

// A matrix of small integers in bfloat16, and another one of its shape to store to.
inline constexpr int kTileRows = 80;
inline constexpr int kTileColumns = 72;
constexpr float tile_value(int row, int column) {
  return float((row * 7 + column * 3) % 31 - 15);
}
// Outside it is 0.
constexpr float tile_value_or_0(int row, int column) {
  const bool inside = row >= 0 && row < kTileRows && column >= 0 && column < kTileColumns;
  return inside ? tile_value(row, column) : 0.0f;
}

struct Litmus {
  Global<const float> in;
  Global<float> out;
  Global<const Bfloat16> tile;
  Global<Bfloat16> stored;  // zeros
  Global<int32_t> counter;  // one zero
  TensorMap tile_128;       // swizzles of 128, 64, 32 bytes; boxes of 64 rows that fill them
  TensorMap tile_64;
  TensorMap tile_32;
  TensorMap tile_plain;   // 64 x 64, no swizzle
  TensorMap tile_4d;      // columns, 8 rows, 5, 2; box 64 x 4 x 2 x 1, swizzle of 128 bytes
  TensorMap tile_panels;  // 64 columns, 80 rows, 1, 1, 1 panel; box 64 x 8 x 1 x 1 x 2
  TensorMap stored_128;   // as tile_128
  TensorMap stored_plain;
};

}  // namespace oddtile
