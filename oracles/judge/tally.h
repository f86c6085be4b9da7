// Counting what was compared: one Tally per quantity and chunk of rows, merged in order, so that
// the numbers do not depend on the number of threads. Private to oracles/judge.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "oracles/judge/judge.h"

namespace oddtile::oracles {

// What an element has to be.
struct Expectation {
  enum class Kind : uint8_t { number, nan, infinity_or_nan, positive_zero, exactly };
  Kind kind = Kind::number;
  double exact = 0;  // number: with `bound`; infinity_or_nan, exactly: its value
  double bound = 0;
};

struct Comparison {
  double ratio = 0;  // |error| / bound; 0/0 = 0, x/0 = inf; infinity for a class mismatch
  double share = 0;  // signed error / bound where both are finite and the bound is not 0
  bool failed = false;
};

// Classes first, before any arithmetic. `overflow`: from which magnitude on a number rounds to
// infinity (so that infinity passes where |exact| + bound reaches it). A bound that is negative or
// NaN is a broken oracle and stops the program.
Comparison compare(double got, const Expectation& expected, double overflow);

struct Finding {
  std::array<int64_t, 4> index{};
  double got = 0;
  Expectation expected;
  double ratio = 0;
  const char* law = "";
};

// Ratios below 1 by which 1 / kBins they lie in. Each bin has four counts that take turns:
// neighbours often have like ratios, and to count one up twice at once takes as long as to store
// it.
class ShareCounts {
 public:
  static constexpr int32_t kBins = 256;
  void clear() { counts_ = {}; }
  void add(const int32_t* bins, int64_t count);
  int64_t of(size_t bin) const {
    return int64_t{counts_[0][bin]} + counts_[1][bin] + counts_[2][bin] + counts_[3][bin];
  }

 private:
  std::array<std::array<uint32_t, kBins>, 4> counts_{};
};

class Tally {
 public:
  static constexpr size_t kFindings = 8;  // the worst ones are kept for the explanation

  // A right class within an infinite bound counts as not judged: any number would be.
  void add(const Comparison& comparison, double got, const Expectation& expected,
           const std::array<int64_t, 4>& index, const char* law);
  // A number within its bound of which only an upper estimate of |error| / bound is known: `share`
  // with its sign. It counts, but is not the worst element: that is for merge_worst().
  void accept(double share);
  // The same of `count` numbers at once.
  void accept(const ShareCounts& counts, int64_t count, double share_sum, double share_squares);
  // The worst element and the worst net shares of `full`, nothing that counts.
  void merge_worst(const Tally& full);
  void skip(int64_t elements) { not_judged_ += elements; }
  // The share that the output's own rounding cannot hide, of a number that was added: `rounding` is
  // the part u_o |exact| + eta_o + eta_w of its bound, `live` the row's live keys or columns.
  void net(double got, const Expectation& expected, double rounding, int64_t live);
  void net_drawn(int64_t live) { net_drawn_[regime(live)] = true; }  // net() says so itself
  // What an all-zero output would have had at an element that a bound decides.
  void zero_output(double ratio) { zero_factor_ = zero_factor_ > ratio ? zero_factor_ : ratio; }
  void merge(const Tally& later);

  Quantity quantity(Role role) const;
  const std::vector<Finding>& findings() const { return findings_; }  // worst first
  double worst_ratio() const { return has_worst_ ? worst_.ratio : -1; }
  double worst_net(int64_t live) const { return worst_net_[regime(live)]; }
  int64_t judged() const { return judged_; }
  int64_t not_judged() const { return not_judged_; }
  int64_t failed() const { return failed_; }
  double zero_factor() const { return zero_factor_; }

 private:
  static constexpr size_t kBins = ShareCounts::kBins;  // of ratios below 1, for the percentile

  static size_t regime(int64_t live) { return live <= 16 ? 0 : live <= 256 ? 1 : 2; }
  void keep(const Finding& finding);
  double percentile(double share) const;

  int64_t judged_ = 0, not_judged_ = 0, failed_ = 0;
  double zero_factor_ = 0;
  std::array<double, 3> worst_net_{};  // by regime, as in Quantity
  std::array<bool, 3> net_drawn_{};
  double sum_squares_ = 0, sum_shares_ = 0;
  bool has_worst_ = false;
  Finding worst_;
  std::array<int64_t, kBins + 1> bins_{};
  std::vector<Finding> findings_;
};

}  // namespace oddtile::oracles
