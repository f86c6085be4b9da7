// Three pass criteria that public test suites use, to be compared with ours on the same runs. Each
// sees one output tensor whole (O, y or out), as those suites do: no LSE, no guard bands. They are
// read in their own favour where their usual code has a hole (README.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/api/kernels.h"

namespace oddtile::reports {

// A number rounded to the type through fp32, to nearest even, as a double.
double rounded_to(oddtile_dtype dtype, double value);

// What a criterion may look at: parallel elements, `exact` finite.
struct Outputs {
  oddtile_dtype dtype = oddtile_fp32;
  std::span<const double> exact;
  std::span<const double> got;
  std::span<const double> eager;  // of the baseline in the same element type
};

// max |got - exact| <= 2 max |eager - exact| + 1e-5. Usual in the suites of attention kernels; the
// floor is theirs, too, for outputs on which the baseline happens to be exact. A NaN anywhere in
// `got` is rejected.
bool within_twice_eager(const Outputs& outputs);

// |got - r| <= atol + rtol |r| for every element, r the exact value rounded to the type, with the
// defaults of PyTorch's testing function: atol 1e-5; rtol 1.3e-6 (fp32), 1e-3 (fp16), 1.6e-2
// (bf16). Usual in suites of libraries of operators. A NaN in `got` is rejected.
bool all_close(const Outputs& outputs);

// No element whose absolute error exceeds 1e-2 and whose relative error exceeds 1e-2 as well. Usual
// in quick checks of new kernels. Written as two comparisons joined by "and" a NaN would be
// accepted; here it is rejected.
bool within_abs_and_rel(const Outputs& outputs);

struct Criterion {
  std::string name;
  bool (*accepts)(const Outputs& outputs);
};

// The three above, in this order; ours is the fourth column of a table and no function of Outputs.
const std::vector<Criterion>& public_criteria();
inline constexpr char kOurCriterion[] = "bound of O and LSE";

}  // namespace oddtile::reports
