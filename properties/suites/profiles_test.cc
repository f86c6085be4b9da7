// What our implementations declare of their arithmetic: never more than the judge accepts, never
// less than what they do.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/base/bits.h"
#include "oracles/case/text.h"
#include "oracles/judge/judge.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {
namespace {

using namespace oracles;

// Calls visit(profile) for every configuration of `which` for the case.
template <class Visit>
void for_each_profile(const oddtile_implementation& which, const Workload& workload,
                      Visit&& visit) {
  std::vector<void*> addresses;
  for (const Tensor& tensor : workload.tensors)
    addresses.push_back(const_cast<std::byte*>(tensor.bytes.data()));
  const oddtile_problem problem = oracles::bind(workload, addresses);
  int32_t ids[256];
  const int32_t count = which.configurations(&problem, ids, 256);
  EXPECT_GT(count, 0) << print(workload.subject);
  for (int32_t i = 0; i < count; ++i) {
    oddtile_profile profile = {};
    EXPECT_EQ(which.describe(&problem, ids[i], &profile), oddtile_ok);
    visit(profile);
  }
}

TEST(Profiles, NoneIsTooGenerous) {
  for (const oddtile_implementation* which : sim_machine().implementations()) {
    for (int64_t n = 1; n < 6000; n = n * 33 / 32 + 1) {
      for (const Case& subject :
           {Case{SoftmaxCase{.rows = 2, .columns = n, .x_pad = 1}},
            Case{SoftmaxCase{.dtype = oddtile_fp16, .columns = n, .x_offset = n % 64}},
            Case{AttentionCase{.seq_k = n}}}) {
        const Workload workload = materialise(subject, Poison::zero);
        std::vector<std::vector<std::byte>> outputs;
        for (const Tensor& tensor : workload.tensors) outputs.push_back(tensor.bytes);
        for_each_profile(*which, workload, [&](const oddtile_profile& profile) {
          const std::string text = judge(workload, outputs, profile).explanation;
          EXPECT_EQ(text.find("too generous"), std::string::npos)
              << which->name << ", " << profile.name << ": " << print(subject) << "\n"
              << text;
        });
      }
    }
  }
}

// The eager attention's lanes take four neighbouring columns at once, every 128th.
TEST(Profiles, TheSumOfEagerAttentionIsAsDeepAsItSays) {
  for (const oddtile_implementation* which : sim_machine().implementations()) {
    if (std::string(which->name) != "eager") continue;
    for (int64_t n = 1; n < 600; ++n) {
      const Workload workload = materialise({AttentionCase{.seq_k = n}}, Poison::zero);
      for_each_profile(*which, workload, [&](const oddtile_profile& profile) {
        ASSERT_EQ(profile.sum_lanes, 32);
        ASSERT_GE(profile.tile_columns, n);
        const int64_t terms = 4 * ceil_div<int64_t>(ceil_div<int64_t>(n, 4), 32);
        EXPECT_GE(ceil_div(profile.tile_columns, profile.sum_lanes), terms - 1) << n;
      });
    }
  }
}

}  // namespace
}  // namespace oddtile::properties
