// The judge, judged: errors planted in single elements of exact outputs, one representable number
// inside and outside the bound, and every class against every other.
#include "oracles/judge/planting.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "oracles/judge/tally.h"

namespace oddtile::oracles {
namespace {

struct Place {
  const char* text;
  Role role;
  int64_t at[4];
};

// Every quantity and type, at tile edges and ends; online and one-step softmax, masks, bands.
const Place kPlaces[] = {
    {"attention dtype=fp16 seq_q=17 seq_k=33 head_dim=24 scores=noise contents=noise",
     Role::o,
     {0, 0, 0, 0}},
    {"attention dtype=fp16 seq_q=17 seq_k=33 head_dim=24 scores=noise contents=noise",
     Role::lse,
     {0, 0, 0, 16}},
    {"attention dtype=bf16 seq_q=17 seq_k=33 head_dim=24 scores=noise contents=noise",
     Role::o,
     {0, 0, 16, 23}},
    {"attention dtype=bf16 seq_q=17 seq_k=33 head_dim=24 scores=level band_high=0 contents=coded",
     Role::lse,
     {0, 0, 0, 15}},
    {"attention dtype=fp16 batch=2 heads_kv=2 group=2 seq_q=5 seq_k=40 scores=peaked "
     "contents=noise "
     "mask=half o_layout=bshd pad=3 o_offset=1",
     Role::o,
     {1, 3, 4, 15}},
    {"attention dtype=bf16 batch=2 heads_kv=2 group=2 seq_q=5 seq_k=40 scores=rising "
     "contents=large",
     Role::lse,
     {0, 1, 3, 4}},
    {"attention dtype=fp16 seq_q=8 seq_k=20 scores=deep contents=noise seed=1",
     Role::o,
     {0, 0, 7, 3}},
    {"softmax dtype=fp32 rows=3 columns=50 values=noise", Role::y, {0, 0, 2, 49}},
    {"softmax dtype=fp16 rows=3 columns=50 values=noise", Role::y, {0, 0, 0, 0}},
    {"softmax dtype=bf16 rows=3 columns=50 values=noise", Role::y, {0, 0, 1, 17}},
    {"softmax dtype=fp32 rows=3 columns=12 values=level y_pad=5", Role::y, {0, 0, 2, 11}},
    {"softmax dtype=fp32 rows=3 columns=50 values=high alias=x", Role::y, {0, 0, 1, 16}},
};

// Exact value and bound as the judge has them: of an element that is far off.
Quantity judged_at(const Workload& workload, Role role, int64_t index) {
  Outputs outputs = exact_outputs(workload);
  put(outputs, workload, role, index, 30000);
  for (const Quantity& quantity : judged(workload, outputs).quantities)
    if (quantity.role == role) return quantity;
  ODDTILE_ASSERT(false);
}

TEST(Planting, EveryQuantityIsSharpOnBothSides) {
  for (const Place& place : kPlaces) {
    const Workload workload = made(place.text);
    const int64_t* at = place.at;
    const int64_t index = workload.find(place.role)->index(at[0], at[1], at[2], at[3]);
    const Quantity quantity = judged_at(workload, place.role, index);
    ASSERT_EQ(quantity.failed, 1) << place.text;
    ASSERT_GT(quantity.bound, 0) << place.text;
    for (const bool up : {false, true})
      EXPECT_EQ("", not_sharp(workload, place.role, index, quantity.exact, quantity.bound, up))
          << place.text << (up ? " above" : " below");
  }
}

// Bit-exact: the next number on either side is wrong, the sum itself right.
TEST(Planting, VectorAddHasNoSlack) {
  for (const char* dtype : {"fp32", "fp16", "bf16"}) {
    const Workload workload = made(std::string("vector_add n=9 values=noise dtype=") + dtype);
    const Tensor& out = *workload.find(Role::out);
    for (const int64_t i : {0, 8}) {
      const int64_t index = out.index(0, 0, 0, i);
      const double exact = get(exact_outputs(workload), workload, Role::out, index);
      EXPECT_EQ(after_planting(workload, Role::out, index, exact), Verdict::pass);
      for (const bool up : {false, true})
        EXPECT_EQ(after_planting(workload, Role::out, index, neighbour(out.element, exact, up)),
                  Verdict::fail)
            << dtype;
    }
  }
}

// A NaN or an infinity at any single element is found, wherever it stands and whatever was there.
TEST(Planting, NoNanAndNoInfinityIsLost) {
  for (const char* text :
       {"attention seq_q=3 seq_k=17 head_dim=8 heads_kv=2 mask=half", "attention seq_q=3 seq_k=0",
        "attention seq_q=4 seq_k=9 head_dim=2 band_high=-2 lse=0", "softmax rows=3 columns=17",
        "softmax rows=3 columns=17 dtype=bf16 mask=half alias=x", "vector_add n=40 mask=half"}) {
    const Workload workload = made(text);
    for (const Tensor& tensor : workload.tensors) {
      if (!tensor.is_output) continue;
      for (int64_t flat = 0; flat < tensor.count(); ++flat) {
        const int64_t i3 = flat % tensor.sizes[3], rest = flat / tensor.sizes[3];
        const int64_t i2 = rest % tensor.sizes[2], heads = rest / tensor.sizes[2];
        const int64_t index =
            tensor.index(heads / tensor.sizes[1], heads % tensor.sizes[1], i2, i3);
        const double there = get(exact_outputs(workload), workload, tensor.role, index);
        for (const double wrong : {double(NAN), double(INFINITY), -double(INFINITY)}) {
          if (wrong == there || (std::isnan(wrong) && std::isnan(there))) continue;
          EXPECT_EQ(after_planting(workload, tensor.role, index, wrong), Verdict::fail)
              << text << ": " << role_name(tensor.role) << " " << flat << " became " << wrong;
        }
      }
    }
  }
}

// A zero that is a number has no sign; one that is a class has.
TEST(Planting, ZerosOfNumbersHaveNoSign) {
  const Workload workload = made("attention seq_q=4 seq_k=9 head_dim=16 contents=one_hot");
  const Tensor& o = *workload.find(Role::o);  // 9 keys: columns from 9 on are exactly 0
  EXPECT_EQ(after_planting(workload, Role::o, o.index(0, 0, 2, 12), -0.0), Verdict::pass);
  EXPECT_EQ(after_planting(workload, Role::o, o.index(0, 0, 2, 12), 1e-3), Verdict::fail);
}

TEST(Planting, EveryClassAgainstEveryValue) {
  using Kind = Expectation::Kind;
  const double infinity = INFINITY, nan = NAN, most = 65504;
  struct {
    Expectation expected;
    double got;
    bool right;
  } const table[] = {
      {{Kind::number, 1, 0.5}, 1.5, true},
      {{Kind::number, 1, 0.5}, 0.5, true},
      {{Kind::number, 1, 0.5}, 1.5001, false},
      {{Kind::number, 1, 0.5}, 0.4999, false},
      {{Kind::number, 0, 0}, -0.0, true},
      {{Kind::number, 0, 0}, 1e-300, false},
      {{Kind::number, 1, 0.5}, infinity, false},
      {{Kind::number, 1, 0.5}, -infinity, false},
      {{Kind::number, 1, 0.5}, nan, false},
      {{Kind::number, most, 15}, infinity, false},
      {{Kind::number, most, 16}, infinity, true},
      {{Kind::number, most, 16}, -infinity, false},
      {{Kind::number, -most, 16}, -infinity, true},
      {{Kind::number, 0, 1e9}, infinity, true},
      {{Kind::nan, nan, 0}, nan, true},
      {{Kind::nan, nan, 0}, 0, false},
      {{Kind::nan, nan, 0}, infinity, false},
      {{Kind::exactly, -infinity, 0}, -infinity, true},
      {{Kind::exactly, -infinity, 0}, -3e38, false},
      {{Kind::exactly, -infinity, 0}, nan, false},
      {{Kind::exactly, -infinity, 0}, infinity, false},
      {{Kind::infinity_or_nan, infinity, 0}, infinity, true},
      {{Kind::infinity_or_nan, infinity, 0}, nan, true},
      {{Kind::infinity_or_nan, infinity, 0}, -infinity, false},
      {{Kind::infinity_or_nan, infinity, 0}, most, false},
      {{Kind::positive_zero, 0, 0}, 0.0, true},
      {{Kind::positive_zero, 0, 0}, -0.0, false},
      {{Kind::positive_zero, 0, 0}, nan, false},
  };
  for (const auto& row : table) {
    const Comparison comparison = compare(row.got, row.expected, 65520);
    EXPECT_EQ(!comparison.failed, row.right)
        << "kind " << int(row.expected.kind) << " " << row.expected.exact << ", got " << row.got;
    EXPECT_EQ(comparison.ratio > 1, comparison.failed);
  }
}

}  // namespace
}  // namespace oddtile::oracles
