// The checks, checked: a right implementation passes, and each sabotage of it is called by the name
// of the property that it breaks.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "properties/checks/checks.h"

namespace oddtile::properties {
namespace {

enum class Sabotage {
  none,
  refuses,
  writes_behind,
  writes_gap,
  writes_input,
  wrong_value,
  skips_an_element,
  counts_its_runs,
  reads_a_gap
};
Sabotage sabotage = Sabotage::none;
int runs = 0;

int32_t configurations(const oddtile_problem* problem, int32_t* ids, int32_t capacity) {
  if (problem->kernel != oddtile_kernel_softmax) return 0;
  if (capacity > 0) ids[0] = 0;
  return 1;
}

oddtile_status describe(const oddtile_problem*, int32_t, oddtile_profile* profile) {
  *profile = {};
  std::strcpy(profile->name, "host");
  profile->sum_lanes = 1;
  profile->exp2_error = 0x1p-23;
  profile->division_error_u = 1;
  return oddtile_ok;
}

int64_t workspace_bytes(const oddtile_problem*, int32_t) {
  return 0;
}

void row_softmax(const float* x, float* y, int64_t columns, bool skip_last) {
  float largest = x[0];
  for (int64_t i = 1; i < columns; ++i) largest = std::fmax(largest, x[i]);
  double sum = 0;
  for (int64_t i = 0; i < columns; ++i) sum += std::exp(double(x[i]) - double(largest));
  for (int64_t i = 0; i < columns - skip_last; ++i) {
    y[i] = float(std::exp(double(x[i]) - double(largest)) / sum);
  }
}

void nudge(float* value, uint32_t ulps) {
  *value = std::bit_cast<float>(std::bit_cast<uint32_t>(*value) + ulps);
}

oddtile_status softmax(const oddtile_softmax_problem* p, int32_t, void*, void*) {
  if (sabotage == Sabotage::refuses) return oddtile_launch_failed;
  const float* x = static_cast<const float*>(p->x);
  float* y = static_cast<float*>(p->y);
  for (int64_t row = 0; row < p->rows; ++row) {
    row_softmax(x + row * p->x_row_stride, y + row * p->y_row_stride, p->columns,
                sabotage == Sabotage::skips_an_element && row == 1);
  }
  if (sabotage == Sabotage::writes_behind) y[p->rows * p->y_row_stride + 20] = 1;
  if (sabotage == Sabotage::writes_gap) y[p->columns] = 1;
  if (sabotage == Sabotage::writes_input) const_cast<float*>(x)[1] = 1;
  if (sabotage == Sabotage::wrong_value) y[2] *= 1.01f;
  if (sabotage == Sabotage::counts_its_runs) nudge(y, uint32_t(runs++));
  if (sabotage == Sabotage::reads_a_gap) nudge(y, std::isnan(x[p->columns]) ? 0 : 1);
  return oddtile_ok;
}

const char* status_text(oddtile_status) {
  return "as told";
}

CheckResult check_with(Sabotage wanted) {
  sabotage = wanted;
  runs = 0;
  static constexpr oddtile_implementation kHost = {.abi_version = ODDTILE_ABI_VERSION,
                                                   .struct_size = sizeof(oddtile_implementation),
                                                   .name = "host",
                                                   .capabilities = 0,
                                                   .configurations = configurations,
                                                   .describe = describe,
                                                   .workspace_bytes = workspace_bytes,
                                                   .vector_add = nullptr,
                                                   .softmax = softmax,
                                                   .attention = nullptr,
                                                   .status_text = status_text};
  oracles::Case subject;
  subject.problem = oracles::SoftmaxCase{
      .rows = 3, .columns = 5, .x_pad = 3, .y_pad = 3, .values = oracles::Values::noise};
  return check_case(subject, kHost, sim_machine());
}

TEST(check_case, passes_a_right_implementation) {
  const CheckResult result = check_with(Sabotage::none);
  EXPECT_NE(result.verdict, oracles::Verdict::fail) << result.report;
  EXPECT_EQ(result.broken, "");
  EXPECT_EQ(result.report, "");
  EXPECT_TRUE(result.offered);
}

TEST(check_case, calls_each_sabotage_by_its_name) {
  const std::pair<Sabotage, const char*> expectations[] = {
      {Sabotage::refuses, "launches"},
      {Sabotage::writes_behind, "nothing_outside_is_written"},
      {Sabotage::writes_gap, "nothing_outside_is_written"},
      {Sabotage::writes_input, "nothing_outside_is_written"},
      {Sabotage::wrong_value, "within_bound"},
      {Sabotage::skips_an_element, "everything_inside_is_written"},
      {Sabotage::counts_its_runs, "same_bits_on_repeated_runs"},
      {Sabotage::reads_a_gap, "poison_has_no_influence"}};
  for (const auto& [wanted, property] : expectations) {
    const CheckResult result = check_with(wanted);
    EXPECT_EQ(result.verdict, oracles::Verdict::fail) << property;
    // An element that is never written is out of bound as well, and that is named first.
    EXPECT_NE(result.report.find(std::string(property) + ": softmax of host on sim"),
              std::string::npos)
        << property << " expected, got:\n"
        << result.report;
    EXPECT_NE(result.report.find("\ncase 'softmax rows=3 columns=5 "), std::string::npos)
        << result.report;
  }
}

TEST(check_case, names_the_element_that_is_never_written) {
  const CheckResult result = check_with(Sabotage::skips_an_element);
  EXPECT_NE(result.report.find("y[0,0,1,4] is never written"), std::string::npos) << result.report;
}

TEST(check_case, counts_what_was_really_launched) {
  const oddtile_implementation& fused = *sim_machine().implementations()[0];
  EXPECT_EQ(check_case({oracles::VectorAddCase{.n = 5}}, fused, sim_machine()).launches, 2);
  EXPECT_EQ(check_case({oracles::VectorAddCase{.n = 0}}, fused, sim_machine()).launches, 0);
  EXPECT_EQ(check_with(Sabotage::none).launches, 0);  // a loop on the host launches nothing
}

TEST(check_case, does_not_fail_what_is_not_offered) {
  oddtile_implementation nothing = *sim_machine().implementations()[0];
  nothing.configurations = [](const oddtile_problem*, int32_t*, int32_t) { return 0; };
  const CheckResult result = check_case({oracles::SoftmaxCase{}}, nothing, sim_machine());
  EXPECT_FALSE(result.offered);
  EXPECT_NE(result.verdict, oracles::Verdict::fail);
}

}  // namespace
}  // namespace oddtile::properties
