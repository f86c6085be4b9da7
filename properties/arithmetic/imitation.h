// For tests: the simulator in a given arithmetic of products, as long as an Imitation lives.
#pragma once

#include "oracles/bounds/hardware.h"
#include "properties/harness/harness.h"

namespace oddtile::properties {

inline oracles::HardwareProfile hardware(int group, int fraction_bits, bool rounds) {
  oracles::HardwareProfile profile = *oracles::hardware_profile("nvidia-h200");
  profile.mma_products = group;
  profile.mma_fraction_bits = fraction_bits;
  profile.mma_rounds = rounds;
  return profile;
}

class Imitation {
 public:
  explicit Imitation(const oracles::HardwareProfile& profile) { machine().imitate(&profile); }
  ~Imitation() { machine().imitate(nullptr); }
  static Machine& machine() { return sim_machine(); }
};

}  // namespace oddtile::properties
