#include <gtest/gtest.h>

#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

TEST(prepared, launches_again_and_again) {
  const oracles::Workload workload =
      oracles::materialise({oracles::VectorAddCase{.n = 5}}, oracles::Poison::nan);
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

TEST(prepared, says_why_it_cannot_be_made) {
  oddtile_implementation nothing = *sim_machine().implementations()[0];
  nothing.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  const oracles::Workload workload =
      oracles::materialise({oracles::VectorAddCase{}}, oracles::Poison::nan);
  std::string reason;
  EXPECT_EQ(Prepared::make(workload, nothing, sim_machine(), &reason), nullptr);
  EXPECT_EQ(reason, "fused does not offer this problem");
}

}  // namespace
}  // namespace oddtile::properties
