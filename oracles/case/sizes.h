// Interesting sizes, and how much work a case is: what generators and the fuzz codec share.
#pragma once

#include <cstdint>
#include <span>

#include "oracles/case/case.h"

namespace oddtile::oracles {

// 0, 1, edges of the tiles 16, 32, 64 and 128 with their neighbours, primes; ascending.
std::span<const int64_t> interesting_lengths();

// Columns of softmax: the same and edges of 256, 512, 1024, 2048.
std::span<const int64_t> interesting_columns();

// Head sizes: 1, multiples of 8, and ones that are no multiple of 8, of 16, of 32.
std::span<const int64_t> interesting_head_sizes();

// Heads of k and v, and queries per such head: 6/2 shows head maps that 4/2 hides.
struct HeadRatio {
  int64_t heads_kv;
  int64_t group;
};
std::span<const HeadRatio> interesting_head_ratios();

// Scales besides 1 / sqrt(head_dim): 1, 0, negative, tiny, huge.
std::span<const float> interesting_scales();
float usual_scale(int64_t head_dim);

// What a run costs, in products: attention counts whole tiles of 32 x 32, as a kernel pays for them
// (one query and one key are no cheaper than 32 of each). Saturates far above any limit.
int64_t work_of(const Case& subject);

// What the simulator runs in milliseconds.
inline constexpr int64_t kSmallWork = 3'000'000;

}  // namespace oddtile::oracles
