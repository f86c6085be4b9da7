// What the program litmus_cuda's two halves say to one another: the half that nvcc compiles runs
// kernels on the GPU, the other one runs them on the simulator and compares.
#pragma once

#include <string>
#include <vector>

#include "kernels/sim/litmus/memory.h"

namespace oddtile {

std::vector<std::string> names_on_gpu();
bool gpu_speaks_hopper();
// The text is empty, or what went wrong.
std::string run_on_gpu(const std::string& name, LitmusMemory* memory);

}  // namespace oddtile
