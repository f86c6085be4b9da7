#include "properties/harness/harness.h"

#include <gtest/gtest.h>

#include <cstring>

#include "properties/harness/buffers.h"

namespace oddtile::properties {
namespace {

oracles::Workload small_workload() {
  oracles::Case subject;
  subject.problem = oracles::VectorAddCase{.n = 5, .x_offset = 1, .out_offset = 3};
  return oracles::materialise(subject, oracles::Poison::nan);
}

TEST(buffers, start_clean_and_aligned) {
  const oracles::Workload workload = small_workload();
  Buffers buffers(workload, sim_machine(), 0xFF);
  ASSERT_TRUE(buffers.ready());
  EXPECT_TRUE(buffers.untouched());
  EXPECT_TRUE(buffers.violations(buffers.read()).empty());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers.address(0)) % 256, 0u);
  ASSERT_TRUE(buffers.add_workspace(100));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers.workspace()) % 256, 0u);
  EXPECT_EQ(static_cast<uint8_t*>(buffers.workspace())[99], 0xFF);
}

// What one stray byte at `offset` from the start of `role`'s buffer is reported as.
std::string report_of_a_byte(oracles::Role role, int64_t offset) {
  const oracles::Workload workload = small_workload();
  Buffers buffers(workload, sim_machine(), 0xFF);
  static_cast<uint8_t*>(buffers.address(workload.index_of(role)))[offset] ^= 0x10;
  const std::vector<std::string> violations = buffers.violations(buffers.read());
  return violations.empty() ? "" : violations[0];
}

TEST(buffers, report_every_stray_byte) {
  const oracles::Workload workload = small_workload();
  const int64_t out_bytes = int64_t(workload.find(oracles::Role::out)->bytes.size());
  EXPECT_EQ(report_of_a_byte(oracles::Role::out, -1), "writes before out: the byte at -1 changed");
  EXPECT_NE(report_of_a_byte(oracles::Role::out, out_bytes).find("writes behind out"),
            std::string::npos);
  EXPECT_NE(report_of_a_byte(oracles::Role::out, out_bytes + kGuardBytes - 1), "");
  EXPECT_NE(report_of_a_byte(oracles::Role::out, 0).find("outside its logical elements"),
            std::string::npos);
  EXPECT_EQ(report_of_a_byte(oracles::Role::out, 3 * 4), "");  // the first logical element
  EXPECT_EQ(report_of_a_byte(oracles::Role::x, 4), "writes the input x: buffer element 1");
}

TEST(buffers, know_the_output_that_lives_in_an_input) {
  oracles::Case subject;
  subject.problem = oracles::VectorAddCase{.n = 5, .alias = oracles::Alias::x};
  const oracles::Workload workload = oracles::materialise(subject, oracles::Poison::nan);
  Buffers buffers(workload, sim_machine(), 0xFF);
  ASSERT_EQ(buffers.address(workload.index_of(oracles::Role::x)),
            buffers.address(workload.index_of(oracles::Role::out)));
  static_cast<float*>(buffers.address(workload.index_of(oracles::Role::x)))[2] = 7;
  EXPECT_TRUE(buffers.violations(buffers.read()).empty());
  EXPECT_FALSE(buffers.untouched());
  buffers.restore_outputs();
  EXPECT_TRUE(buffers.untouched());
}

TEST(run_case, runs_and_counts_what_it_launched) {
  oracles::Case subject;
  subject.problem = oracles::VectorAddCase{.n = 1000};
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  const Outcome outcome = run_case(subject, fused, sim_machine());
  EXPECT_TRUE(outcome.clean()) << (outcome.violations.empty() ? "" : outcome.violations[0]);
  EXPECT_GE(outcome.counters.launches, 1);
  EXPECT_EQ(outcome.counters.bytes_written, 4000);
  EXPECT_EQ(outcome.counters.bytes_read, 8000);
}

TEST(prepared, launches_again_and_again) {
  const oracles::Workload workload = small_workload();
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  std::string reason;
  const auto prepared = Prepared::make(workload, fused, sim_machine(), &reason);
  ASSERT_NE(prepared, nullptr) << reason;
  const int out = workload.index_of(oracles::Role::out);
  EXPECT_EQ(prepared->launch(), oddtile_ok);
  const auto first = prepared->read_outputs();
  EXPECT_NE(first[out], workload.tensors[out].bytes);
  EXPECT_TRUE(first[workload.index_of(oracles::Role::x)].empty());
  prepared->poison_outputs();
  EXPECT_EQ(prepared->read_outputs()[out], workload.tensors[out].bytes);
  EXPECT_EQ(prepared->launch(), oddtile_ok);
  EXPECT_EQ(prepared->read_outputs(), first);
}

TEST(machines, list_fused_before_eager) {
  const auto tables = sim_machine().implementations();
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_STREQ(tables[0]->name, "fused");
  EXPECT_STREQ(tables[1]->name, "eager");
  EXPECT_EQ(cuda_machine() == nullptr, !cuda_absence_reason().empty());
}

}  // namespace
}  // namespace oddtile::properties
