// The frame of a litmus kernel. `litmus/{pass,fail}/<name>.cu` defines a kernel `<name>(Litmus)`
// and its `<name>_shape` in namespace oddtile::ODDTILE_MACHINE. Its first line is the verdict:
//
//   // pass: <sentence>                          out[t] is 1 for every thread t, no hazard
//   // fail <hazard>: <sentence>                 that hazard under every schedule
//   // fail <hazard> under some schedule: ...    under at least one of those tried
//   // fail result: ...                          out[t] is not 1 for some t (also "under some
//   schedule")
//
// in[i] is i for i < kLitmusElements. README.md says how to add one.
#pragma once

#include "kernels/dialect/dialect.cuh"

namespace oddtile {

inline constexpr int kLitmusElements = 1024;  // of `in` and of `out`

struct Litmus {
  Global<const float> in;
  Global<float> out;
};

}  // namespace oddtile
