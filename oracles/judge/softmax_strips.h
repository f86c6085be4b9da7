// Softmax rows in strips that stay in the cache, every bound in full: for rows whose visible
// columns are finite and whose elements lie clearly inside. Private to oracles/judge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/bounds/softmax.h"
#include "oracles/judge/parts.h"

namespace oddtile::oracles {

// x, y and the mask of one case.
struct SoftmaxTensors {
  const Tensor& x;
  const Tensor& y;
  const Tensor* mask;  // nullptr: none
  std::span<const std::byte> x_bytes, y_bytes, mask_bytes;
};

class SoftmaxStrips {
 public:
  SoftmaxStrips(const SoftmaxTensors& tensors, const oddtile_profile& profile, oddtile_dtype dtype);

  // False: nothing was counted, the row needs classes, a bound that these sums do not give, or more
  // than double's accuracy.
  bool judge(int64_t r, Tally& tally);
  int64_t live() const { return live_; }

 private:
  struct Element {
    int64_t column = -1;
    double got = 0, exact = 0, bound = 0;
  };
  struct Worst {
    double value = 0;
    Element element;
  };
  bool read(int64_t r);
  void exponentials();
  bool compare(int64_t r, const Tally& tally);
  void records(int64_t at, int64_t n, const double* got, const double* bound);
  void count(int64_t r, Tally& tally) const;

  const SoftmaxTensors& tensors_;
  const oddtile_profile& profile_;
  oddtile_dtype dtype_;
  int64_t columns_ = 0, live_ = 0;
  double max_ = 0, sum_ = 0, errors_ = 0;  // m, l, l X
  LogErrorTerms log_error_;
  SoftmaxTerms terms_;
  // New worst elements of this row, by ratio and by net share; column -1: none.
  Worst worst_, net_;
  double zero_ = 0;
  std::vector<uint8_t> visible_;
  std::vector<double> x_;        // x, then x - m, then error / bound
  std::vector<double> weights_;  // exp(x - m), 0 where masked
};

}  // namespace oddtile::oracles
