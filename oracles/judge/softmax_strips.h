// Softmax rows in strips that stay in the cache, every bound in full: for rows whose visible
// columns are finite and whose elements lie clearly inside. Three passes: the maximum; weights and
// their sums; comparison. Of a row too long for the cache each pass reads x again, which costs less
// than to write and read what the pass before it made. Private to oracles/judge.
#pragma once

#include <array>
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
  struct Scan;

  double* x(int64_t at) { return &x_[size_t(keeps_rows_ ? at : 0)]; }
  double* weights(int64_t at) { return &weights_[size_t(keeps_rows_ ? at : 0)]; }
  uint8_t* visible(int64_t at) { return &visible_[size_t(keeps_rows_ ? at : 0)]; }
  template <class Body>
  void for_strips(const Body& body);
  void load(int64_t r, int64_t at, int64_t n);
  bool read(int64_t r);
  std::array<double, 2> weigh(int64_t at, int64_t n);
  void exponentials(int64_t r);
  bool compare(int64_t r, const Tally& tally);
  bool compare_strip(int64_t r, int64_t at, int64_t n, Scan& scan);
  void records(int64_t at, int64_t n, const double* got);
  template <class Number>
  Number bound(const Number& p, const Number& factor) const;
  void count(int64_t r, Tally& tally) const;

  const SoftmaxTensors& tensors_;
  const oddtile_profile& profile_;
  oddtile_dtype dtype_;
  int64_t columns_ = 0, live_ = 0;
  bool keeps_rows_ = false;                // else x_ and weights_ hold one strip, made anew
  double max_ = 0, sum_ = 0, errors_ = 0;  // m, l, l X
  double rounding_ = 0, flush_ = 0;        // u_o; eta_o + eta_w
  LogErrorTerms log_error_;
  SoftmaxTerms terms_;
  // New worst elements of this row, by ratio and by net share; column -1: none.
  Worst worst_, net_;
  double zero_ = 0;     // what a zero output would have had
  ShareCounts counts_;  // of this row
  double share_sum_ = 0, share_squares_ = 0;
  std::vector<uint8_t> visible_;
  std::vector<double> x_;        // x, then e^E - 1
  std::vector<double> weights_;  // exp(x - m), 0 where masked
};

}  // namespace oddtile::oracles
