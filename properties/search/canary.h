// For tests: the fused kernels of the simulator, but for one thing.
#pragma once

#include <cmath>
#include <cstring>

#include "properties/search/attempt.h"

namespace oddtile::properties {

inline const oddtile_implementation& right() {
  return *sim_machine().implementations()[0];
}

// Exact where it is 0 or 1; the last element of every other row is off by one ulp and more: a
// relative error of 2^-20 in fp32, which only rows whose bound is narrow can show.
inline oddtile_status nearly_right_softmax(const oddtile_softmax_problem* p, int32_t id,
                                           void* workspace, void* stream) {
  const oddtile_status status = right().softmax(p, id, workspace, stream);
  if (status != oddtile_ok || p->dtype != oddtile_fp32 || p->columns == 0) return status;
  for (int64_t row = 0; row < p->rows; ++row) {
    float& y = static_cast<float*>(p->y)[row * p->y_row_stride + p->columns - 1];
    if (y > 0.25f && y < 1) y += y * 0x1p-20f;
  }
  return status;
}

// One ulp of the 16-bit output type too much, where a row's last column is large.
inline oddtile_status nearly_right_vector_add(const oddtile_vector_add_problem* p, int32_t id,
                                              void* workspace, void* stream) {
  const oddtile_status status = right().vector_add(p, id, workspace, stream);
  if (status == oddtile_ok && p->n == 33 && p->dtype == oddtile_fp16)
    static_cast<uint16_t*>(p->out)[32] ^= 1;
  return status;
}

inline const oddtile_implementation& canary() {
  static const oddtile_implementation table = [] {
    oddtile_implementation wrong = right();
    wrong.name = "canary";
    wrong.softmax = nearly_right_softmax;
    wrong.vector_add = nearly_right_vector_add;
    return wrong;
  }();
  return table;
}

}  // namespace oddtile::properties
