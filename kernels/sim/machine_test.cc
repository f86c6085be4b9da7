// Hazards as values, and a machine that goes on after each of them.
#include "kernels/sim/machine.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>

#include "kernels/dialect/dialect.cuh"

namespace oddtile::sim {
namespace {

struct alignas(128) Memory {
  float front[32];  // not allowed
  float in[64];
  float gap[64];
  float out[64];
  float back[32];
};

struct Parameters {
  Global<const float> in;
  Global<float> out;
};

class MachineTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 64; ++i) memory->in[i] = float(i);
    for (float& value : memory->out) value = -1.0f;
    begin(0);
  }
  void begin(uint64_t seed) {
    machine.begin(seed);
    machine.allow(memory->in, sizeof(memory->in), "in");
    machine.allow(memory->out, sizeof(memory->out), "out");
  }
  bool run(void (*kernel)(Parameters), LaunchShape shape = {2, 64, 64}) {
    return launch(kernel, "kernel", shape, &machine,
                  Parameters{Global<const float>(memory->in), Global<float>(memory->out)});
  }
  void expect_one(HazardKind kind) {
    ASSERT_EQ(machine.hazards().size(), 1u);
    EXPECT_EQ(int(machine.hazards()[0].kind), int(kind)) << machine.hazards()[0].text();
  }

  std::unique_ptr<Memory> memory = std::make_unique<Memory>();
  Machine machine;
};

ODDTILE_KERNEL(64, 1) copy(Parameters p) {
  store(p.out, thread(), load(p.in, thread()));
}

TEST_F(MachineTest, runs_a_kernel) {
  EXPECT_TRUE(run(copy));
  EXPECT_TRUE(machine.hazards().empty());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(memory->out[i], float(i));
}

TEST_F(MachineTest, needs_a_machine_and_a_possible_shape) {
  const Parameters parameters{};
  EXPECT_FALSE(launch(copy, "copy", {1, 32, 0}, nullptr, parameters));
  EXPECT_TRUE(run(copy, {0, 32, 0}));  // nothing to do, as on the GPU
  EXPECT_TRUE(machine.hazards().empty());
  EXPECT_FALSE(run(copy, {1, 33, 0}));
  EXPECT_FALSE(run(copy, {1, 2048, 0}));
  EXPECT_FALSE(run(copy, {int64_t(1) << 31, 32, 0}));
  EXPECT_FALSE(run(copy, {1, 32, int64_t(1) << 20}));
  expect_one(HazardKind::bad_launch);
}

ODDTILE_KERNEL(64, 1) read_far(Parameters p) {
  const float got = load(p.in, thread() == 3 ? 64 : thread());
  store(p.out, thread(), got != got ? 2.0f : got);
}

TEST_F(MachineTest, a_bad_read_is_reported_and_gives_nan) {
  run(read_far);
  expect_one(HazardKind::out_of_bounds);
  const Hazard& hazard = machine.hazards()[0];
  EXPECT_EQ(hazard.file, "kernels/sim/machine_test.cc");
  EXPECT_GT(hazard.line, 50);
  EXPECT_EQ(hazard.thread, 3);
  EXPECT_EQ(hazard.kernel, "kernel");
  EXPECT_NE(hazard.text().find("reads 4 bytes at +256 of in (256 bytes)"), std::string::npos)
      << hazard.text();
  EXPECT_EQ(memory->out[3], 2.0f);
  EXPECT_EQ(memory->out[4], 4.0f);
}

ODDTILE_KERNEL(64, 1) write_far(Parameters p) {
  store(p.out, 1 + thread(), 7.0f);
}

TEST_F(MachineTest, a_bad_write_is_reported_and_dropped) {
  memory->back[0] = 5.0f;
  run(write_far);
  expect_one(HazardKind::out_of_bounds);
  EXPECT_EQ(memory->back[0], 5.0f);
  EXPECT_EQ(memory->out[63], 7.0f);
}

ODDTILE_KERNEL(64, 1) read_covering(Parameters p) {
  const auto got = load_as<Vector<float, 4>>(p.in + (thread() / 4 * 4), 0);
  store(p.out, thread(), got.element[0]);
}

TEST_F(MachineTest, a_read_may_reach_to_the_line_and_a_write_may_not) {
  machine.begin(0);
  machine.allow(memory->in + 1, sizeof(memory->in) - 8, "in");
  machine.allow(memory->out, sizeof(memory->out), "out");
  run(read_covering);
  EXPECT_TRUE(machine.hazards().empty());
  machine.begin(0);
  machine.allow(memory->in, sizeof(memory->in), "in");
  machine.allow(memory->out + 1, sizeof(memory->out) - 4, "out");
  run(copy);
  expect_one(HazardKind::out_of_bounds);
  EXPECT_EQ(memory->out[0], 0.0f) << "written by the first launch only";
}

ODDTILE_KERNEL(64, 1) fails_in_block_0(Parameters p) {
  if (block() == 0 && warp() == 0) sync_block();
  if (block() == 1) store(p.out, thread(), 1.0f);
}

TEST_F(MachineTest, a_deadlock_abandons_its_block_only) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    begin(seed);
    EXPECT_TRUE(run(fails_in_block_0));
    expect_one(HazardKind::deadlock);
    EXPECT_NE(machine.hazards()[0].detail.find("32 lanes wait at sync_block (machine_test.cc:"),
              std::string::npos)
        << machine.hazards()[0].detail;
    EXPECT_EQ(memory->out[63], 1.0f);
  }
  begin(0);
  run(copy);
  EXPECT_TRUE(machine.hazards().empty());
}

