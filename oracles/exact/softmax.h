// The exact softmax of one row: textbook formulae, in double or in 50 decimal digits. The results
// are doubles either way: a double holds an exact value to 2^-53, far below any bound here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace oddtile::oracles {

enum class Precision { standard, wide };

// empty: nothing visible (softmax) or nothing live (attention); nan: decided by a special value.
enum class RowClass { empty, nan, live };

struct SoftmaxRow {
  RowClass row_class = RowClass::empty;
  double max = 0;
  double sum = 0;              // of exp(x - max), at least 1
  int64_t live = 0;            // visible columns with x > -inf
  std::vector<double> offset;  // x - max; -inf where masked or not live
  std::vector<double> weight;  // p; 0 where masked or not live
};

// `mask`: nullptr, or one byte per column, non-zero where visible. Buffers of `out` are reused.
void softmax_row(std::span<const double> x, const uint8_t* mask, Precision precision,
                 SoftmaxRow& out);

}  // namespace oddtile::oracles
