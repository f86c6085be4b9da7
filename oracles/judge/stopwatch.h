// For benchmarks: two bodies timed in turn, so that what else the machine does hits both alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace oddtile::oracles {

class Race {
 public:
  template <class Body>
  void first(const Body& body) {
    first_.push_back(seconds(body));
  }
  template <class Body>
  void second(const Body& body) {
    second_.push_back(seconds(body));
  }
  double first_median() const { return median(first_); }
  double second_median() const { return median(second_); }
  // Median over the rounds of first / second: the speed of the second as a share of the first's.
  double median_ratio() const {
    std::vector<double> ratios;
    for (size_t i = 0; i < second_.size(); ++i) ratios.push_back(first_[i] / second_[i]);
    return median(ratios);
  }

 private:
  template <class Body>
  static double seconds(const Body& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  static double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  std::vector<double> first_, second_;
};

}  // namespace oddtile::oracles
