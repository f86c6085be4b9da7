#include <gtest/gtest.h>

#include <thread>

#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

TEST(machines, list_fused_before_eager) {
  const auto tables = sim_machine().implementations();
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_STREQ(tables[0]->name, "fused");
  EXPECT_STREQ(tables[1]->name, "eager");
  EXPECT_EQ(cuda_machine() == nullptr, !cuda_absence_reason().empty());
}

TEST(sim_machine, allocates_on_256_bytes_and_counts_launches_anew) {
  void* address = sim_machine().allocate(1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 256, 0u);
  sim_machine().release(address);
  sim_machine().begin(1);
  EXPECT_EQ(sim_machine().counters().launches, 0);
  EXPECT_TRUE(sim_machine().hazards().empty());
}

TEST(sim_machine, repeats_a_schedule_bit_for_bit) {
  oracles::Case subject;
  subject.problem = oracles::SoftmaxCase{.rows = 3, .columns = 100};
  subject.schedule = 5;
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  const uint64_t trace = run_case(subject, fused, sim_machine()).trace_hash;
  EXPECT_EQ(run_case(subject, fused, sim_machine()).trace_hash, trace);
}

// A search runs one machine per thread: what runs beside a machine must not show in it.
TEST(sim_machine, several_run_at_once_and_none_sees_the_others) {
  oracles::Case subject;
  subject.problem = oracles::AttentionCase{.seq_q = 20, .seq_k = 40};
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  const Outcome alone = run_case(subject, fused, sim_machine());
  std::vector<Outcome> together(4);
  std::vector<std::thread> threads;
  for (Outcome& outcome : together) {
    threads.emplace_back([&] {
      const std::unique_ptr<Machine> own = make_sim_machine();
      for (int repeat = 0; repeat < 20; ++repeat) outcome = run_case(subject, fused, *own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : together) {
    EXPECT_TRUE(outcome.clean());
    EXPECT_EQ(outcome.trace_hash, alone.trace_hash);
    EXPECT_EQ(outcome.buffers, alone.buffers);
    EXPECT_EQ(outcome.counters.bytes_read, alone.counters.bytes_read);
  }
}

}  // namespace
}  // namespace oddtile::properties
