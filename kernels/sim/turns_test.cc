// Blocks on several threads: the same bits, hazards and trace as on one.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/machine.h"

namespace oddtile::sim {
namespace {

constexpr int kBlocks = 60;
constexpr int kThreads = 64;

struct Parameters {
  Global<float> out;  // one for each lane of the grid
  Global<int32_t> order;
  std::thread::id* ran_on;  // by block; plain memory of the host
};

// Enough words for a second thread; block 7 reads out of bounds, tickets follow the blocks' order.
ODDTILE_KERNEL(kThreads, 1) mixed(Parameters p) {
  float* row = reinterpret_cast<float*>(shared_memory());
  float sum = float(block());
  for (int step = 0; step < 60; ++step) {
    row[thread()] = sum;
    sync_block();
    sum = row[(thread() + step) % kThreads] + float(thread());
    sync_block();
  }
  if (thread() == 0) {
    store(p.order, atomic_add(p.order, 0, 1) + 1, int32_t(block()));
    p.ran_on[block()] = std::this_thread::get_id();
  }
  if (block() == 7) load(Global<const float>(p.out), -5);
  store(p.out, block() * kThreads + thread(), sum);
}

struct Outcome {
  std::vector<float> out;
  std::vector<int32_t> order;
  std::vector<std::string> hazards;
  uint64_t trace = 0;
  size_t threads = 0;
  Counters counters;
};

Outcome run(Machine& machine, uint64_t seed, int threads) {
  Outcome made;
  made.out.resize(kBlocks * kThreads);
  made.order.resize(kBlocks + 1);
  std::vector<std::thread::id> ran_on(kBlocks);
  machine.use_threads(threads);
  machine.begin(seed);
  machine.allow(made.out.data(), int64_t(made.out.size() * sizeof(float)), "out");
  machine.allow(made.order.data(), int64_t(made.order.size() * sizeof(int32_t)), "order");
  const Parameters parameters{Global<float>(made.out.data()), Global<int32_t>(made.order.data()),
                              ran_on.data()};
  for (int launches = 0; launches < 2; ++launches) {
    made.order[0] = 0;
    const LaunchShape shape{kBlocks, kThreads, kThreads * sizeof(float)};
    EXPECT_TRUE(launch(mixed, "mixed", shape, &machine, parameters));
  }
  for (const Hazard& hazard : machine.hazards()) made.hazards.push_back(hazard.text());
  made.trace = machine.trace_hash();
  made.threads = std::set(ran_on.begin(), ran_on.end()).size();
  made.counters = machine.counters();
  return made;
}

TEST(Turns, give_the_same_on_any_number_of_threads) {
  Machine alone, crowd;
  size_t threads_max = 0;
  for (uint64_t seed : {0, 1, 7, 345, 422, 689, 731, 999, 424242}) {
    const Outcome one = run(alone, seed, 1);
    EXPECT_EQ(one.threads, 1u);
    ASSERT_EQ(one.hazards.size(), 1u);
    for (int threads : {2, 3, 5}) {
      const Outcome many = run(crowd, seed, threads);
      threads_max = std::max(threads_max, many.threads);
      EXPECT_EQ(many.trace, one.trace) << "seed " << seed << ", threads " << threads;
      EXPECT_EQ(many.out, one.out);
      EXPECT_EQ(many.order, one.order);
      EXPECT_EQ(many.hazards, one.hazards) << "with block, thread and step";
      EXPECT_EQ(many.counters.bytes_read, one.counters.bytes_read);
      EXPECT_EQ(many.counters.bytes_written, one.counters.bytes_written);
      EXPECT_EQ(many.counters.blocks, one.counters.blocks);
    }
  }
  EXPECT_GT(threads_max, 1u) << "no block ever ran on another thread";
}

TEST(Turns, stay_on_one_thread_where_the_order_of_blocks_matters) {
  Machine machine;
  machine.list_synchronisation(true);
  EXPECT_EQ(run(machine, 5, 4).threads, 1u);
  machine.list_synchronisation(false);
  machine.detect_races(true);
  EXPECT_EQ(run(machine, 5, 4).threads, 1u);
}

}  // namespace
}  // namespace oddtile::sim
