// Elements of vector add and softmax, one recipe per family of Values.
#pragma once

#include <span>

#include "kernels/base/random.h"
#include "oracles/case/case.h"

namespace oddtile::oracles {

// A long row is made in chunks of this many columns, each from its own stream.
inline constexpr int64_t kChunk = 4096;

struct RowPart {
  int64_t row = 0;
  int64_t columns = 0;       // of the whole row
  int64_t begin = 0;         // first column of this part, a multiple of kChunk
  bool elementwise = false;  // vector add: no row belongs together, every element may be special
};

// From this length on there are so many tile edges that each would drown in the others.
inline constexpr int64_t kLongRow = 4096;

// Keys or columns that a fault at a tile boundary would touch, whatever the tile (16, 32, 64, ...);
// of long rows, which only tiles of 64 and more serve, the edges of those.
inline bool is_edge(int64_t index, int64_t length) {
  const int64_t tile = length > kLongRow ? 64 : 16;
  return index == 0 || index == length - 1 || index % tile == 0 || index % tile == tile - 1;
}

// `tensor` is the generator of the tensor; the result depends on it and the part's place alone.
void fill_values(Values values, oddtile_dtype dtype, Random tensor, RowPart part,
                 std::span<float> out);

// What stands in a masked column of softmax: mostly something that would ruin the row if it were
// seen (NaN, infinities, a huge number).
float masked_value(oddtile_dtype dtype, Random& random, float ordinary);

}  // namespace oddtile::oracles
