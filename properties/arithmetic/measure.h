// A machine's hardware profile: all that oracles/bounds/hardware.h holds, measured.
#pragma once

#include <functional>
#include <string>

#include "oracles/bounds/hardware.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {

struct MeasuredMachine {
  oracles::HardwareProfile profile;
  bool complete = false;  // every figure is there, and every comparison came out equal
};

// `say` gets a line whenever something is known. `fragments`: random ones per instruction and type.
// `products_only`: exp2, log2 and the others are left out, and the profile is not complete.
// `simulator` is set to the arithmetic that was found, and compared with; plain afterwards.
MeasuredMachine measure_machine(Machine& machine, Machine& simulator, int64_t fragments,
                                const std::function<void(const std::string&)>& say,
                                bool products_only = false);

}  // namespace oddtile::properties
