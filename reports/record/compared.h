// What `oddtile compare` found of one library and one case, and its JSON form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oddtile::reports {

// Elements of one output ("o", "lse", "y", "out") whose bits are not the baseline's.
struct ComparedBits {
  std::string tensor;
  int64_t elements = 0;
  int64_t differing = 0;
};

struct ComparedEntry {
  std::string case_text;
  std::string library;
  std::string finding;  // why it makes the run fail; empty: it does not
  std::string problem;  // why there is nothing below; empty otherwise
  std::string configuration;
  double us_median = 0;
  double us_lower = 0;  // quartiles
  double us_upper = 0;
  std::vector<double> us;  // of each round
  double copy_us = 0;      // of a copy of as many bytes in the same rounds; 0: not beside a copy
  double copy_share = 0;   // of its rate
  double rate = 0;
  std::string rate_unit;    // "TFLOP/s" of attention; empty: not counted
  std::string baseline;     // empty: this is it, or there was nothing to compare with
  double slowdown = 0;      // time over the baseline's
  double slowdown_low = 0;  // 95 % interval
  double slowdown_high = 0;
  std::vector<ComparedBits> bits;  // empty where `baseline` is
  std::string verdict;             // "pass", or of the data and of its edges
  std::string explanation;         // of the first element that failed
  std::string overwritten;         // an input that it has written into ("x"); empty: none
};

std::string to_json(const std::vector<ComparedEntry>& entries);

}  // namespace oddtile::reports
