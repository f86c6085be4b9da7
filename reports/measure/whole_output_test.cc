#include "reports/measure/whole_output.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracles/case/text.h"
#include "properties/harness/harness.h"
#include "reports/measure/criteria.h"

namespace oddtile::reports {
namespace {

oracles::Workload workload_of(const std::string& text) {
  return oracles::materialise(std::get<oracles::Case>(oracles::parse(text)), oracles::Poison::nan);
}

Buffers run(const oracles::Workload& workload) {
  properties::Machine& sim = properties::sim_machine();
  return properties::run_workload(workload, *sim.implementations()[0], sim, 0).buffers;
}

TEST(WholeOutput, the_kernel_is_close_to_the_exact_values_element_by_element) {
  for (const std::string text :
       {"vector_add n=77 dtype=bf16 values=noise mask=half out_offset=1 mask_offset=3",
        "vector_add n=77 values=noise alias=x mask=half",
        "softmax rows=5 columns=40 dtype=fp16 values=noise mask=half y_pad=3 y_offset=1",
        "softmax rows=2 columns=9 mask=nothing",
        "attention batch=2 heads_kv=2 group=3 seq_q=9 seq_k=40 head_dim=24 scores=noise "
        "contents=noise band_high=0 o_layout=bshd o_offset=1 pad=2"}) {
    const oracles::Workload workload = workload_of(text);
    const auto exact = exact_output(workload);
    ASSERT_TRUE(exact) << text;
    const std::vector<double> got = stored_output(workload, run(workload));
    ASSERT_EQ(got.size(), exact->size()) << text;
    for (size_t i = 0; i < got.size(); ++i) {  // two units in the last place of bf16, or nearly 0
      EXPECT_LE(std::abs(got[i] - (*exact)[i]), std::abs((*exact)[i]) * 0x1p-6 + 0x1p-8) << text;
    }
  }
}

TEST(WholeOutput, what_is_not_finite_or_open_has_no_exact_value) {
  EXPECT_FALSE(exact_output(workload_of("vector_add n=500 values=specials")));
  EXPECT_FALSE(exact_output(workload_of("softmax rows=40 columns=40 values=specials")));
  EXPECT_FALSE(exact_output(
      workload_of("attention seq_q=30 seq_k=60 head_dim=16 scores=specials contents=specials")));
  EXPECT_FALSE(exact_output(
      workload_of("attention seq_q=3 seq_k=60 head_dim=16 scores=noise contents=specials")));
}

TEST(WholeOutput, bits_of_every_output_are_compared_and_nothing_else) {
  const oracles::Workload workload =
      workload_of("attention seq_q=5 seq_k=7 head_dim=16 pad=4 scores=noise contents=noise");
  const Buffers one = run(workload);
  EXPECT_TRUE(same_output_bits(workload, one, one));
  for (const oracles::Role role : {oracles::Role::o, oracles::Role::lse, oracles::Role::v}) {
    const auto index = size_t(workload.index_of(role));
    const oracles::Tensor& tensor = workload.tensors[index];
    const int64_t last = tensor.index(0, 0, tensor.sizes[2] - 1, tensor.sizes[3] - 1);
    Buffers other = one;
    other[index][size_t(last * oracles::element_bytes(tensor.element))] ^= std::byte{1};
    EXPECT_EQ(same_output_bits(workload, one, other), !tensor.is_output);
  }
  Buffers gap = one;  // behind the first row of O
  const oracles::Tensor& o = main_output(workload);
  gap[size_t(workload.index_of(o.role))][size_t(o.index(0, 0, 0, 16)) * 2] ^= std::byte{1};
  EXPECT_TRUE(same_output_bits(workload, one, gap));
}

}  // namespace
}  // namespace oddtile::reports
