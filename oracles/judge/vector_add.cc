// Masked vector add: bit-exact, NaN by class, masked elements keep their bits.
#include <bit>
#include <cmath>
#include <limits>

#include "oracles/case/parallel.h"
#include "oracles/exact/read.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {
namespace {

// One element type: its bits and its sum, correctly rounded. 16-bit sums are rounded twice, through
// fp32; 24 >= 2 p + 2 bits make that harmless (Figueroa 1995).
struct Fp32 {
  using Bits = uint32_t;
  static double number(Bits bits) { return double(std::bit_cast<float>(bits)); }
  static Bits sum(Bits x, Bits y) {
    return std::bit_cast<Bits>(std::bit_cast<float>(x) + std::bit_cast<float>(y));
  }
};
struct Fp16 {
  using Bits = uint16_t;
  static double number(Bits bits) { return double(half_to_float(Half{bits})); }
  static Bits sum(Bits x, Bits y) {
    return float_to_half(half_to_float(Half{x}) + half_to_float(Half{y})).bits;
  }
};
struct Bf16 {
  using Bits = uint16_t;
  static double number(Bits bits) { return double(bfloat16_to_float(Bfloat16{bits})); }
  static Bits sum(Bits x, Bits y) {
    return float_to_bfloat16(bfloat16_to_float(Bfloat16{x}) + bfloat16_to_float(Bfloat16{y})).bits;
  }
};

struct Operands {
  const Tensor& x;
  const Tensor& y;
  const Tensor* mask;
  const Tensor& out;
  std::span<const std::byte> x_bytes, y_bytes, mask_bytes, before, after;
};

template <class Type>
void judge_range(const Operands& in, int64_t begin, int64_t end, Tally& tally) {
  using Bits = typename Type::Bits;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (int64_t i = begin; i < end; ++i) {
    const Bits got = read_at<Bits>(in.after, in.out.index(0, 0, 0, i));
    const bool visible =
        in.mask == nullptr || read_at<uint8_t>(in.mask_bytes, in.mask->index(0, 0, 0, i)) != 0;
    const Bits want = visible ? Type::sum(read_at<Bits>(in.x_bytes, in.x.index(0, 0, 0, i)),
                                          read_at<Bits>(in.y_bytes, in.y.index(0, 0, 0, i)))
                              : read_at<Bits>(in.before, in.out.index(0, 0, 0, i));
    const double exact = Type::number(want);
    Expectation expected{Expectation::Kind::exactly, exact, 0};
    bool same = got == want;
    const char* law = visible ? "exact_sum" : "masked_keeps_bits";
    if (visible && std::isnan(exact)) {
      expected.kind = Expectation::Kind::nan;
      law = "special_value";
      same = std::isnan(Type::number(got));
    }
    tally.add({same ? 0 : infinite, 0, !same}, Type::number(got), expected, {0, 0, 0, i}, law);
    if (visible && exact != 0) tally.zero_output(infinite);
  }
}

}  // namespace

Outcome judge_vector_add(const Evidence& evidence) {
  const Workload& workload = evidence.workload;
  const int out_index = workload.index_of(Role::out);
  const Tensor& out = workload.tensors[size_t(out_index)];
  const Tensor* mask = workload.find(Role::mask);
  const Tensor& x = *workload.find(Role::x);
  const Tensor& y = *workload.find(Role::y);
  const Operands in = {x,
                       y,
                       mask,
                       out,
                       stored_bytes(workload, x),
                       stored_bytes(workload, y),
                       mask ? stored_bytes(workload, *mask) : std::span<const std::byte>(),
                       stored_bytes(workload, out),
                       evidence.after(out_index)};
  const int64_t n = out.count();
  constexpr int64_t grain = int64_t(1) << 18;
  std::vector<Tally> tallies(size_t(ceil_div(n, grain)));
  parallel_for(n, grain, n, [&](int64_t begin, int64_t end) {
    Tally& tally = tallies[size_t(begin / grain)];
    if (out.element == Element::fp32) judge_range<Fp32>(in, begin, end, tally);
    if (out.element == Element::fp16) judge_range<Fp16>(in, begin, end, tally);
    if (out.element == Element::bf16) judge_range<Bf16>(in, begin, end, tally);
  });
  Outcome outcome;
  outcome.parts.push_back({Role::out, {}});
  for (const Tally& tally : tallies) outcome.parts[0].tally.merge(tally);
  return outcome;
}

}  // namespace oddtile::oracles
