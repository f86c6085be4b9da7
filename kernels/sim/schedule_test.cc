#include "kernels/sim/schedule.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/machine.h"

namespace oddtile::sim {
namespace {

constexpr int kThreads = 96;
constexpr int kElements = 1024;

struct Sum {
  Global<const float> in;
  Global<float> out;
};

// Every kind of word once or more: copies, barriers, votes, exchanges, loads, stores.
ODDTILE_KERNEL(96, 1) sum_of_neighbours(Sum p) {
  float* values = reinterpret_cast<float*>(shared_memory());
  copy_async_16(values + 4 * thread(), p.in + (4 * thread()), 16);
  commit_copies();
  copy_async_16(values + 384 + 4 * thread(), p.in + (384 + 4 * thread()), thread() % 17);
  commit_copies();
  wait_copies<1>();
  sync_block();
  float sum = values[(4 * thread() + 100) % 384] + load(p.in, thread());
  for (int32_t mask = 16; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  wait_copies<0>();
  sync_warp();
  if (vote_any(sum < 0.0f)) sum = 0.0f;
  store(p.out, block() * kThreads + thread(), sum + values[384 + 4 * thread()]);
}

struct Outcome {
  uint64_t trace;
  std::vector<float> out;
  Counters counters;
  size_t hazards;
};

Outcome run(Machine& machine, uint64_t seed, int64_t blocks = 3) {
  struct alignas(128) Memory {
    float in[kElements];
    float out[kElements];
  };
  auto memory = std::make_unique<Memory>();
  for (int i = 0; i < kElements; ++i) memory->in[i] = float(i % 37);
  machine.begin(seed);
  machine.allow(memory->in, sizeof(memory->in), "in");
  machine.allow(memory->out, sizeof(memory->out), "out");
  const Sum parameters{Global<const float>(memory->in), Global<float>(memory->out)};
  EXPECT_TRUE(launch(sum_of_neighbours, "sum", {blocks, kThreads, 3072}, &machine, parameters));
  return {machine.trace_hash(),
          {memory->out, memory->out + blocks * kThreads},
          machine.counters(),
          machine.hazards().size()};
}

TEST(Schedule, same_seed_same_trace) {
  Machine first;
  Machine second;
  run(second, 99);  // whatever ran before has no influence
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Outcome a = run(first, seed);
    const Outcome b = run(second, seed);
    EXPECT_EQ(a.trace, b.trace) << seed;
    EXPECT_EQ(a.out, b.out) << seed;
  }
}

TEST(Schedule, seeds_differ_in_trace_and_not_in_result_or_counts) {
  Machine machine;
  const Outcome plain = run(machine, 0);
  std::set<uint64_t> traces;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Outcome other = run(machine, seed);
    traces.insert(other.trace);
    EXPECT_EQ(other.out, plain.out) << seed;
    EXPECT_EQ(other.counters.bytes_read, plain.counters.bytes_read) << seed;
    EXPECT_EQ(other.counters.bytes_written, plain.counters.bytes_written) << seed;
    EXPECT_EQ(other.hazards, 0u) << seed;
  }
  EXPECT_GE(traces.size(), 190u);
}

TEST(Schedule, counts_what_was_moved) {
  Machine machine;
  const Counters counters = run(machine, 5).counters;
  int64_t per_block = kThreads * (16 + 4);
  for (int thread = 0; thread < kThreads; ++thread) per_block += thread % 17;
  EXPECT_EQ(counters.bytes_read, 3 * per_block);
  EXPECT_EQ(counters.bytes_written, 3 * kThreads * 4);
  EXPECT_EQ(counters.launches, 1);
  EXPECT_EQ(counters.blocks, 3);
  EXPECT_EQ(counters.flops, 0);
}

TEST(Schedule, visits_every_block_once) {
  for (int64_t blocks : {1, 2, 7, 64, 1000}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      simulator::Schedule schedule(seed);
      schedule.begin_launch(blocks, 4);
      std::set<int64_t> seen;
      for (int64_t turn = 0; turn < blocks; ++turn) seen.insert(schedule.block_at(turn));
      EXPECT_EQ(int64_t(seen.size()), blocks);
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), blocks - 1);
    }
  }
}

TEST(Schedule, chooses_only_what_is_ready) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    simulator::Schedule schedule(seed);
    schedule.begin_launch(1, 32);
    Random random(seed);
    for (int draw = 0; draw < 200; ++draw) {
      const uint32_t ready = uint32_t(random.next()) | 1u << random.below(32);
      const int current = int(random.below(32));
      EXPECT_TRUE(ready >> schedule.next_lane(ready, current) & 1);
      EXPECT_TRUE(ready >> schedule.next_warp(ready, current) & 1);
    }
  }
}

}  // namespace
}  // namespace oddtile::sim
