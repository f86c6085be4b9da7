// Clusters: shapes, the largest one, and what a schedule may choose among blocks that run together.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/dialect/dialect.cuh"
#include "kernels/sim/machine.h"

namespace oddtile::sim {
namespace {

struct Parameters {
  Global<float> out;  // one for each block
  Global<int32_t> order;
};

// Every block sums what all blocks of its cluster have put down.
ODDTILE_KERNEL(1024, 1) sum_over_cluster(Parameters p) {
  float* own = reinterpret_cast<float*>(shared_memory());
  if (thread() == 0) {
    own[0] = float(block());
    store(p.order, atomic_add(p.order, 0, 1) + 1, int32_t(cluster_rank()));
  }
  cluster_arrive();
  cluster_wait();
  float sum = 0.0f;
  for (int32_t rank = 0; rank < cluster_size(); ++rank) {
    sum += load_as<float>(map_shared_rank(own, rank), 0);
  }
  cluster_arrive();
  cluster_wait();
  if (thread() == threads() - 1) store(p.out, block(), sum);
}

struct Outcome {
  std::vector<float> out;
  std::vector<int32_t> order;
  std::vector<Hazard> hazards;
  uint64_t trace = 0;
  bool launched = false;
};

Outcome run(const LaunchShape& shape, uint64_t seed, bool races) {
  Outcome made;
  made.out.resize(64);
  made.order.resize(65);
  Machine machine;
  machine.detect_races(races);
  machine.begin(seed);
  machine.allow(made.out.data(), 64 * sizeof(float), "out");
  machine.allow(made.order.data(), 65 * sizeof(int32_t), "order");
  made.launched =
      launch(sum_over_cluster, "sum", shape, &machine,
             Parameters{Global<float>(made.out.data()), Global<int32_t>(made.order.data())});
  made.hazards = machine.hazards();
  made.trace = machine.trace_hash();
  return made;
}

TEST(Cluster, the_grid_is_a_multiple_of_it) {
  for (const int32_t cluster : {0, -1, 3, 17, 32}) {
    const Outcome refused = run({32, 32, 16, cluster}, 0, false);
    EXPECT_FALSE(refused.launched) << cluster;
    ASSERT_EQ(refused.hazards.size(), 1u);
    EXPECT_EQ(refused.hazards[0].kind, HazardKind::bad_launch);
  }
}

// Without instrumented kernels the plain store is not seen: what is read is then unwritten.
void expect_sums(const Outcome& made, const LaunchShape& shape) {
  ASSERT_TRUE(made.launched);
  for (int64_t block = 0; block < shape.blocks; ++block) {
    const int64_t first = block / shape.cluster_blocks * shape.cluster_blocks;
    float sum = 0.0f;
    for (int64_t other = first; other < first + shape.cluster_blocks; ++other) sum += float(other);
    EXPECT_EQ(made.out[size_t(block)], sum) << "block " << block;
  }
  for (const Hazard& hazard : made.hazards) {
    EXPECT_EQ(hazard.kind, HazardKind::uninitialised_shared_read) << hazard.text();
  }
}

TEST(Cluster, each_sees_its_own_blocks_and_seeds_repeat) {
  std::set<uint64_t> traces;
  std::set<std::vector<int32_t>> orders;
  const LaunchShape shape{15, 64, 16, 5};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Outcome one = run(shape, seed, false);
    expect_sums(one, shape);
    EXPECT_TRUE(one.hazards.empty());
    EXPECT_EQ(run(shape, seed, false).trace, one.trace);
    traces.insert(one.trace);
    orders.insert(one.order);
  }
  EXPECT_GE(traces.size(), 80u);
  EXPECT_GE(orders.size(), 30u) << "schedules choose among the blocks";
}

TEST(Cluster, the_largest_one) {
  const LaunchShape shape{16, 1024, 227 * 1024, 16};
  expect_sums(run(shape, 0, false), shape);
  const LaunchShape narrow{16, 64, 16, 16};
  expect_sums(run(narrow, 777, true), narrow);
}

}  // namespace
}  // namespace oddtile::sim
