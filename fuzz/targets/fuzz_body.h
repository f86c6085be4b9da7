// The one body of all fuzz targets: bytes -> case -> every check on the simulator. A failure prints
// its report, which ends with the line that replays the case anywhere, and aborts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/kernels.h"

namespace oddtile::fuzz {

// What the process has checked so far; replay fails when it stays zero.
struct Tally {
  int64_t cases = 0;
  int64_t vacuous = 0;
  int64_t judged = 0;  // elements
};
const Tally& tally();

// The table that targets fuzz by default.
const oddtile_implementation& fused_on_sim();

// Always 0, as LLVMFuzzerTestOneInput returns it.
int check_bytes(oddtile_kernel kernel, const uint8_t* data, size_t size,
                const oddtile_implementation& which = fused_on_sim());

}  // namespace oddtile::fuzz
