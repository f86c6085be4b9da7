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

// A key that a kernel forgets is named, with its tile: from O, and from LSE alone.
TEST(Explain, NamesTheMissingKey) {
  const Workload workload =
      made("attention seq_q=20 seq_k=20 head_dim=16 scores=noise contents=noise");
  const AttentionOracle oracle(workload);
  const KeysAndValues kv = oracle.load(0, 0);
  AttentionRow row;
  oracle.row(kv, 0, 0, 3, Precision::standard, row);
  const double p = row.weight[16];
  Outputs outputs = exact_outputs(workload);
  put(outputs, workload, Role::lse, workload.find(Role::lse)->index(0, 0, 0, 3),
      row.lse + std::log1p(-p));
  std::string text = judged(workload, outputs).explanation;
  EXPECT_NE(text.find("  its row: 20 live keys, key 0 (tile 0 column 0) to key 19 (tile 1 column "
                      "3), most weight"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("; as if key 16 (tile 1 column 0) were missing\n"), std::string::npos)
      << text;

  outputs = exact_outputs(workload);
  for (int64_t x = 0; x < 16; ++x)
    put(outputs, workload, Role::o, workload.find(Role::o)->index(0, 0, 3, x),
        (row.o[size_t(x)] - p * kv.v[size_t(16 * 16 + x)]) / (1 - p));
  text = judged(workload, outputs).explanation;
  EXPECT_NE(text.find("missing"), std::string::npos) << text;
}

TEST(Explain, PlacesSoftmaxColumnsInTheirTile) {
  const Workload workload = made("softmax rows=20 columns=40 values=noise");
  Outputs outputs = exact_outputs(workload);
  put(outputs, workload, Role::y, workload.find(Role::y)->index(0, 0, 17, 33), 2);
  const std::string text = judged(workload, outputs).explanation;
  EXPECT_NE(text.find("row 1 of tile 1, tile 2 column 1 of 4 lanes"), std::string::npos) << text;
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
