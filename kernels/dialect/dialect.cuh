// The words a kernel may speak. A kernel source includes this header, opens
// `namespace oddtile::ODDTILE_MACHINE {` and compiles with nvcc for the GPU and, unchanged, with a
// C++ compiler for the simulator. This folder is the only place that asks which compiler it is.
// README.md lists every word with its meaning on each machine.
#pragma once

#include "kernels/dialect/global.h"

#if defined(__CUDACC__)
#  define ODDTILE_MACHINE cuda
#  include "kernels/dialect/cuda/bulk.cuh"
#  include "kernels/dialect/cuda/cluster.cuh"
#  include "kernels/dialect/cuda/hopper.cuh"
#  include "kernels/dialect/cuda/wgmma.cuh"
#  include "kernels/dialect/cuda/words.cuh"
#else
#  define ODDTILE_MACHINE sim
#  include "kernels/dialect/sim/bulk.h"
#  include "kernels/dialect/sim/cluster.h"
#  include "kernels/dialect/sim/hopper.h"
#  include "kernels/dialect/sim/words.h"
#endif
