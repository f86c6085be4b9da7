// Copies that move the memory of a softmax and compute nothing: about what its memory costs.
#pragma once

#include "kernels/api/kernels.h"

namespace oddtile {

// A table whose softmax is none: y = x, 0 where a mask hides. It offers two kinds of problems:
//   rows with a gap of one element, from aligned starts, no mask: "copy with gaps";
//   dense rows with a mask, from aligned starts: "copy of visible sectors".
namespace sim {
const oddtile_implementation& copies();
}  // namespace sim
namespace cuda {
const oddtile_implementation& copies();
}  // namespace cuda

}  // namespace oddtile
