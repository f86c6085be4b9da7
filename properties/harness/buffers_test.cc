#include "properties/harness/buffers.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace oddtile::properties
