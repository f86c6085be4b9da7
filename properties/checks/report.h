// The lines that a failure prints. Private to properties/checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/checks/checks.h"

namespace oddtile::properties {

// The command that runs the case again, on the same machine and implementation; where the program
// cannot reach the table (one that only a test has), the case and a line that says so. Tables are
// told apart by address, not by name.
std::string replay_line(const oracles::Case& subject, const oddtile_implementation& which,
                        const Machine& machine);

// Which element lies at this byte of the tensor's buffer: "o[0,2,17,5]".
std::string element_text(const oracles::Tensor& tensor, int64_t byte, int64_t size);

// A property that does not hold, and what shows it: the first lines, and how many more there are
// (a wrong kernel may be wrong in millions of elements).
struct Broken {
  static constexpr size_t kLines = 8;
  std::string property;
  std::vector<std::string> evidence = {};
  int64_t more = 0;

  template <class MakeLine>
  void add(MakeLine&& make_line) {
    if (evidence.size() < kLines) {
      evidence.push_back(make_line());
    } else {
      ++more;
    }
  }
  bool holds() const { return evidence.empty(); }
};

std::string failure_report(const oracles::Case& subject, const oddtile_implementation& which,
                           const Machine& machine, const Outcome& outcome,
                           const std::vector<Broken>& broken);

}  // namespace oddtile::properties
