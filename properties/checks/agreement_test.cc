#include "properties/checks/agreement.h"

#include <gtest/gtest.h>

#include "oracles/case/text.h"

namespace oddtile::properties {
namespace {

const oracles::Case kCase = std::get<oracles::Case>(
    oracles::parse("softmax dtype=fp32 rows=3 columns=70 values=noise seed=5 config=1"));

Runner simulator() {
  return {*sim_machine().implementations().front(), sim_machine()};
}

oddtile_status one_bit_off(const oddtile_softmax_problem* p, int32_t id, void* workspace,
                           void* stream) {
  const oddtile_status status = simulator().which.softmax(p, id, workspace, stream);
  if (status == oddtile_ok) *static_cast<uint32_t*>(p->y) ^= 1;  // the simulator's memory is ours
  return status;
}

oddtile_status twice_as_much(const oddtile_softmax_problem* p, int32_t id, void* workspace,
                             void* stream) {
  const oddtile_status status = simulator().which.softmax(p, id, workspace, stream);
  if (status == oddtile_ok) *static_cast<float*>(p->y) *= 2;
  return status;
}

TEST(agreement, the_same_machine_gives_the_same_bits) {
  const Agreement agreement = compare_runs(kCase, simulator(), simulator());
  EXPECT_TRUE(agreement.compared);
  EXPECT_EQ(agreement.broken, "");
  ASSERT_EQ(agreement.outputs.size(), 1u);
  EXPECT_EQ(agreement.outputs[0].elements, 3 * 70);
  EXPECT_EQ(agreement.outputs[0].others, 0);
  EXPECT_EQ(first_difference(agreement), "");
}

TEST(agreement, a_bit_within_the_bound_is_counted) {
  oddtile_implementation other = simulator().which;
  other.softmax = one_bit_off;
  const Agreement agreement = compare_runs(kCase, simulator(), {other, sim_machine()});
  EXPECT_EQ(agreement.broken, "");
  ASSERT_EQ(agreement.outputs.size(), 1u);
  EXPECT_EQ(agreement.outputs[0].others, 1);
  EXPECT_NE(agreement.outputs[0].first, "");
  EXPECT_EQ(first_difference(agreement), agreement.outputs[0].first);
}

TEST(agreement, an_error_beyond_the_bound_is_told) {
  oddtile_implementation other = simulator().which;
  other.softmax = twice_as_much;
  EXPECT_NE(compare_runs(kCase, simulator(), {other, sim_machine()}).broken, "");
}

TEST(agreement, other_configurations_are_not_compared) {
  oddtile_implementation other = simulator().which;
  other.configurations = [](const oddtile_problem*, int32_t* ids, int32_t capacity) {
    if (capacity > 0) ids[0] = -7;
    return int32_t(1);
  };
  EXPECT_FALSE(compare_runs(kCase, simulator(), {other, sim_machine()}).compared);
}

}  // namespace
}  // namespace oddtile::properties
