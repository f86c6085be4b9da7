// What stands in v.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "oracles/case/text.h"
#include "oracles/case/workload.h"

namespace oddtile::oracles {
namespace {

std::vector<double> row_of(const Tensor& tensor, int64_t i1, int64_t i2) {
  std::vector<double> row;
  for (int64_t i3 = 0; i3 < tensor.sizes[3]; ++i3) {
    row.push_back(value_at(tensor.bytes, tensor.element, tensor.index(0, i1, i2, i3)));
  }
  return row;
}

std::vector<std::vector<double>> v_rows(const AttentionCase& c, int64_t head = 0) {
  const Workload workload = materialise({c}, Poison::nan);
  std::vector<std::vector<double>> rows;
  for (int64_t key = 0; key < c.seq_k; ++key) {
    rows.push_back(row_of(*workload.find(Role::v), head, key));
  }
  return rows;
}

TEST(Contents, OneHotIsOneHotAndDiffersBetweenHeads) {
  const AttentionCase c = {.heads_kv = 2, .seq_q = 1, .seq_k = 40, .head_dim = 16};
  const Workload workload = materialise({c}, Poison::nan);
  for (int64_t key = 0; key < 40; ++key) {
    const auto row = row_of(*workload.find(Role::v), 0, key);
    EXPECT_EQ(std::count(row.begin(), row.end(), 0.0), 15);
    EXPECT_EQ(row[size_t(key % 16)], 1.0);
    EXPECT_NE(row, row_of(*workload.find(Role::v), 1, key));
  }
}

TEST(Contents, CodedTellsEveryKeyFromEveryOther) {
  for (oddtile_dtype dtype : {oddtile_fp16, oddtile_bf16}) {
    for (int64_t head_dim : {1, 8, 20, 64, 256}) {
      const AttentionCase c = {.dtype = dtype,
                               .heads_kv = 2,
                               .seq_q = 1,
                               .seq_k = 120,
                               .head_dim = head_dim,
                               .contents = Contents::coded};
      const Workload workload = materialise({c}, Poison::nan);
      std::set<std::vector<double>> rows;
      for (int64_t key = 0; key < 120; ++key) {
        rows.insert(row_of(*workload.find(Role::v), 0, key));
        EXPECT_NE(row_of(*workload.find(Role::v), 0, key), row_of(*workload.find(Role::v), 1, key));
      }
      EXPECT_EQ(rows.size(), 120u) << print({c});
    }
  }
}

TEST(Contents, LargeNeedsMoreThanAnFp16Sum) {
  for (const auto& row : v_rows({.seq_k = 100, .contents = Contents::large})) {
    for (double value : row) EXPECT_GE(value, 1024);  // 100 of them exceed 65504
  }
}

TEST(Contents, CancellingNeighboursLeaveLittle) {
  double sum = 0, magnitude = 0;
  for (const auto& row : v_rows({.seq_k = 100, .contents = Contents::cancelling})) {
    for (double value : row) {
      sum += value;
      magnitude += std::abs(value);
    }
  }
  EXPECT_LT(std::abs(sum), magnitude / 100);
}

TEST(Contents, SpecialsSpoilSomeColumnsAndSpareMost) {
  int spoiled = 0;
  const auto rows = v_rows({.seq_k = 64, .contents = Contents::specials});
  for (const auto& row : rows) {
    const auto bad =
        std::count_if(row.begin(), row.end(), [](double v) { return !std::isfinite(v); });
    EXPECT_LE(bad, 1);
    spoiled += bad > 0;
  }
  EXPECT_GT(spoiled, 4);
  EXPECT_LT(spoiled, 32);
}

}  // namespace
}  // namespace oddtile::oracles
