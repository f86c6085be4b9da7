#include <gtest/gtest.h>

#include "oracles/judge/planting.h"

namespace oddtile::oracles {
namespace {

TEST(Explain, NamesElementLawAndPlace) {
  const Workload workload = made(
      "attention seq_q=20 seq_k=20 head_dim=16 batch=2 heads_kv=2 scores=noise contents=noise");
  Outputs outputs = exact_outputs(workload);
  put(outputs, workload, Role::o, workload.find(Role::o)->index(1, 0, 17, 5), 12345);
  put(outputs, workload, Role::lse, workload.find(Role::lse)->index(0, 1, 1, 3), NAN);
  const std::string text = judged(workload, outputs).explanation;
  EXPECT_NE(text.find("o[batch 1, head 0, query 17, element 5]: got 12344"), std::string::npos)
      << text;
  EXPECT_NE(text.find("law within_bound, tile 1 row 1, fragment lane 6"), std::string::npos)
      << text;
  EXPECT_NE(text.find("lse[batch 1, head 1, query 3]: got nan"), std::string::npos) << text;
}

TEST(Explain, WorstFirstAndCountsTheRest) {
  const Workload workload = made("softmax rows=1 columns=100 values=noise");
  Outputs outputs = exact_outputs(workload);
  const Tensor& y = *workload.find(Role::y);
  for (int64_t c = 0; c < 20; ++c)
    put(outputs, workload, Role::y, y.index(0, 0, 0, c), c == 11 ? 1e9 : 1.5);
  const std::string text = judged(workload, outputs).explanation;
  EXPECT_EQ(text.find("y[row 0, column 11]: got 1e+09"), 0u) << text;
  EXPECT_NE(text.find("and 12 more of 100 judged"), std::string::npos) << text;
}

}  // namespace
}  // namespace oddtile::oracles
