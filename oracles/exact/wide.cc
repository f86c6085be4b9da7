// The formulae in 50 decimal digits (168 bits), for rows whose verdict could depend on double.
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "oracles/exact/formulae.h"

namespace oddtile::oracles::formulae {

using Wide = boost::multiprecision::cpp_bin_float_50;

void softmax_wide(std::span<const double> x, const uint8_t* mask, SoftmaxRow& out) {
  softmax<Wide>(x, mask, out);
}

void attention_wide(const KeysAndValues& kv, std::span<const double> q, double scale,
                    std::span<const int64_t> visible, AttentionRow& out) {
  attention<Wide>(kv, q, scale, visible, out);
}

}  // namespace oddtile::oracles::formulae
