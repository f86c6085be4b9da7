#include "reports/measure/criteria.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/assert.h"
#include "kernels/base/bits.h"

namespace oddtile::reports {
namespace {

constexpr double kFloor = 1e-5;
constexpr double kEagerFactor = 2;
constexpr double kAbsolute = 1e-5;
constexpr double kRelative[] = {1.3e-6, 1e-3, 1.6e-2};  // fp32, fp16, bf16
constexpr double kBoth = 1e-2;

// NaN as soon as one difference is: std::max would drop it.
double largest_error(std::span<const double> exact, std::span<const double> got) {
  ODDTILE_ASSERT(exact.size() == got.size());
  double largest = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double error = std::abs(got[i] - exact[i]);
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

template <class Accepts>
bool every(const Outputs& o, Accepts&& accepts) {
  ODDTILE_ASSERT(o.exact.size() == o.got.size());
  for (size_t i = 0; i < o.exact.size(); ++i) {
    if (!accepts(o.exact[i], o.got[i])) return false;
  }
  return true;
}

}  // namespace

double rounded_to(oddtile_dtype dtype, double value) {
  const float single = float(value);
  switch (dtype) {
    case oddtile_fp32:
      return double(single);
    case oddtile_fp16:
      return double(half_to_float(float_to_half(single)));
    case oddtile_bf16:
      return double(bfloat16_to_float(float_to_bfloat16(single)));
  }
  ODDTILE_ASSERT(false && "unknown type");
}

bool within_twice_eager(const Outputs& o) {
  return largest_error(o.exact, o.got) <= kEagerFactor * largest_error(o.exact, o.eager) + kFloor;
}

bool all_close(const Outputs& o) {
  const double relative = kRelative[o.dtype];
  return every(o, [&](double exact, double got) {
    const double expected = rounded_to(o.dtype, exact);
    return std::abs(got - expected) <= kAbsolute + relative * std::abs(expected);
  });
}

bool within_abs_and_rel(const Outputs& o) {
  return every(o, [](double exact, double got) {
    const double error = std::abs(got - exact);
    return error <= kBoth || error <= kBoth * std::abs(exact);
  });
}

const std::vector<Criterion>& public_criteria() {
  static const std::vector<Criterion> criteria = {
      {"twice the eager error", within_twice_eager},
      {"allclose, usual defaults", all_close},
      {"abs and rel 1e-2", within_abs_and_rel},
  };
  return criteria;
}

}  // namespace oddtile::reports
