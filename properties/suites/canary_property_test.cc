// The driver's canary: kernels that are right but for one element must be found wrong, soon.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/gen/gen.h"
#include "properties/suites/suite.h"

namespace oddtile::properties {
namespace {

constexpr int kLimit = 20;  // cases until a canary must be found

// Flips the lowest exponent bit: twice or half the right value. On the simulator device memory is
// the host's.
void corrupt(void* data, oddtile_dtype dtype, int64_t index) {
  if (dtype == oddtile_fp32) {
    static_cast<uint32_t*>(data)[index] ^= 1u << 23;
  } else {
    static_cast<uint16_t*>(data)[index] ^= dtype == oddtile_fp16 ? 1u << 10 : 1u << 7;
  }
}

oddtile_status wrong_vector_add(const oddtile_vector_add_problem* p, int32_t id, void* workspace,
                                void* stream) {
  const oddtile_status status = suite_implementation().vector_add(p, id, workspace, stream);
  if (status == oddtile_ok && p->n > 0) corrupt(p->out, p->dtype, p->n / 2);
  return status;
}

oddtile_status wrong_softmax(const oddtile_softmax_problem* p, int32_t id, void* workspace,
                             void* stream) {
  const oddtile_status status = suite_implementation().softmax(p, id, workspace, stream);
  if (status == oddtile_ok && p->rows > 0 && p->columns > 0) {
    corrupt(p->y, p->dtype, (p->rows - 1) * p->y_row_stride + p->columns - 1);
  }
  return status;
}

oddtile_status wrong_attention(const oddtile_attention_problem* p, int32_t id, void* workspace,
                               void* stream) {
  const oddtile_status status = suite_implementation().attention(p, id, workspace, stream);
  if (status == oddtile_ok && p->batch > 0 && p->seq_q > 0 && p->heads_q > 0) {
    corrupt(p->o.data, p->dtype, (p->seq_q - 1) * p->o.row_stride + p->head_dim - 1);
  }
  return status;
}

void expect_found(const rc::Gen<oracles::Case>& cases) {
  oddtile_implementation wrong = suite_implementation();
  wrong.name = "canary";
  wrong.vector_add = wrong_vector_add;
  wrong.softmax = wrong_softmax;
  wrong.attention = wrong_attention;
  std::string report;
  const int found = cases_until_found(cases, wrong, kLimit, &report);
  EXPECT_GT(found, 0) << "the planted error was not found in " << kLimit << " cases";
  fmt::print("found after {} cases:\n{}", found, report);
}

TEST(canary, of_vector_add_is_found) {
  expect_found(any_vector_add());
}
TEST(canary, of_softmax_is_found) {
  expect_found(any_softmax());
}
TEST(canary, of_attention_is_found) {
  expect_found(any_attention());
}

}  // namespace
}  // namespace oddtile::properties