ODDTILE_KERNEL(64, 1) throws(Parameters) {
  if (thread() == 40) throw std::runtime_error("forty");
  sync_block();
}

TEST_F(MachineTest, an_exception_is_a_hazard) {
  run(throws);
  expect_one(HazardKind::kernel_exception);
  EXPECT_EQ(machine.hazards()[0].detail, "forty");
  EXPECT_EQ(machine.hazards()[0].thread, 40);
}

ODDTILE_KERNEL(64, 1) writes_beyond_shared(Parameters p) {
  volatile std::byte* end = shared_memory() + 64;
  if (thread() == 0) end[load(p.in, 0) == 0.0f ? 3 : -1] = std::byte(1);
}

TEST_F(MachineTest, plain_code_beyond_shared_memory_is_noticed) {
#if defined(__has_feature)
#  if __has_feature(address_sanitizer)
  EXPECT_DEATH(run(writes_beyond_shared), "use-after-poison");
  return;
#  endif
#endif
  run(writes_beyond_shared);
  expect_one(HazardKind::out_of_bounds);
}

ODDTILE_KERNEL(64, 1) many_sites(Parameters p) {
  constexpr int64_t kFar = 1000;
  for (int i = 0; i < 3; ++i) store(p.out, kFar + i, 0.0f);
  store(p.out, kFar, 0.0f);
}

TEST_F(MachineTest, one_defect_is_one_hazard) {
  run(many_sites, {64, 64, 0});
  EXPECT_EQ(machine.hazards().size(), 2u);
}

ODDTILE_KERNEL(64, 1) counts(Parameters p) {
  uint32_t zero[4] = {0, 0, 0, 0};
  float sum[4] = {0, 0, 0, 0};
  mma_16x8x16<Half>(sum, zero, 0, 0);
  store(p.out, thread(), divide(exp2_approx(1.0f), log2_approx(4.0f)) + sum[0]);
}

TEST_F(MachineTest, counts_floating_point_operations) {
  run(counts, {3, 64, 0});
  EXPECT_EQ(machine.counters().flops, 3 * (2 * 2 * 16 * 8 * 16 + 3 * 64));
  EXPECT_EQ(memory->out[0], 1.0f);
}

ODDTILE_KERNEL(1024, 1) rank_of_warps(Parameters p) {
  int32_t* values = reinterpret_cast<int32_t*>(shared_memory());
  values[thread()] = thread();
  sync_block();
  const int32_t sum = shuffle_xor(values[1023 - thread()], 31) + thread();
  const int32_t expected = (1023 - (thread() ^ 31)) + thread();
  if (!vote_all(sum == expected)) store(p.out, warp(), 3.0f);
  if (lane() == 0) store(p.out, 32 + warp(), float(warp()));
}

TEST_F(MachineTest, holds_32_warps_after_2_and_2_after_32) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    begin(seed);
    run(copy);
    run(rank_of_warps, {2, 1024, 4096});
    run(copy, {1, 32, 0});
    EXPECT_TRUE(machine.hazards().empty());
    EXPECT_EQ(memory->out[63], 31.0f);
    EXPECT_EQ(memory->out[31], 31.0f);
  }
}

TEST_F(MachineTest, may_be_used_from_another_thread_later) {
  run(copy);
  std::thread other([&] { run(copy); });
  other.join();
  run(copy);
  EXPECT_TRUE(machine.hazards().empty());
}

struct Counted {
  Global<int32_t> counter;
};
ODDTILE_KERNEL(32, 1) count_awaited(Counted p) {
  if (thread() != 0) return;
  await_earlier_launches();
  atomic_add(p.counter, 0, 1);
}
ODDTILE_KERNEL(32, 1) count_in_the_second_block_unawaited(Counted p) {
  if (thread() != 0) return;
  if (block() == 0) await_earlier_launches();
  atomic_add(p.counter, 0, 1);
}

class EarlyLaunchTest : public testing::Test {
 protected:
  void SetUp() override {
    machine.begin(0);
    machine.allow(&counter, sizeof(counter), "counter");
  }
  bool run(void (*kernel)(Counted), bool early) {
    return clear_beside(Global<int32_t>(&counter), 1, &machine) &&
           launch(kernel, "count", {.blocks = 3, .threads = 32, .early = early}, &machine,
                  Counted{Global<int32_t>(&counter)});
  }

  alignas(16) int32_t counter = 17;
  Machine machine;
};

TEST_F(EarlyLaunchTest, finds_the_zeros_that_it_awaits) {
  EXPECT_TRUE(run(count_awaited, true));
  EXPECT_TRUE(machine.hazards().empty());
  EXPECT_EQ(counter, 3);
}

TEST_F(EarlyLaunchTest, has_to_await_them_in_every_block) {
  EXPECT_TRUE(run(count_in_the_second_block_unawaited, true));
  ASSERT_EQ(machine.hazards().size(), 1u);
  EXPECT_EQ(machine.hazards()[0].kind, HazardKind::global_race);
  EXPECT_EQ(machine.hazards()[0].block, 1);
}

TEST_F(EarlyLaunchTest, need_not_where_it_is_no_early_one) {
  EXPECT_TRUE(run(count_in_the_second_block_unawaited, false));
  EXPECT_TRUE(machine.hazards().empty());
  EXPECT_TRUE(launch(count_in_the_second_block_unawaited, "count",
                     {.blocks = 2, .threads = 32, .early = true}, &machine,
                     Counted{Global<int32_t>(&counter)}));
  EXPECT_TRUE(machine.hazards().empty());  // what was cleared before is settled
}

}  // namespace
}  // namespace oddtile::sim
