// Tensor maps on the simulator: the layout itself in the 128 bytes, and the box that a copy moves,
// 16 bytes at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/tensor_map.h"

namespace oddtile::simulator {

// False where the layout breaks a rule.
bool write_tensor_map(TensorMap* map, const TensorLayout& layout);
// False: nobody encoded this map.
bool read_tensor_map(const TensorMap& map, TensorLayout* layout);

// 16 bytes of a box. Bytes outside [valid_begin, valid_end) lie outside the tensor.
struct BoxPiece {
  uintptr_t global;  // where the tensor continued, byte 0 would lie here
  uint32_t shared;   // shared address
  uint8_t valid_begin;
  uint8_t valid_end;
};
// The box at these coordinates, of which the first row would lie at shared address `shared`. Copies
// to shared memory cut the tensor's rows by bytes; `stores`, copies from it, by whole pieces (an
// H200 writes the last 16 bytes of a row of 30 in full).
std::vector<BoxPiece> box_pieces(const TensorLayout& layout, const int32_t* at, uint32_t shared,
                                 bool stores = false);

}  // namespace oddtile::simulator
