// What a litmus kernel works on: filled by the host, described by tensor maps of either machine.
#pragma once

#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile {

// Far apart, so that what is out of bounds of one is not within the other.
struct alignas(128) LitmusMemory {
  float in[kLitmusElements];
  float gap_0[256];
  float out[kLitmusElements];
  float gap_1[256];
  alignas(128) Bfloat16 tile[kTileRows * kTileColumns];
  float gap_2[256];
  alignas(128) Bfloat16 stored[kTileRows * kTileColumns];
  float gap_3[256];
  int32_t counter;
};

inline void fill(LitmusMemory& memory) {
  memory = {};
  for (int i = 0; i < kLitmusElements; ++i) memory.in[i] = float(i);
  for (int i = 0; i < kTileRows * kTileColumns; ++i) {
    memory.tile[i] = float_to_bfloat16(tile_value(i / kTileColumns, i % kTileColumns));
  }
}

// Parameters that point into `at`, memory of the machine whose `encode` (its encode_tensor_map)
// makes the maps. Returns false where it refuses one.
template <class Encode>
bool describe(LitmusMemory& at, Encode encode, Litmus* litmus) {
  litmus->in = Global<const float>(at.in);
  litmus->out = Global<float>(at.out);
  litmus->tile = Global<const Bfloat16>(at.tile);
  litmus->stored = Global<Bfloat16>(at.stored);
  litmus->counter = Global<int32_t>(&at.counter);
  const auto matrix = [&](const Bfloat16* base, Swizzle swizzle, int columns) {
    TensorLayout layout;
    layout.base = base;
    layout.element = TensorElement::bfloat16;
    layout.swizzle = swizzle;
    layout.rank = 2;
    layout.extent[0] = kTileColumns;
    layout.extent[1] = kTileRows;
    layout.stride_bytes[1] = kTileColumns * 2;
    layout.box[0] = columns;
    layout.box[1] = 64;
    return layout;
  };
  TensorLayout deep = matrix(at.tile, Swizzle::span_128, 64);
  deep.rank = 4;
  const int extents[] = {kTileColumns, 8, 5, 2};
  const int boxes[] = {64, 4, 2, 1};
  for (int i = 0; i < 4; ++i) {
    deep.extent[i] = extents[i];
    deep.box[i] = boxes[i];
    if (i > 1) deep.stride_bytes[i] = deep.stride_bytes[i - 1] * extents[i - 1];
  }
  TensorLayout panels = matrix(at.tile, Swizzle::span_128, 64);
  panels.rank = 5;
  panels.extent[0] = 64;
  panels.box[1] = 8;
  panels.stride_bytes[2] = panels.stride_bytes[3] = 16;  // of one item each
  panels.stride_bytes[4] = 128;
  panels.box[4] = 2;
  return encode(&litmus->tile_128, matrix(at.tile, Swizzle::span_128, 64)) &&
         encode(&litmus->tile_64, matrix(at.tile, Swizzle::span_64, 32)) &&
         encode(&litmus->tile_32, matrix(at.tile, Swizzle::span_32, 16)) &&
         encode(&litmus->tile_plain, matrix(at.tile, Swizzle::none, 64)) &&
         encode(&litmus->tile_4d, deep) && encode(&litmus->tile_panels, panels) &&
         encode(&litmus->stored_128, matrix(at.stored, Swizzle::span_128, 64)) &&
         encode(&litmus->stored_plain, matrix(at.stored, Swizzle::none, 64));
}

}  // namespace oddtile
