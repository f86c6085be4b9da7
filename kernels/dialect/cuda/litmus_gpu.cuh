// The half of litmus_cuda that nvcc compiles. The table of kernels is generated (CMakeLists.txt).
#pragma once

#include "kernels/dialect/cuda/litmus_cuda.h"

namespace oddtile::cuda {

struct LitmusCase {
  std::string name;  // "pass/mma"
  void (*kernel)(Litmus);
  LaunchShape shape;
};
const std::vector<LitmusCase>& litmus_cases();

}  // namespace oddtile::cuda
