// Which shape of hopper.cuh a problem is given first.
#include <gtest/gtest.h>

#include <cstdint>

#include "kernels/attention/hopper_launch.cuh"

namespace oddtile::sim {
namespace {

oddtile_attention_problem square(int64_t head_dim, int64_t length) {
  oddtile_attention_problem problem = {};
  problem.batch = 2;
  problem.heads_q = problem.heads_kv = 4;
  problem.seq_q = problem.seq_k = length;
  problem.head_dim = head_dim;
  problem.scale = 0.125f;
  problem.band_low = INT64_MIN;
  problem.band_high = INT64_MAX;
  return problem;
}

const HopperShape& chosen(const oddtile_attention_problem& problem) {
  return kHopperShapes[hopper_preferred(problem)];
}

TEST(HopperChoice, a_band_of_few_keys_takes_narrow_blocks) {
  oddtile_attention_problem causal = square(128, 4096);
  causal.band_high = 0;
  EXPECT_EQ(chosen(causal).keys, 64);
  causal.seq_q = causal.seq_k = 4097;
  EXPECT_EQ(chosen(causal).keys, 128);

  oddtile_attention_problem window = square(128, 16384);
  window.band_low = -4095;
  window.band_high = 0;
  EXPECT_EQ(chosen(window).keys, 64);
  window.band_low = -4096;
  EXPECT_EQ(chosen(window).keys, 128);
  EXPECT_EQ(chosen(square(128, 512)).keys, 128);  // no band
}

TEST(HopperChoice, the_anchor_decides_what_the_last_query_sees) {
  oddtile_attention_problem chunk = square(128, 16384);
  chunk.seq_q = 512;
  chunk.band_high = 0;
  EXPECT_EQ(chosen(chunk).keys, 64);
  chunk.anchor = oddtile_bottom_right;
  EXPECT_EQ(chosen(chunk).keys, 128);
}

TEST(HopperChoice, holds_for_every_limit_that_the_contract_allows) {
  for (const int64_t low : {INT64_MIN, INT64_MIN + 1, int64_t(0), INT64_MAX}) {
    for (const int64_t high : {INT64_MIN, int64_t(0), INT64_MAX - 1, INT64_MAX}) {
      for (const int64_t length : {int64_t(0), int64_t(1), INT64_MAX}) {
        oddtile_attention_problem problem = square(128, length);
        problem.band_low = low;
        problem.band_high = high;
        EXPECT_GE(chosen(problem).head_size, 128);
      }
    }
  }
}

TEST(HopperChoice, neighbours_have_no_say) {
  for (const int64_t head_dim : {64, 128, 256}) {
    oddtile_attention_problem alone = square(head_dim, 2048);
    alone.band_high = 0;
    oddtile_attention_problem among = alone;
    among.batch = 64;
    among.heads_q = 128;
    EXPECT_EQ(hopper_preferred(alone), hopper_preferred(among));
  }
}

}  // namespace
}  // namespace oddtile::sim
