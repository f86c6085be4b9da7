#include "oracles/exact/softmax.h"

#include "oracles/exact/formulae.h"

namespace oddtile::oracles {

void softmax_row(std::span<const double> x, const uint8_t* mask, Precision precision,
                 SoftmaxRow& out) {
  if (precision == Precision::wide) return formulae::softmax_wide(x, mask, out);
  formulae::softmax<double>(x, mask, out);
}

}  // namespace oddtile::oracles
