// Matrix words of a warp that are computed together: each lane files where its operands and results
// lie and goes on; the last one to reach the end of the batch computes them all, in order. A word
// of a batch costs no switch between lanes. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sim/lane.h"

namespace oddtile::simulator {

enum class Word : uint8_t;

struct MatrixBatch {
  static constexpr int kWordsMax = 32;  // then it is computed, and the next one begins
  static constexpr int kLanes = 32;

  struct Load {
    const std::byte* row[kLanes];
    uint32_t* to[kLanes];
  };
  struct Product {
    float* sum[2][kLanes];  // of columns 0 to 7 and 8 to 15
    const uint32_t* a[kLanes];
    const uint32_t* b[kLanes];
  };
  struct Entry {
    Word word;
    bool variant;  // transposed, or bfloat16
    Site site;
    union {
      Load load;
      Product product;
    };
  };

  int count = 0;        // words that some lane has filed
  bool closed = false;  // some lane has reached the end
  Entry entry[kWordsMax];
};

}  // namespace oddtile::simulator
