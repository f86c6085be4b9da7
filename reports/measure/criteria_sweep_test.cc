#include "reports/measure/criteria_sweep.h"

#include <gtest/gtest.h>

#include "oracles/case/text.h"
#include "reports/measure/criteria.h"

namespace oddtile::reports {
namespace {

constexpr int64_t kCases = 12;

const oddtile_implementation& fused() {
  return *properties::sim_machine().implementations()[0];
}

// The table of the right kernels, but one entry computes something else.
oddtile_implementation all_zero_softmax() {
  oddtile_implementation table = fused();
  table.softmax = [](const oddtile_softmax_problem* p, int32_t, void*, void*) {
    const int64_t bytes = p->dtype == oddtile_fp32 ? 4 : 2;
    for (int64_t row = 0; row < p->rows; ++row) {
      char* y = static_cast<char*>(p->y) + row * p->y_row_stride * bytes;
      std::fill(y, y + p->columns * bytes, char(0));
    }
    return oddtile_ok;
  };
  return table;
}

oddtile_implementation lse_of_zero() {
  oddtile_implementation table = fused();
  table.attention = [](const oddtile_attention_problem* p, int32_t id, void* work, void* stream) {
    const oddtile_status status = fused().attention(p, id, work, stream);
    for (int64_t b = 0; p->lse != nullptr && b < p->batch; ++b)
      for (int64_t h = 0; h < p->heads_q; ++h)
        for (int64_t i = 0; i < p->seq_q; ++i)
          p->lse[b * p->lse_batch_stride + h * p->lse_head_stride + i * p->lse_row_stride] = 0;
    return status;
  };
  return table;
}

const CriteriaEntry& entry_of(const Record& record, const std::string& kernel,
                              const std::string& mutant) {
  for (const CriteriaEntry& entry : record.criteria) {
    if (entry.kernel == kernel && entry.mutant == mutant) return entry;
  }
  ADD_FAILURE() << "no entry of " << kernel << " " << mutant;
  static const CriteriaEntry none;
  return none;
}

TEST(CriteriaSweep, the_same_cases_in_every_run_and_not_one_twice) {
  const auto one = criteria_cases(oddtile_kernel_softmax, 5);
  EXPECT_EQ(one, criteria_cases(oddtile_kernel_softmax, 5));
  EXPECT_NE(one[0], one[1]);
  EXPECT_EQ(one[0].kernel(), oddtile_kernel_softmax);
}

TEST(CriteriaSweep, counts_what_each_criterion_sees) {
  const oddtile_implementation zero = all_zero_softmax(), lse = lse_of_zero(), same = fused();
  const std::vector<Mutant> mutants = {{"zero", "softmax", "Rows sum to 1.", &zero},
                                       {"lse", "attention", "The LSE is stored.", &lse},
                                       {"same", "vector_add", "None is broken.", &same}};
  Record record;
  criteria_sweep(properties::sim_machine(), mutants, kCases, &record);
  ASSERT_EQ(record.criteria.size(), 6u);  // three kernels as they are, three mutants
  for (const CriteriaEntry& entry : record.criteria) {
    ASSERT_EQ(entry.counts.size(), public_criteria().size() + 1);
    EXPECT_GT(entry.runs, kCases / 3) << entry.kernel;
    EXPECT_TRUE(entry.counts.back().ours);
    if (entry.mutant.empty()) EXPECT_EQ(entry.counts.back().rejected, 0) << entry.kernel;
  }
  const CriteriaEntry& of_zero = entry_of(record, "softmax", "zero");
  EXPECT_GT(of_zero.differing, 0);
  EXPECT_EQ(of_zero.counts.back().rejected, of_zero.differing);
  const CriteriaEntry& of_lse = entry_of(record, "attention", "lse");
  EXPECT_GT(of_lse.counts.back().rejected, 0);
  // O is the right kernel's, so all that a public criterion rejects there is a false alarm.
  for (size_t i = 0; i < public_criteria().size(); ++i) {
    EXPECT_LE(of_lse.counts[i].rejected, entry_of(record, "attention", "").counts[i].rejected);
  }
  EXPECT_EQ(entry_of(record, "vector_add", "same").differing, 0);
}

TEST(CriteriaSweep, a_launch_that_fails_is_seen_by_all) {
  oddtile_implementation refuses = fused();
  refuses.softmax = [](const oddtile_softmax_problem*, int32_t, void*, void*) {
    return oddtile_launch_failed;
  };
  const std::vector<Mutant> mutants = {{"refuses", "softmax", "It launches.", &refuses}};
  Record record;
  criteria_sweep(properties::sim_machine(), mutants, 4, &record);
  const CriteriaEntry& entry = entry_of(record, "softmax", "refuses");
  EXPECT_GT(entry.runs, 0);
  EXPECT_EQ(entry.differing, entry.runs);
  for (const CriterionCount& count : entry.counts) EXPECT_EQ(count.rejected, entry.runs);
}

}  // namespace
}  // namespace oddtile::reports
