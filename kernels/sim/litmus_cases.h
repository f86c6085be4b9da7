// The litmus kernels, as CMakeLists.txt collects them: name, first line of the file, kernel, shape.
#pragma once

#include <string>
#include <vector>

#include "kernels/sim/litmus/litmus.cuh"

namespace oddtile::sim {

struct LitmusCase {
  std::string name;  // "pass/mma"
  std::string verdict;
  void (*kernel)(Litmus);
  LaunchShape shape;
};

const std::vector<LitmusCase>& litmus_cases();

}  // namespace oddtile::sim
